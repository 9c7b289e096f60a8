package io.seckill.launcher.bench;

import io.seckill.common.bus.PurchaseRequest;
import io.seckill.common.config.SeckillConfig.Durability;
import io.seckill.common.id.ItemId;
import io.seckill.launcher.LaunchException;
import io.seckill.launcher.Waiting;
import io.seckill.launcher.load.LoadOptions;
import io.seckill.launcher.local.TemporaryStage;
import io.seckill.lua.RedisKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/**
 * {@code bench memory}: what a win costs in Redis, whether receipts and stock in the millions slow
 * the engine down, and whether removing an ended item holds anybody up. One shard, one Redis.
 */
public final class MemoryBench {

  private static final Duration STORED_BOUND = Duration.ofMinutes(5);
  private static final Duration SETTLED_BOUND = Duration.ofMinutes(1);
  private static final long POLL_MS = 100;

  /** Receipts in one call while an item is filled or emptied by hand. */
  private static final int PAGE = 1_000;

  private static final long PROGRESS_EVERY = 1_000_000;

  /** Names as long as a storefront's user numbers are. */
  private static final String WINNERS = "buyer-";

  private static final int MAX_CROWDS = 5;

  private final MemoryBenchOptions options;
  private final TemporaryStage stage;
  private final Consumer<String> progress;
  private final RedisKeys keys = RedisKeys.forShards(1)[0];
  private final SaleBook book = new SaleBook();
  private final List<Double> few = new ArrayList<>();
  private final List<Double> manyReceipts = new ArrayList<>();
  private final List<Double> largeStock = new ArrayList<>();
  private BenchSite site;
  private EngineLoad load;

  /**
   * A bench that has not begun.
   *
   * @param stage where it takes place; the caller closes it
   * @param progress hears one line at a time
   */
  public MemoryBench(MemoryBenchOptions options, TemporaryStage stage, Consumer<String> progress) {
    this.options = options;
    this.stage = stage;
    this.progress = progress;
  }

  /** Runs it; waits for minutes. */
  public MemoryReport run() {
    progress.accept("starting Redis, MariaDB and all roles");
    site = stage.start(() -> BenchSite.start(stage.folder().resolve("memory"), Durability.NONE, 1));
    load = new EngineLoad(site.vertx(), LoadOptions.lanes());
    ItemId sold = open("Sold out", options.wins());
    long before = usedMemory();
    Tally winners = sell(sold);
    long after = usedMemory();
    measureThroughput(sold);
    progress.accept("storing and auditing");
    site.release();
    BenchVerdict verdict = BenchVerdict.of(book, site.awaitStored(STORED_BOUND, progress));
    progress.accept("removing the item with %,d receipts".formatted(options.wins()));
    site.desk().end(sold);
    ItemRemoval.Result removal = ItemRemoval.run(site, sold);
    return new MemoryReport(
        options,
        new MemoryReport.Memory(winners.accepted(), before, after),
        new MemoryReport.Throughput(
            new Comparison(manyReceipts, few), new Comparison(largeStock, few)),
        removal,
        new MemoryReport.Run(winners, site.redis().version(), verdict));
  }

  private ItemId open(String name, long stock) {
    ItemId item = site.open(name, stock);
    book.open(item, stock);
    return item;
  }

  private Tally buy(List<ItemId> items, LongFunction<PurchaseRequest> buyers, long purchases) {
    Tally tally =
        load.run(
            buyers,
            MemoryBenchOptions.IN_FLIGHT,
            Bounds.of(MemoryBenchOptions.BOUND).atMost(purchases));
    book.add(items, tally);
    return tally;
  }

  /** Sells all of it; whom an overloaded machine turned away, others come in place of. */
  private Tally sell(ItemId item) {
    progress.accept("selling %,d units to as many buyers".formatted(options.wins()));
    Tally all = new Tally();
    for (int crowd = 0; crowd < MAX_CROWDS && all.accepted() < options.wins(); crowd++) {
      LongFunction<PurchaseRequest> buyers = Buyers.of(item, WINNERS + crowd + "-");
      all.add(buy(List.of(item), buyers, options.wins() - all.accepted()));
    }
    site.awaitTrimmed(STORED_BOUND, progress);
    return all;
  }

  /** After every entry of the log has been acknowledged and trimmed and windows are over. */
  private long usedMemory() {
    long deadlineNs = System.nanoTime() + SETTLED_BOUND.toNanos();
    while (!settled()) {
      if (System.nanoTime() - deadlineNs > 0) {
        throw new LaunchException("the log was not trimmed within " + SETTLED_BOUND);
      }
      Waiting.pause(POLL_MS);
    }
    return site.redis().number("memory", "used_memory").orElseThrow();
  }

  private boolean settled() {
    return site.redis().call("XLEN", keys.log()).equals("0")
        && site.redis().info("keyspace", "db0").contains("expires=0,");
  }

  private void measureThroughput(ItemId sold) {
    int each = options.purchases();
    long all = (long) options.rounds() * each;
    ItemId crowded = open("Many receipts", all);
    ItemId large = open("Large stock", options.stock());
    List<List<ItemId>> series = new ArrayList<>();
    for (int round = 0; round < options.rounds(); round++) {
      series.add(series(each));
    }
    String anybody = site.redis().call("HRANDFIELD", keys.receipts(sold));
    fill(crowded, site.redis().call("HGET", keys.receipts(sold), anybody));
    site.hold();
    for (int round = 0; round < options.rounds(); round++) {
      progress.accept(
          "round %d of %d: few units, many receipts, large stock"
              .formatted(round + 1, options.rounds()));
      measure(round, series.get(round), crowded, large);
    }
    empty(crowded);
  }

  private List<ItemId> series(int units) {
    List<ItemId> items = new ArrayList<>();
    for (int left = units; left > 0; left -= MemoryBenchOptions.FEW) {
      items.add(open("Few " + left, MemoryBenchOptions.FEW));
    }
    return items;
  }

  private void measure(int round, List<ItemId> series, ItemId crowded, ItemId large) {
    int each = options.purchases();
    for (int turn = 0; turn < 3; turn++) {
      switch ((turn + round) % 3) {
        case 0 -> {
          String names = "few" + round + "-";
          few.add(
              buy(series, Buyers.ofSeries(series, MemoryBenchOptions.FEW, names), each)
                  .perSecond());
        }
        case 1 -> manyReceipts.add(buyOne(crowded, "many" + round + "-"));
        default -> largeStock.add(buyOne(large, "large" + round + "-"));
      }
    }
  }

  private double buyOne(ItemId item, String names) {
    return buy(List.of(item), Buyers.of(item, names), options.purchases()).perSecond();
  }

  /**
   * Writes copies of a real receipt for people who never bought, past the scripts: to sell that
   * many takes minutes and would show the same.
   */
  private void fill(ItemId item, String receipt) {
    for (int from = 0; from < options.receipts(); from += PAGE) {
      if (from % PROGRESS_EVERY == 0) {
        progress.accept("writing %,d receipts, %,d are there".formatted(options.receipts(), from));
      }
      int size = Math.min(PAGE, options.receipts() - from);
      String[] command = new String[2 + 2 * size];
      command[0] = "HSET";
      command[1] = keys.receipts(item);
      for (int i = 0; i < size; i++) {
        command[2 + 2 * i] = "filler-" + (from + i);
        command[3 + 2 * i] = receipt;
      }
      site.redis().call(command);
    }
  }

  /** Takes them away again, because the audit asks for the order of every receipt. */
  private void empty(ItemId item) {
    progress.accept("taking the written receipts away again");
    for (int from = 0; from < options.receipts(); from += PAGE) {
      int size = Math.min(PAGE, options.receipts() - from);
      String[] command = new String[2 + size];
      command[0] = "HDEL";
      command[1] = keys.receipts(item);
      for (int i = 0; i < size; i++) {
        command[2 + i] = "filler-" + (from + i);
      }
      site.redis().call(command);
    }
  }
}
