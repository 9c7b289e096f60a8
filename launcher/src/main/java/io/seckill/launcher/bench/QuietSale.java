package io.seckill.launcher.bench;

import io.seckill.common.bus.PurchaseRequest;
import io.seckill.common.id.ItemId;
import io.seckill.launcher.Waiting;
import io.seckill.launcher.load.Latencies;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/**
 * How long a purchase of a quiet sale takes while another sale of the same shard is under full
 * load: its buyers come at a fixed pace, and their latency counts from the moment when each was
 * due. Three cases in turn:
 *
 * <ul>
 *   <li>alone: nobody else buys;
 *   <li>beside a busy mix: as many purchases of {@value #MIX} other items are under way as the
 *       engine's calls hold, so Redis is as busy as it gets and nobody has to queue for long;
 *   <li>beside a hot sale: {@value #CROWDED} times as many are under way, all of one item, so its
 *       queue is as long as a rush makes it.
 * </ul>
 *
 * <p>The last two ask the same of Redis, so what is between them is the hot sale's queue: that is
 * what fair batches keep away from the quiet sale.
 */
final class QuietSale {

  private static final int MIX = 8;
  private static final int CROWDED = 16;
  private static final int PER_SECOND = 1_000;
  private static final int MAX_ROUNDS = 3;
  private static final long STOCK = 1_000_000;

  /** Wins are stored and audited later, so the hot sale is short. */
  private static final Duration LONGEST = Duration.ofMillis(500);

  private static final Duration ROOM = Duration.ofMillis(100);

  private final DurabilityRun run;
  private final EngineLoad quietLoad;
  private final int rounds;
  private final Duration each;
  private final int busyInFlight;
  private final ItemId quiet;
  private final ItemId hot;
  private final List<ItemId> mix = new ArrayList<>();
  private final Tally alone = new Tally();
  private final Tally besideMix = new Tally();
  private final Tally besideHot = new Tally();

  /**
   * Opens the items. Orders are being held back already.
   *
   * @param busyInFlight purchases that the engine's calls hold at a time
   */
  QuietSale(DurabilityRun run, EngineBenchOptions.Size size, int busyInFlight) {
    this.run = run;
    this.quietLoad = new EngineLoad(run.site().vertx(), 1);
    this.rounds = Math.min(MAX_ROUNDS, size.rounds());
    this.each = size.each().compareTo(LONGEST) < 0 ? size.each() : LONGEST;
    this.busyInFlight = busyInFlight;
    this.quiet = run.open("Quiet", STOCK);
    this.hot = run.open("Hot", STOCK);
    for (int i = 0; i < MIX; i++) {
      mix.add(run.open("Mix " + i, STOCK));
    }
  }

  /** Measures all rounds. */
  Result run() {
    for (int round = 0; round < rounds; round++) {
      alone.add(quiet());
      besideMix.add(beside(mix, busyInFlight));
      besideHot.add(beside(List.of(hot), busyInFlight * CROWDED));
    }
    return new Result(alone.latencies(), besideMix.latencies(), besideHot.latencies());
  }

  private Tally beside(List<ItemId> others, int inFlight) {
    LongFunction<PurchaseRequest> crowd = Buyers.of(others, run.name());
    Bounds bounds = Bounds.of(each.plus(ROOM));
    Future<Tally> load = run.load().start(crowd, inFlight, bounds);
    Tally measured = quiet();
    run.book().add(others, Waiting.forResult(load, bounds.waiting(), "the other sale"));
    return measured;
  }

  private Tally quiet() {
    Bounds bounds = Bounds.of(each);
    Tally tally =
        Waiting.forResult(
            quietLoad.startPaced(Buyers.of(quiet, run.name()), PER_SECOND, bounds),
            bounds.waiting(),
            "the quiet sale");
    run.book().add(List.of(quiet), tally);
    return tally;
  }

  /**
   * What was measured.
   *
   * @param alone latencies while nobody else buys
   * @param besideMix while Redis is busy with other sales
   * @param besideHot while it is as busy with one crowded sale
   */
  record Result(Latencies alone, Latencies besideMix, Latencies besideHot) {

    /** How much longer the 99th of 100 takes because the other sale is crowded. */
    double p99Ratio() {
      return besideMix.p99() > 0 ? besideHot.p99() / besideMix.p99() : 0;
    }

    /** The same compared with an idle shard. */
    double p99RatioToAlone() {
      return alone.p99() > 0 ? besideHot.p99() / alone.p99() : 0;
    }

    JsonObject json() {
      return new JsonObject()
          .put("aloneMs", alone.json())
          .put("besideMixMs", besideMix.json())
          .put("besideHotMs", besideHot.json())
          .put("p99Ratio", Math.round(p99Ratio() * 1_000) / 1_000.0)
          .put("p99RatioToAlone", Math.round(p99RatioToAlone() * 1_000) / 1_000.0);
    }
  }
}
