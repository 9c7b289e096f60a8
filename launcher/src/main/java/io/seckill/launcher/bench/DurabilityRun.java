package io.seckill.launcher.bench;

import io.seckill.common.config.SeckillConfig.Durability;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.ItemId;
import io.seckill.launcher.LaunchException;
import io.seckill.launcher.load.LoadOptions;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The engine and both baselines on one site, measured round by round. Its methods wait and are for
 * the thread of a command.
 */
final class DurabilityRun implements AutoCloseable {

  private static final long MAX_SOLD_OUT_STOCK = 200_000;
  private static final Duration SELL_OUT_BOUND = Duration.ofSeconds(20);
  private static final Duration STORED_BOUND = Duration.ofMinutes(4);

  private final Durability durability;
  private final EngineBenchOptions options;
  private final BenchSite site;
  private final EngineLoad load;
  private final PlainClients clients;
  private final PlainPipeline pipeline;
  private final SaleBook book = new SaleBook();
  private final Kind wins = new Kind();
  private final Kind refusals = new Kind();
  private final Tally warmUp = new Tally();
  private ItemId soldOut;
  private ItemId plenty;
  private PlainScript.Sale plainSoldOut;
  private PlainScript.Sale plainPlenty;
  private int names;

  /** What was measured of one kind of answer. */
  private static final class Kind {
    private final List<Double> ours = new ArrayList<>();
    private final List<Double> plain = new ArrayList<>();
    private final List<Double> pipelined = new ArrayList<>();
    private final Tally tally = new Tally();
    private Cost cost = Cost.NONE;
    private Cost plainCost = Cost.NONE;
    private Cost pipelinedCost = Cost.NONE;
  }

  /** On a site that has just been started. */
  DurabilityRun(Durability durability, EngineBenchOptions options, BenchSite site) {
    this.durability = durability;
    this.options = options;
    this.site = site;
    boolean waits = durability == Durability.REPLICA;
    this.load = new EngineLoad(site.vertx(), LoadOptions.lanes());
    this.clients = new PlainClients(site.redis(), EngineBenchOptions.PLAIN_CONNECTIONS, waits);
    this.pipeline = new PlainPipeline(site.vertx(), site.redis(), site.connections(), waits);
  }

  Durability durability() {
    return durability;
  }

  BenchSite site() {
    return site;
  }

  SaleBook book() {
    return book;
  }

  EngineLoad load() {
    return load;
  }

  /**
   * Opens the items, holds orders back, and sells one item out on each side: that is the warm-up,
   * and what is refused later.
   */
  void prepare() {
    long few = Math.min(MAX_SOLD_OUT_STOCK, options.size().wins() / 2);
    soldOut = open("Sold out", few);
    plenty = open("Plenty", 2 * options.size().wins());
    plainSoldOut = PlainScript.Sale.open(site.redis().raw(), "soldOut", few);
    plainPlenty = PlainScript.Sale.open(site.redis().raw(), "plenty", 2L * 1_000_000_000);
    site.hold();
    Bounds third = Bounds.of(options.size().warmUp().dividedBy(3));
    sellOut(third);
    sellOut(plainSoldOut, few, third);
    pipeline.run(plainSoldOut, name(), options.inFlight(), third);
  }

  private void sellOut(Bounds warm) {
    long deadlineNs = System.nanoTime() + SELL_OUT_BOUND.toNanos();
    Tally tally = buy(soldOut, warm);
    warmUp.add(tally);
    while (tally.refused(ErrorCode.SOLD_OUT) == 0) {
      if (System.nanoTime() - deadlineNs > 0) {
        throw new LaunchException(
            "the engine did not sell an item out in the warm-up: " + warmUp.refused());
      }
      tally = buy(soldOut, Bounds.of(options.size().each()));
      warmUp.add(tally);
    }
  }

  private void sellOut(PlainScript.Sale sale, long units, Bounds warm) {
    Rate rate = clients.run(sale, name(), warm);
    long won = rate.wins();
    while (won < units) {
      rate = clients.run(sale, name(), Bounds.of(options.size().each()));
      won += rate.wins();
      if (rate.wins() == 0) {
        throw new LaunchException("the plain script did not sell out in the warm-up");
      }
    }
  }

  ItemId open(String what, long stock) {
    ItemId item = site.open(what, stock);
    book.open(item, stock);
    return item;
  }

  /** A start of names that nobody had before. */
  String name() {
    return "b" + names++ + "-";
  }

  private Tally buy(ItemId item, Bounds bounds) {
    Tally tally = load.run(Buyers.of(item, name()), options.inFlight(), bounds);
    book.add(List.of(item), tally);
    return tally;
  }

  /** One round of wins on all three sides; {@code round} turns their order. */
  void measureWins(int round) {
    EngineBenchOptions.Size size = options.size();
    Bounds ours = Bounds.of(size.each()).atMost(Math.max(1, size.wins() / size.rounds()));
    measure(wins, plenty, plainPlenty, ours, round);
  }

  /** One round of "sold out" on all three sides. */
  void measureRefusals(int round) {
    measure(refusals, soldOut, plainSoldOut, Bounds.of(options.size().each()), round);
  }

  private void measure(Kind kind, ItemId item, PlainScript.Sale plain, Bounds ours, int round) {
    Bounds theirs = Bounds.of(options.size().each());
    for (int turn = 0; turn < 3; turn++) {
      Cost before = Cost.read(site.redis());
      switch ((turn + round) % 3) {
        case 0 -> {
          Tally tally = buy(item, ours);
          kind.cost = kind.cost.plus(before.until(Cost.read(site.redis()), tally.answers()));
          kind.ours.add(tally.perSecond());
          kind.tally.add(tally);
        }
        case 1 -> {
          Rate rate = clients.run(plain, name(), theirs);
          Cost after = Cost.read(site.redis());
          kind.plainCost = kind.plainCost.plus(before.until(after, rate.calls()));
          kind.plain.add(rate.perSecond());
        }
        default -> {
          Rate rate = pipeline.run(plain, name(), options.inFlight(), theirs);
          Cost after = Cost.read(site.redis());
          kind.pipelinedCost = kind.pipelinedCost.plus(before.until(after, rate.calls()));
          kind.pipelined.add(rate.perSecond());
        }
      }
    }
  }

  /** Stores what was won, audits, and judges. */
  BenchVerdict judge(Consumer<String> progress) {
    plainSoldOut.drop(site.redis().raw());
    plainPlenty.drop(site.redis().raw());
    site.release();
    return BenchVerdict.of(book, site.awaitStored(STORED_BOUND, progress));
  }

  /** What was measured. */
  Result result() {
    return new Result(
        durability, resultOf(wins), resultOf(refusals), warmUp, site.redis().version());
  }

  private static Measured resultOf(Kind kind) {
    return new Measured(
        new Comparison(kind.ours, kind.plain),
        new Comparison(kind.ours, kind.pipelined),
        kind.tally,
        new Costs(kind.cost, kind.plainCost, kind.pipelinedCost));
  }

  /** Where the time of a purchase went, on each side. */
  record Costs(Cost engine, Cost plain, Cost pipelined) {

    JsonObject json() {
      return new JsonObject()
          .put("engine", engine.json())
          .put("plain", plain.json())
          .put("pipelined", pipelined.json());
    }
  }

  /**
   * One kind of answer.
   *
   * @param plain beside one call in flight on each connection
   * @param pipelined beside the same number of purchases under way
   * @param tally what our buyers were told
   * @param costs of all sides
   */
  record Measured(Comparison plain, Comparison pipelined, Tally tally, Costs costs) {}

  /**
   * What was measured with one durability.
   *
   * @param warmUp what our buyers were told before the clock started
   * @param redisVersion as the server says it
   */
  record Result(
      Durability durability, Measured wins, Measured refusals, Tally warmUp, String redisVersion) {}

  @Override
  public void close() {
    clients.close();
    pipeline.close();
  }
}
