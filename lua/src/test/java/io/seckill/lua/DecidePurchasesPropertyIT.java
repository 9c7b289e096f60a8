package io.seckill.lua;

import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemState;
import io.seckill.common.item.Move;
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
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;

/**
 * Random histories of one shard on a real Redis against {@link ShardModel}. {@code -Drounds=N} sets
 * the tries; jqwik prints the seed of a failure, and takes it as {@code @Property(seed)}.
 */
class DecidePurchasesPropertyIT {

  private static final List<String> USERS = List.of("ann", "bob", "cleo", "dan", "eve");
  private static final int MAX_ITEMS = 3;

  /**
   * An item.
   *
   * @param limit units a user may hold
   * @param stock units at first
   * @param group number of its group; 0 for none
   */
  record ItemPlan(int limit, int stock, int group) {}

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

  /** Somebody wants to wait; at most so many may. */
  record Join(int user, int item, int maxWaiters) implements Step {}

  /** Somebody waits no longer. */
  record Leave(int user, int item) implements Step {}

  /** Units in stock go to waiters. */
  record Promote(int item, int most) implements Step {}

  /** Lets units in. */
  record Restock(int item, int units) implements Step {}

  /** Pauses, resumes or ends an item. */
  record Change(int item, ItemState state) implements Step {}

  /** Stops all sales or lets them go on. */
  record Switch(boolean stopped) implements Step {}

  @Provide
  Arbitrary<List<ItemPlan>> items() {
    return Combinators.combine(
            Arbitraries.integers().between(1, 3),
            Arbitraries.of(0, 0, 1, 1, 2, 3, 6),
            Arbitraries.of(0, 1, 1, 2))
        .as(ItemPlan::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(MAX_ITEMS);
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Integer> any =
        Arbitraries.integers().between(0, 99).withDistribution(RandomDistribution.uniform());
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
                    Tuple.of(9, ItemState.OPEN),
                    Tuple.of(3, ItemState.PAUSED),
                    Tuple.of(1, ItemState.ENDED)))
            .as(Change::new);
    return Arbitraries.frequencyOf(
            Tuple.of(6, buy),
            Tuple.of(3, any.map(Release::new)),
            Tuple.of(2, Combinators.combine(any, few).as(Restock::new)),
            Tuple.of(6, Combinators.combine(any, any, Arbitraries.of(2, 5, 5, 5)).as(Join::new)),
            Tuple.of(1, Combinators.combine(any, any).as(Leave::new)),
            Tuple.of(1, Combinators.combine(any, few).as(Promote::new)),
            Tuple.of(1, change),
            Tuple.of(1, Arbitraries.of(true, false, false, false).map(Switch::new)))
        .list()
        .ofMinSize(1)
        .ofMaxSize(40)
        .withSizeDistribution(RandomDistribution.uniform());
  }

  /** Histories are all edges already, so jqwik's own edge cases would only take tries away. */
  @Property(edgeCases = EdgeCasesMode.NONE)
  void shardShouldFollowTheRulesInEveryHistory(
      @ForAll("items") List<ItemPlan> plans, @ForAll("steps") List<Step> steps) {
    try (TestShard shard = TestShard.open(TestRedis.shared())) {
      History history = new History(shard, plans);
      for (Step step : steps) {
        history.run(step);
        history.shard.check();
      }
    }
  }

  /** A shard and what the steps do to it. */
  private static final class History {
    private final ModelledShard shard;
    private final List<ItemDefinition> definitions = new ArrayList<>();
    private long salesGeneration;

    History(TestShard fresh, List<ItemPlan> plans) {
      shard = new ModelledShard(fresh);
      for (ItemPlan plan : plans) {
        ItemDefinition definition = fresh.define(plan.limit(), plan.group());
        shard.sell(definition, plan.stock());
        definitions.add(definition);
      }
    }

    void run(Step step) {
      if (step instanceof Buy buy) {
        buy(buy);
      } else if (step instanceof Release release) {
        List<ShardModel.Win> wins = shard.model.wins();
        if (!wins.isEmpty()) {
          shard.release(wins.get(release.win() % wins.size()));
        }
      } else if (step instanceof Join join) {
        shard.join(user(join.user()), definition(join.item()).id(), join.maxWaiters());
      } else if (step instanceof Leave leave) {
        shard.leave(user(leave.user()), definition(leave.item()).id());
      } else if (step instanceof Promote promote) {
        shard.promote(definition(promote.item()).id(), promote.most());
      } else if (step instanceof Restock restock) {
        ShardModel.Item item = item(restock.item());
        shard.move(
            new Move(item.definition.id(), 0, item.move + 1, Move.Kind.RESTOCK, restock.units()));
      } else if (step instanceof Change change) {
        ShardModel.Item item = item(change.item());
        if (item.state != ItemState.ENDED) {
          shard.put(item.definition, item.generation + 1, change.state());
        }
      } else if (step instanceof Switch change) {
        shard.switchSales(change.stopped(), ++salesGeneration);
      }
    }

    private static String user(int number) {
      return USERS.get(number % USERS.size());
    }

    private ItemDefinition definition(int number) {
      return definitions.get(number % definitions.size());
    }

    private ShardModel.Item item(int number) {
      return shard.model.items().get(definition(number).id());
    }

    private void buy(Buy buy) {
      List<Purchase> purchases = new ArrayList<>();
      for (BuyPlan plan : buy.purchases()) {
        Map<ItemId, Integer> lines = new HashMap<>();
        plan.lines().forEach((item, units) -> lines.put(definition(item).id(), units));
        String user = user(plan.user());
        String key = plan.key() == 0 ? null : "key-" + plan.key();
        purchases.add(TestShard.basket(user, key, lines));
      }
      int from = 0;
      for (int i = 0; from < purchases.size(); i++) {
        int size = buy.batches().get(i % buy.batches().size());
        int to = Math.min(purchases.size(), from + size);
        shard.decide(purchases.subList(from, to));
        from = to;
      }
    }
  }
}
