package io.seckill.engine;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.seckill.common.bus.Backlog;
import io.seckill.lua.PurchaseStatus;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** The engine's meters, made once. Safe for use from all threads. */
final class EngineMetrics {

  private final Map<PurchaseStatus, Counter> decisions = new EnumMap<>(PurchaseStatus.class);
  private final Map<Overflow, Counter> overflow = new EnumMap<>(Overflow.class);
  private final Counter expired;
  private final Counter unknown;
  private final Counter riders;
  private final Counter fenced;
  private final Counter opened;
  private final DistributionSummary batch;
  private final Timer call;
  private final AtomicInteger queued = new AtomicInteger();
  private final AtomicInteger openShards = new AtomicInteger();
  private final AtomicInteger soldOutItems = new AtomicInteger();
  private final AtomicLong boardAtMs = new AtomicLong();
  private final AtomicInteger dryWaiting = new AtomicInteger();
  private final AtomicLong travelling = new AtomicLong();
  private final AtomicReference<Backlog> backlog = new AtomicReference<>(Backlog.NONE);
  private final AtomicLong soldOutSinceNanos = new AtomicLong(System.nanoTime());
  private final Map<Transfers.Cause, Counter> transfers = new EnumMap<>(Transfers.Cause.class);
  private final Map<Transfers.Cause, Counter> transferred = new EnumMap<>(Transfers.Cause.class);
  private final AtomicLong waiters = new AtomicLong();
  private final Map<Waitlist.Event, Counter> waitlist = new EnumMap<>(Waitlist.Event.class);
  private final Map<Releaser.Result, Counter> releases = new EnumMap<>(Releaser.Result.class);

  /** Of what a batcher had too many waiting when it refused a purchase. */
  enum Overflow {
    /** Of all together. */
    QUEUE,
    /** Of one hot item. */
    ITEM,
    /** Of one hot user. */
    USER
  }

  /**
   * Makes them.
   *
   * @param filterUsers users in the receipt filters
   */
  EngineMetrics(MeterRegistry registry, Supplier<Number> filterUsers) {
    for (PurchaseStatus status : PurchaseStatus.values()) {
      decisions.put(
          status,
          Counter.builder("seckill.engine.decisions")
              .description("Decisions of the purchase script, by status")
              .tag("status", status.name())
              .register(registry));
    }
    for (Overflow cause : Overflow.values()) {
      overflow.put(
          cause,
          Counter.builder("seckill.engine.queue.refused")
              .description("Purchases refused by a batcher, by what had too many waiting")
              .tag("cause", cause.name())
              .register(registry));
    }
    expired =
        counter(
            registry,
            "seckill.engine.expired",
            "Purchases whose deadline passed before they were sent");
    unknown = counter(registry, "seckill.engine.unknown", "Purchases whose outcome is unknown");
    riders =
        counter(
            registry,
            "seckill.engine.riders",
            "Purchases answered with the decision of another one like it, without asking Redis");
    Gauge.builder("seckill.engine.filter.users", filterUsers)
        .description("Users in the filters of those who may have a receipt of a sold out item")
        .register(registry);
    fenced = counter(registry, "seckill.engine.fenced", "Script calls refused by the fence");
    opened = counter(registry, "seckill.engine.shard.openings", "Shards opened by this node");
    batch =
        DistributionSummary.builder("seckill.engine.batch.size")
            .description("Purchases in one script call")
            .publishPercentiles(0.5, 0.99)
            .register(registry);
    call =
        Timer.builder("seckill.engine.call")
            .description("Time of one purchase script call")
            .publishPercentiles(0.5, 0.99)
            .register(registry);
    gauge(registry, "seckill.engine.queue.depth", "Purchases waiting in batchers", queued);
    gauge(
        registry, "seckill.engine.shards.open", "Shards that this node may sell from", openShards);
    gauge(
        registry,
        "seckill.engine.items.soldout",
        "Items with nothing left for whoever does not wait",
        soldOutItems);
    for (Transfers.Cause cause : Transfers.Cause.values()) {
      transfers.put(
          cause,
          Counter.builder("seckill.engine.transfers")
              .description("Transfers between shards that arrived, by why they were made")
              .tag("cause", cause.name())
              .register(registry));
      transferred.put(
          cause,
          Counter.builder("seckill.engine.transfer.units")
              .description("Units that arrived in another shard, by why they were sent")
              .tag("cause", cause.name())
              .register(registry));
    }
    for (Waitlist.Event event : Waitlist.Event.values()) {
      waitlist.put(
          event,
          Counter.builder("seckill.engine.waitlist")
              .description("What happened to those who wait in line, or would have liked to")
              .tag("event", event.name())
              .register(registry));
    }
    Gauge.builder("seckill.engine.waiters", waiters, AtomicLong::get)
        .description("Buyers who wait in line, for all items together")
        .register(registry);
    for (Releaser.Result result : Releaser.Result.values()) {
      releases.put(
          result,
          Counter.builder("seckill.engine.releases")
              .description("Tries to give the units of a cancelled order back, by what came of it")
              .tag("result", result.name())
              .register(registry));
    }
    gauge(
        registry,
        "seckill.engine.dry.waiting",
        "Purchases that wait for units of other shards, or for a look at their item's group",
        dryWaiting);
    Gauge.builder(
            "seckill.engine.soldout.age",
            soldOutSinceNanos,
            since -> (System.nanoTime() - since.get()) / 1e9)
        .description("Time since an item became sold out, or was on sale again")
        .baseUnit("seconds")
        .register(registry);
    Gauge.builder("seckill.engine.units.travelling", travelling, AtomicLong::get)
        .description("Units on their way between shards")
        .register(registry);
    Gauge.builder("seckill.engine.log.drain.time", backlog, of -> of.get().drainMs() / 1_000.0)
        .description("Estimate of the time until what the region's logs hold is stored")
        .baseUnit("seconds")
        .register(registry);
    Gauge.builder("seckill.engine.log.fullness", backlog, of -> of.get().fullPerMille() / 1_000.0)
        .description("How full the fullest log is, as a part of engine.maxLogEntries")
        .register(registry);
    Gauge.builder(
            "seckill.engine.board.age",
            boardAtMs,
            at -> at.get() == 0 ? Double.NaN : (System.currentTimeMillis() - at.get()) / 1000.0)
        .description("Age of the latest board")
        .baseUnit("seconds")
        .register(registry);
  }

  private static Counter counter(MeterRegistry registry, String name, String description) {
    return Counter.builder(name).description(description).register(registry);
  }

  private static void gauge(
      MeterRegistry registry, String name, String description, AtomicInteger value) {
    Gauge.builder(name, value, AtomicInteger::get).description(description).register(registry);
  }

  void decided(PurchaseStatus status) {
    decisions.get(status).increment();
  }

  void rode(PurchaseStatus status, int purchases) {
    decisions.get(status).increment(purchases);
    riders.increment(purchases);
  }

  void overflowed(Overflow cause) {
    overflow.get(cause).increment();
  }

  void expired(int purchases) {
    expired.increment(purchases);
  }

  void unknown(int purchases) {
    unknown.increment(purchases);
  }

  void fenced() {
    fenced.increment();
  }

  void shardOpened() {
    opened.increment();
  }

  void called(int purchases, long nanos) {
    batch.record(purchases);
    call.record(nanos, TimeUnit.NANOSECONDS);
  }

  void queueChanged(int by) {
    queued.addAndGet(by);
  }

  void openShards(int count) {
    openShards.set(count);
  }

  void transferred(Transfers.Cause cause, long units) {
    transfers.get(cause).increment();
    transferred.get(cause).increment((double) units);
  }

  void released(Releaser.Result result) {
    releases.get(result).increment();
  }

  void waitlist(Waitlist.Event event) {
    waitlist.get(event).increment();
  }

  /** Waiters whose turn came: those who got a unit, and those who left at their limit. */
  void served(long promoted, long left) {
    waitlist.get(Waitlist.Event.PROMOTED).increment((double) promoted);
    waitlist.get(Waitlist.Event.SKIPPED).increment((double) left);
  }

  void waiters(long count) {
    waiters.set(count);
  }

  void dryWaiting(int by) {
    dryWaiting.addAndGet(by);
  }

  void backlog(Backlog found) {
    backlog.set(found);
  }

  void travelling(long units) {
    travelling.set(units);
  }

  void board(long atMs, int soldOut) {
    boardAtMs.set(atMs);
    if (soldOutItems.getAndSet(soldOut) != soldOut) {
      soldOutSinceNanos.set(System.nanoTime());
    }
  }
}
