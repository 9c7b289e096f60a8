package io.seckill.lua;

import static io.seckill.lua.TestShard.NO_LIMITS;
import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemState;
import io.seckill.common.log.LogEntry;
import io.seckill.lua.DecidePurchases.Decided;
import io.seckill.lua.DecidePurchases.Decision;
import io.seckill.lua.DecidePurchases.Purchase;
import io.seckill.testkit.TestRedis;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/**
 * Random histories of one shard on a real Redis against {@link PurchaseModel}. {@code -Drounds=N}
 * sets the tries; jqwik prints the seed of a failure, and takes it as {@code @Property(seed)}.
 */
class DecidePurchasesPropertyIT {

  private static final List<String> USERS = List.of("ann", "bob", "cleo", "dan", "eve");
  private static final int MAX_ITEMS = 3;

  /**
   * An item.
   *
   * @param limit units a user may hold
   * @param stock units at first
   */
  record ItemPlan(int limit, int stock) {}

  /** A step of a history; numbers are taken modulo what there is. */
  sealed interface Step {}

  /** Purchases, sent in batches of these sizes in turn. */
  record Buy(List<BuyPlan> purchases, List<Integer> batches) implements Step {}

  /**
   * One purchase.
   *
   * @param key 0 for none
   * @param lines item → quantity
   */
  record BuyPlan(int user, int key, Map<Integer, Integer> lines) {}

  /** Gives a win back. */
  record Release(int win) implements Step {}

  /** Lets units in. */
  record Restock(int item, int units) implements Step {}

  /** Pauses, resumes or ends an item. */
  record Change(int item, ItemState state) implements Step {}

  @Provide
  Arbitrary<List<ItemPlan>> items() {
    return Combinators.combine(
            Arbitraries.integers().between(1, 3), Arbitraries.integers().between(0, 6))
        .as(ItemPlan::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(MAX_ITEMS);
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Integer> any = Arbitraries.integers().between(0, 100);
    Arbitrary<Integer> few = Arbitraries.integers().between(1, 3);
    Arbitrary<BuyPlan> purchase =
        Combinators.combine(
                any,
                Arbitraries.integers().between(0, 3),
                Arbitraries.maps(Arbitraries.integers().between(0, MAX_ITEMS - 1), few)
                    .ofMinSize(1)
                    .ofMaxSize(MAX_ITEMS))
            .as(BuyPlan::new);
    Arbitrary<Step> buy =
        Combinators.combine(
                purchase.list().ofMinSize(1).ofMaxSize(12),
                Arbitraries.integers().between(1, 12).list().ofMinSize(1).ofMaxSize(4))
            .as(Buy::new);
    Arbitrary<Step> change =
        Combinators.combine(
                any,
                Arbitraries.frequency(
                    Tuple.of(4, ItemState.OPEN),
                    Tuple.of(2, ItemState.PAUSED),
                    Tuple.of(1, ItemState.ENDED)))
            .as(Change::new);
    return Arbitraries.frequencyOf(
            Tuple.of(6, buy),
            Tuple.of(3, any.map(Release::new)),
            Tuple.of(1, Combinators.combine(any, few).as(Restock::new)),
            Tuple.of(1, change))
        .list()
        .ofMinSize(1)
        .ofMaxSize(30);
  }

  /** Histories are all edges already, so jqwik's own edge cases would only take tries away. */
  @Property(edgeCases = EdgeCasesMode.NONE)
  void shardShouldFollowTheRulesInEveryHistory(
      @ForAll("items") List<ItemPlan> plans, @ForAll("steps") List<Step> steps) {
    try (TestShard shard = TestShard.open(TestRedis.shared())) {
      History history = new History(shard, plans);
      for (Step step : steps) {
        history.run(step);
        history.check();
      }
    }
  }

  /** A shard and its model, side by side. */
  private static final class History {
    private final TestShard shard;
    private final PurchaseModel model;
    private final List<ItemDefinition> definitions = new ArrayList<>();

    History(TestShard shard, List<ItemPlan> plans) {
      this.shard = shard;
      this.model = new PurchaseModel(shard.epoch(), 0);
      for (ItemPlan plan : plans) {
        ItemDefinition definition = shard.define(plan.limit());
        shard.sell(definition, plan.stock());
        definitions.add(definition);
        model.add(definition.id(), new PurchaseModel.Item(plan.limit(), plan.stock()));
      }
    }

    void run(Step step) {
      if (step instanceof Buy buy) {
        buy(buy);
      } else if (step instanceof Release release) {
        release(release.win());
      } else if (step instanceof Restock restock) {
        ItemDefinition definition = definition(restock.item());
        PurchaseModel.Item item = model.items().get(definition.id());
        model.restock(item, restock.units());
        assertThat(shard.move(definition.id(), item.move, restock.units()).status())
            .isEqualTo(StepResult.Status.OK);
      } else if (step instanceof Change change) {
        ItemDefinition definition = definition(change.item());
        PurchaseModel.Item item = model.items().get(definition.id());
        if (item.state != ItemState.ENDED) {
          model.change(item, change.state());
          assertThat(shard.put(definition, item.generation, change.state()).status())
              .isEqualTo(StepResult.Status.OK);
        }
      }
    }

    private ItemDefinition definition(int number) {
      return definitions.get(number % definitions.size());
    }

    private void buy(Buy buy) {
      List<Purchase> purchases = new ArrayList<>();
      for (BuyPlan plan : buy.purchases()) {
        Map<ItemId, Integer> lines = new HashMap<>();
        plan.lines().forEach((item, units) -> lines.put(definition(item).id(), units));
        String user = USERS.get(plan.user() % USERS.size());
        String key = plan.key() == 0 ? null : "key-" + plan.key();
        purchases.add(TestShard.basket(user, key, lines));
      }
      int from = 0;
      for (int i = 0; from < purchases.size(); i++) {
        int size = buy.batches().get(i % buy.batches().size());
        int to = Math.min(purchases.size(), from + size);
        List<Purchase> batch = purchases.subList(from, to);
        List<Decision> expected = batch.stream().map(model::decide).toList();
        assertThat(shard.call(shard.fence(), NO_LIMITS, batch.toArray(Purchase[]::new)))
            .isEqualTo(new Decided(expected));
        from = to;
      }
    }

    private void release(int number) {
      if (!model.wins().isEmpty()) {
        PurchaseModel.Win win = model.wins().get(number % model.wins().size());
        assertThat(
                shard.release(win.user(), win.entry(), win.items().toArray(ItemId[]::new)).status())
            .isEqualTo(model.release(win));
      }
    }

    void check() {
      assertThat(shard.seq()).isEqualTo(model.seq());
      List<LogEntry> log = shard.log();
      model.items().forEach((id, item) -> check(id, item, log));
    }

    private void check(ItemId id, PurchaseModel.Item item, List<LogEntry> log) {
      assertThat(shard.stock(id)).isEqualTo(Long.toString(item.stock));
      ReadItems.ShardItem read = shard.read(id);
      assertThat(read.granted()).isEqualTo(item.granted);
      long held = 0;
      for (String user : USERS) {
        String receipt = shard.receipt(id, user);
        assertThat(receipt).isEqualTo(item.receipts.containsKey(user) ? item.receipt(user) : null);
        int units = receipt == null ? 0 : Integer.parseInt(receipt.split(";", -1)[0]);
        assertThat(units).as("I2: units that %s holds", user).isLessThanOrEqualTo(item.limit);
        held += units;
      }
      assertThat(held + item.stock).as("I1: left and held of %s", id).isEqualTo(read.granted());
      assertThat(stockByLog(id, log)).as("the log tells the stock").isEqualTo(item.stock);
    }

    private static long stockByLog(ItemId id, List<LogEntry> log) {
      long stock = 0;
      for (LogEntry entry : log) {
        if (entry instanceof LogEntry.Win win) {
          stock -=
              win.lines().stream()
                  .filter(line -> line.item().equals(id))
                  .mapToLong(LogEntry.WinLine::quantity)
                  .sum();
        } else if (entry instanceof LogEntry.Release release) {
          stock +=
              release.lines().stream()
                  .filter(line -> line.item().equals(id) && line.toStock())
                  .mapToLong(LogEntry.ReleasedLine::units)
                  .sum();
        } else if (entry instanceof LogEntry.UnitsIn in && in.item().equals(id)) {
          stock += in.units();
        }
      }
      return stock;
    }
  }
}
