package io.seckill.lua;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemState;
import io.seckill.common.item.Move;
import io.seckill.common.item.Split;
import io.seckill.lua.DecidePurchases.Decision;
import io.seckill.lua.DecidePurchases.Purchase;
import io.seckill.testkit.TestRedis;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.IntStream;
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
 * Random histories of 1 to 16 shards on a real Redis, each beside {@link ShardModel}, with a ledger
 * in plain Java that numbers moves and learns of sent units at once, later, or from the log. {@code
 * -Drounds=N} sets the tries; jqwik prints the seed of a failure, and takes it as
 * {@code @Property(seed)}.
 */
class ShardsPropertyIT {

  private static final int USERS = 20;
  private static final int MAX_ITEMS = 3;
  private static final int MAX_WAITERS = 100;

  /**
   * An item.
   *
   * @param limit units a user may hold
   * @param stock units at first, over all shards
   * @param group number of its group; 0 for none
   */
  record ItemPlan(int limit, int stock, int group) {}

  /** A step of a history; numbers are taken modulo what there is. */
  sealed interface Step {}

  /** Purchases of many users; each shard gets its users' as one batch. */
  record Buy(List<BuyPlan> purchases) implements Step {}

  /**
   * One purchase.
   *
   * @param key 0 for none
   * @param lines item → quantity
   */
  record BuyPlan(int user, int key, Map<Integer, Integer> lines) {}

  /** Gives a win back. */
  record Release(int win) implements Step {}

  /** Somebody wants to wait in his shard. */
  record Join(int user, int item) implements Step {}

  /** Somebody waits no longer. */
  record Leave(int user, int item) implements Step {}

  /** Where a transfer comes to rest. */
  enum Fate {
    /** It arrives. */
    ARRIVES,
    /** It arrives, and every step is made twice. */
    TWICE,
    /** The planner dies after sending: only the log knows. */
    NOT_STORED,
    /** The planner dies after the ledger has made the move. */
    NOT_APPLIED,
    /** The planner's reading is older than another transfer. */
    STALE_PLAN
  }

  /** Moves units between shards. */
  record Transfer(int item, int from, int to, int units, Fate fate) implements Step {}

  /** The consumer stores what the logs hold: transfers that were not become moves. */
  record Store() implements Step {}

  /** A shard is brought to what the ledger says of an item. */
  record Reconcile(int item, int shard) implements Step {}

  /** Somebody sends a move that is not the next. */
  record WrongMove(int item, int shard, boolean isOld) implements Step {}

  /** The ledger adds or takes units, split over the shards; they hear of it when reconciled. */
  record Restock(int item, int units, boolean out) implements Step {}

  /** The ledger changes an item's state; some shards hear of it at once. */
  record Change(int item, ItemState state, int shards) implements Step {}

  /** All sales stop or go on; some shards hear of it at once. */
  record Switch(boolean stopped, int shards) implements Step {}

  @Provide
  Arbitrary<List<ItemPlan>> items() {
    return Combinators.combine(
            Arbitraries.integers().between(1, 3),
            Arbitraries.of(0, 1, 3, 10, 40),
            Arbitraries.integers().between(0, 2))
        .as(ItemPlan::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(MAX_ITEMS);
  }

  @Provide
  Arbitrary<Integer> shards() {
    return Arbitraries.of(1, 2, 3, 4, 8, 16);
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Integer> any =
        Arbitraries.integers().between(0, 999).withDistribution(RandomDistribution.uniform());
    Arbitrary<Integer> few = Arbitraries.integers().between(1, 3);
    Arbitrary<BuyPlan> purchase =
        Combinators.combine(
                any,
                Arbitraries.integers().between(0, 3),
                Arbitraries.maps(Arbitraries.integers().between(0, MAX_ITEMS - 1), few)
                    .ofMinSize(1)
                    .ofMaxSize(MAX_ITEMS))
            .as(BuyPlan::new);
    Arbitrary<Step> change =
        Combinators.combine(
                any,
                Arbitraries.frequency(
                    Tuple.of(6, ItemState.OPEN),
                    Tuple.of(3, ItemState.PAUSED),
                    Tuple.of(1, ItemState.ENDED)),
                any)
            .as(Change::new);
    Arbitrary<Step> transfer =
        Combinators.combine(
                any,
                any,
                any,
                Arbitraries.integers().between(1, 6),
                Arbitraries.frequency(
                    Tuple.of(3, Fate.ARRIVES),
                    Tuple.of(1, Fate.TWICE),
                    Tuple.of(1, Fate.NOT_STORED),
                    Tuple.of(1, Fate.NOT_APPLIED),
                    Tuple.of(1, Fate.STALE_PLAN)))
            .as(Transfer::new);
    Arbitrary<Boolean> coin = Arbitraries.of(true, false);
    return Arbitraries.frequencyOf(
            Tuple.of(8, purchase.list().ofMinSize(1).ofMaxSize(12).map(Buy::new)),
            Tuple.of(8, transfer),
            Tuple.of(3, any.map(Release::new)),
            Tuple.of(6, Combinators.combine(any, any).as(Join::new)),
            Tuple.of(1, Combinators.combine(any, any).as(Leave::new)),
            Tuple.of(2, Combinators.combine(any, any).as(Reconcile::new)),
            Tuple.of(1, Combinators.combine(any, any, coin).as(WrongMove::new)),
            Tuple.of(2, Combinators.combine(any, few, coin).as(Restock::new)),
            Tuple.of(1, Arbitraries.just(new Store())),
            Tuple.of(1, change),
            Tuple.of(
                1, Combinators.combine(Arbitraries.of(true, false, false), any).as(Switch::new)))
        .list()
        .ofMinSize(1)
        .ofMaxSize(40)
        .withSizeDistribution(RandomDistribution.uniform());
  }

  /** Histories are all edges already, so jqwik's own edge cases would only take tries away. */
  @Property(edgeCases = EdgeCasesMode.NONE)
  void shardsShouldKeepEveryUnitInEveryHistory(
      @ForAll("shards") int shardCount,
      @ForAll("items") List<ItemPlan> plans,
      @ForAll("steps") List<Step> steps) {
    try (TestShard first = TestShard.open(TestRedis.shared())) {
      History history = new History(first, shardCount, plans);
      for (Step step : steps) {
        history.run(step);
        history.check();
      }
      history.settle();
      history.sellOut();
    }
  }

  /** What the ledger knows of an item. */
  private static final class LedgerItem {
    final ItemDefinition definition;
    final List<List<Move>> movesOfShard = new ArrayList<>();
    long generation = 2;
    ItemState state = ItemState.OPEN;

    LedgerItem(ItemDefinition definition, int shardCount) {
      this.definition = definition;
      for (int shard = 0; shard < shardCount; shard++) {
        movesOfShard.add(new ArrayList<>());
      }
    }

    Move add(int shard, Move.Kind kind, long units) {
      List<Move> moves = movesOfShard.get(shard);
      Move move = new Move(definition.id(), shard, moves.size() + 1L, kind, units);
      moves.add(move);
      return move;
    }
  }

  /** Units that were sent, of which the ledger has not heard. */
  private record Unstored(LedgerItem item, SendUnits.Sent sent, int toShard) {}

  private static final class History {
    private final List<ModelledShard> shards = new ArrayList<>();
    private final List<LedgerItem> items = new ArrayList<>();
    private final List<Unstored> unstored = new ArrayList<>();
    private final List<ModelledShard> touched = new ArrayList<>();
    private long salesGeneration;
    private boolean stopped;
    private int lateBuyers;

    History(TestShard first, int shardCount, List<ItemPlan> plans) {
      shards.add(new ModelledShard(first));
      for (int shard = 1; shard < shardCount; shard++) {
        shards.add(new ModelledShard(first.openAnother()));
      }
      for (ItemPlan plan : plans) {
        LedgerItem item = new LedgerItem(first.define(plan.limit(), plan.group()), shardCount);
        items.add(item);
        long[] parts = Split.evenly(plan.stock(), shardCount, 0);
        for (int shard = 0; shard < shardCount; shard++) {
          item.add(shard, Move.Kind.PREHEAT, parts[shard]);
          shards.get(shard).sell(item.definition, parts[shard]);
        }
      }
    }

    private LedgerItem item(int number) {
      return items.get(number % items.size());
    }

    private ModelledShard touch(int shard) {
      touched.add(shards.get(shard));
      return shards.get(shard);
    }

    void run(Step step) {
      if (step instanceof Buy buy) {
        buy(buy);
      } else if (step instanceof Release release) {
        release(release.win());
      } else if (step instanceof Join join) {
        int user = join.user() % USERS;
        touch(user % shards.size())
            .join("user-" + user, item(join.item()).definition.id(), MAX_WAITERS);
      } else if (step instanceof Leave leave) {
        int user = leave.user() % USERS;
        touch(user % shards.size()).leave("user-" + user, item(leave.item()).definition.id());
      } else if (step instanceof Transfer transfer) {
        transfer(transfer);
      } else if (step instanceof Store) {
        store();
      } else if (step instanceof Reconcile one) {
        reconcile(item(one.item()), one.shard() % shards.size());
      } else if (step instanceof WrongMove wrong) {
        sendWrong(item(wrong.item()), wrong.shard() % shards.size(), wrong.isOld());
      } else if (step instanceof Restock restock) {
        Move.Kind kind = restock.out() ? Move.Kind.WITHDRAW : Move.Kind.RESTOCK;
        long[] parts = Split.evenly(restock.units(), shards.size(), restock.item());
        for (int shard = 0; shard < shards.size(); shard++) {
          item(restock.item()).add(shard, kind, parts[shard]);
        }
      } else if (step instanceof Change change) {
        change(item(change.item()), change.state(), change.shards());
      } else if (step instanceof Switch change) {
        stopped = change.stopped();
        salesGeneration++;
        for (int shard = 0; shard < shards.size(); shard++) {
          if (isNamed(shard, change.shards())) {
            touch(shard).switchSales(stopped, salesGeneration);
          }
        }
      }
    }

    /** Which shards a number names: about half of them. */
    private static boolean isNamed(int shard, int shardsNamed) {
      return (shardsNamed >> (shard % 8) & 1) == 1;
    }

    private void buy(Buy buy) {
      Map<Integer, List<Purchase>> batches = new LinkedHashMap<>();
      for (BuyPlan plan : buy.purchases()) {
        Map<ItemId, Integer> lines = new HashMap<>();
        plan.lines().forEach((item, units) -> lines.put(item(item).definition.id(), units));
        int user = plan.user() % USERS;
        String key = plan.key() == 0 ? null : "key-" + plan.key();
        batches
            .computeIfAbsent(user % shards.size(), shard -> new ArrayList<>())
            .add(TestShard.basket("user-" + user, key, lines));
      }
      batches.forEach((shard, batch) -> touch(shard).decide(batch));
    }

    private void release(int number) {
      List<ModelledShard> withWins =
          shards.stream().filter(shard -> !shard.model.wins().isEmpty()).toList();
      if (!withWins.isEmpty()) {
        ModelledShard shard = withWins.get(number % withWins.size());
        touched.add(shard);
        shard.release(shard.model.wins().get(number % shard.model.wins().size()));
      }
    }

    private void transfer(Transfer plan) {
      LedgerItem item = item(plan.item());
      int from = plan.from() % shards.size();
      int to = plan.to() % shards.size();
      if (from == to) {
        return;
      }
      ItemId id = item.definition.id();
      long sentBefore = shards.get(from).model.items().get(id).sent;
      boolean stale = plan.fate() == Fate.STALE_PLAN;
      OptionalLong seen = OptionalLong.of(stale ? sentBefore - 1 : sentBefore);
      SendUnits.Result result = touch(from).send(id, plan.units(), to, seen);
      if (!(result instanceof SendUnits.Sent sent)) {
        return;
      }
      assertThat(stale).as("a stale plan moves nothing").isFalse();
      if (plan.fate() == Fate.TWICE) {
        // Who did not get the reply plans again from what he saw before.
        assertThat(touch(from).send(id, plan.units(), to, seen))
            .isEqualTo(new SendUnits.NotSent(SendUnits.Reason.MOVED_ON));
      }
      if (plan.fate() == Fate.NOT_STORED) {
        unstored.add(new Unstored(item, sent, to));
        return;
      }
      item.add(to, Move.Kind.TRANSFER, sent.units());
      if (plan.fate() != Fate.NOT_APPLIED) {
        reconcile(item, to);
      }
    }

    private void store() {
      for (Unstored one : unstored) {
        one.item.add(one.toShard, Move.Kind.TRANSFER, one.sent.units());
      }
      unstored.clear();
    }

    /** Everything is sent twice, as engines that do not know of each other do. */
    private void reconcile(LedgerItem item, int number) {
      ModelledShard shard = touch(number);
      for (Move move : item.movesOfShard.get(number)) {
        shard.move(move);
        assertThat(shard.move(move)).isEqualTo(StepResult.Status.ALREADY);
      }
      shard.put(item.definition, item.generation, item.state);
      if (salesGeneration > 0) {
        shard.switchSales(stopped, salesGeneration);
      }
    }

    private void sendWrong(LedgerItem item, int shard, boolean isOld) {
      long last = shards.get(shard).model.items().get(item.definition.id()).move;
      Move wrong =
          new Move(
              item.definition.id(), shard, isOld ? last : last + 2, Move.Kind.RESTOCK, 1_000_000);
      assertThat(touch(shard).move(wrong))
          .isEqualTo(isOld ? StepResult.Status.ALREADY : StepResult.Status.GAP);
    }

    private void change(LedgerItem item, ItemState state, int shardsNamed) {
      if (item.state == ItemState.ENDED) {
        return;
      }
      item.generation++;
      item.state = state;
      for (int shard = 0; shard < shards.size(); shard++) {
        if (isNamed(shard, shardsNamed)) {
          touch(shard).put(item.definition, item.generation, state);
        }
      }
    }

    // After each step

    void check() {
      touched.stream().distinct().forEach(ModelledShard::check);
      touched.clear();
      items.forEach(this::checkUnits);
    }

    /** The models are what the shards are, which {@link ModelledShard#check} has shown. */
    private void checkUnits(LedgerItem item) {
      ItemId id = item.definition.id();
      long granted = 0;
      long leftAndHeld = 0;
      long between = 0;
      long inFlight =
          unstored.stream()
              .filter(one -> one.item == item)
              .mapToLong(one -> one.sent.units())
              .sum();
      for (int shard = 0; shard < shards.size(); shard++) {
        ShardModel.Item there = shards.get(shard).model.items().get(id);
        granted += there.granted;
        leftAndHeld += there.stock + there.held();
        between += there.sent - there.received;
        inFlight +=
            item.movesOfShard.get(shard).stream()
                .filter(move -> move.kind() == Move.Kind.TRANSFER && move.number() > there.move)
                .mapToLong(Move::units)
                .sum();
      }
      assertThat(between).as("units in flight of %s", id).isEqualTo(inFlight);
      assertThat(leftAndHeld + inFlight).as("I1: units of %s", id).isEqualTo(granted);
    }

    // At the end

    /** Every fault is over: the ledger's rows are enough to bring each unit home. */
    void settle() {
      store();
      stopped = false;
      salesGeneration++;
      for (LedgerItem item : items) {
        change(item, ItemState.OPEN, 0);
        for (int shard = 0; shard < shards.size(); shard++) {
          reconcile(item, shard);
        }
      }
      check();
      for (LedgerItem item : items) {
        long between = 0;
        for (ModelledShard shard : shards) {
          ShardModel.Item there = shard.model.items().get(item.definition.id());
          between += there.sent - there.received;
        }
        assertThat(between).as("units on their way after everything").isZero();
      }
    }

    /**
     * I4: those who wait get units wherever the units are, the oldest over all shards first; then a
     * crowd in one shard gets every unit that is left.
     */
    void sellOut() {
      for (LedgerItem item : items) {
        letEverybodyIn(item);
        while (item.state == ItemState.OPEN && richest(item).stock > 0) {
          Purchase one = TestShard.buy("late-" + lateBuyers, null, item.definition.id(), 1);
          Decision decision = touch(0).decide(List.of(one)).get(0);
          if (decision.status() == PurchaseStatus.DRY) {
            int from = shardOf(item, richest(item));
            run(new Transfer(items.indexOf(item), from, 0, 1 + from % 3, Fate.ARRIVES));
          } else {
            assertThat(decision.status()).isEqualTo(PurchaseStatus.WIN);
            lateBuyers++;
          }
        }
      }
      check();
    }

    private void letEverybodyIn(LedgerItem item) {
      ItemId id = item.definition.id();
      while (item.state == ItemState.OPEN && richest(item).stock > 0) {
        long first = Long.MAX_VALUE;
        int oldest = -1;
        for (int shard = 0; shard < shards.size(); shard++) {
          long score = shards.get(shard).shard.read(id).oldest().orElse(Long.MAX_VALUE);
          oldest = score < first ? shard : oldest;
          first = Math.min(score, first);
        }
        if (oldest < 0) {
          return;
        }
        if (shards.get(oldest).model.items().get(id).stock == 0) {
          int from = shardOf(item, richest(item));
          run(new Transfer(items.indexOf(item), from, oldest, 1, Fate.ARRIVES));
        } else {
          touch(oldest).promote(id, 3);
        }
      }
    }

    private ShardModel.Item richest(LedgerItem item) {
      return shards.stream()
          .map(shard -> shard.model.items().get(item.definition.id()))
          .max(Comparator.comparingLong(there -> there.stock))
          .orElseThrow();
    }

    private int shardOf(LedgerItem item, ShardModel.Item there) {
      return IntStream.range(0, shards.size())
          .filter(i -> shards.get(i).model.items().get(item.definition.id()) == there)
          .findFirst()
          .orElseThrow();
    }
  }
}
