package io.seckill.launcher.bench;

import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.id.UserShards;
import io.seckill.common.order.PurchaseLine;
import io.seckill.launcher.load.LoadOptions;
import io.seckill.lua.RedisKeys;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * What it costs to move units between shards. One crowd, of which half belongs to a quarter of the
 * shards, buys the same number of units twice in each round: of an item of which every shard has
 * enough for all of it, and of an item that has only those units, split evenly, so that they have
 * to be moved to where the buyers are, to the last one. What the second takes longer is what moving
 * costs.
 */
final class Rebalance {

  private static final int SHARDS = EngineBenchOptions.REBALANCE_SHARDS;
  private static final int MAX_ROUNDS = 3;

  /** The warm-up is one round with so much less. */
  private static final int WARM_UP_PART = 4;

  private static final Duration SALE_BOUND = Duration.ofSeconds(20);
  private static final Duration STORED_BOUND = Duration.ofMinutes(4);

  /** Of the crowd that does not belong to the hot quarter, one in so many comes. */
  private static final int COLD_ONE_IN = 3;

  /** Buyers for each unit: whoever is told to come again later is not asked twice. */
  private static final int BUYERS_PER_UNIT = 2;

  private final EngineBenchOptions options;
  private final BenchSite site;
  private final EngineLoad load;
  private final SaleBook book = new SaleBook();
  private final List<Double> withMoves = new ArrayList<>();
  private final List<Double> withoutMoves = new ArrayList<>();
  private long moved;
  private boolean complete = true;
  private int names;

  /** On a site of {@value EngineBenchOptions#REBALANCE_SHARDS} shards. */
  Rebalance(EngineBenchOptions options, BenchSite site) {
    this.options = options;
    this.site = site;
    this.load = new EngineLoad(site.vertx(), LoadOptions.lanes());
  }

  /** Measures all rounds; stops when a sale did not sell its last unit in time. */
  void run() {
    site.hold();
    int units = options.rebalanceUnits();
    int few = Math.max(1, units / WARM_UP_PART);
    sell(few, (long) few * SHARDS);
    sell(few, few);
    for (int round = 0; round < Math.min(MAX_ROUNDS, options.size().rounds()); round++) {
      double without = sell(units, (long) units * SHARDS);
      double with = sell(units, units);
      if (!complete) {
        return;
      }
      withoutMoves.add(units / without);
      withMoves.add(units / with);
    }
  }

  /** Seconds to the last unit; 0 when it was not sold. */
  private double sell(int units, long stock) {
    String[] crowd = crowd(units * BUYERS_PER_UNIT, "r" + names++ + "-");
    ItemId item = site.open("Sale of " + stock, stock);
    book.open(item, stock);
    List<PurchaseLine> lines = Buyers.lines(item);
    Tally tally =
        load.run(
            n -> Buyers.purchase(crowd[(int) n], lines, n),
            options.inFlight(),
            Bounds.of(SALE_BOUND).atMost(crowd.length).untilWins(units));
    book.add(List.of(item), tally);
    if (stock == units) {
      moved += sent(item);
    }
    boolean sold = tally.accepted() >= units;
    complete &= sold;
    return sold ? tally.secondsToLastWin() : 0;
  }

  private static String[] crowd(int size, String names) {
    UserShards shards = new UserShards(SHARDS);
    String[] crowd = new String[size];
    long cold = 0;
    int found = 0;
    for (long n = 0; found < size; n++) {
      String user = names + n;
      if (shards.shardOf(new UserId(user)) < SHARDS / 4 || cold++ % COLD_ONE_IN == 0) {
        crowd[found++] = user;
      }
    }
    return crowd;
  }

  /** Units that the shards have sent to each other, as they count them. */
  private long sent(ItemId item) {
    RedisKeys[] keys = RedisKeys.forShards(SHARDS);
    return IntStream.range(0, SHARDS)
        .mapToObj(shard -> keys[shard].item(item))
        .filter(key -> site.redis().call("HEXISTS", key, "sent").equals("1"))
        .mapToLong(key -> Long.parseLong(site.redis().call("HGET", key, "sent")))
        .sum();
  }

  /** Stores what was won, and audits. */
  BenchVerdict judge(Consumer<String> progress) {
    site.release();
    return BenchVerdict.of(book, site.awaitStored(STORED_BOUND, progress));
  }

  /** What was measured. */
  Result result() {
    return new Result(
        options.rebalanceUnits(), new Comparison(withMoves, withoutMoves), moved, complete);
  }

  /**
   * What was measured.
   *
   * @param units of each sale
   * @param pace units a second with moves and without
   * @param moved units that were moved, in all sales
   * @param complete whether every sale sold its last unit in time
   */
  record Result(int units, Comparison pace, long moved, boolean complete) {

    /** Whether it tells what moving costs: every sale sold out, and something was moved. */
    boolean tells() {
      return complete && moved > 0 && pace.ratio() > 0;
    }

    /** Time with moves by time without. */
    double cost() {
      return 1 / pace.ratio();
    }

    JsonObject json() {
      return new JsonObject()
          .put("shards", SHARDS)
          .put("units", units)
          .put("unitsMoved", moved)
          .put("complete", complete)
          .put("withMovesPerSecond", Math.round(pace.perSecond()))
          .put("withoutMovesPerSecond", Math.round(pace.baselinePerSecond()))
          .put(
              "costs",
              new JsonArray(
                  IntStream.range(0, pace.ours().size())
                      .mapToObj(
                          i ->
                              Math.round(1_000 * pace.baseline().get(i) / pace.ours().get(i))
                                  / 1_000.0)
                      .toList()));
    }
  }
}
