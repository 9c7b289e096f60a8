package io.seckill.launcher.fault;

import io.seckill.common.id.ItemId;
import io.seckill.testkit.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * One new buyer after the other in each shard, at a pace, each of whom clicks until he knows; all
 * win, until they are told to stop.
 */
final class SteadyBuyers implements AutoCloseable {

  /** Five a second in each shard at most. */
  private static final long PACE_MS = 200;

  /** Units for each shard that outlast the longest wait of a test. */
  static final long STOCK_EACH = 5 * SaleSystem.BOUND.toSeconds();

  private final SaleSystem sales;
  private final ItemId item;
  private final ExecutorService threads;
  private final List<Future<?>> buying = new ArrayList<>();
  private volatile boolean stopped;

  /** Starts them. */
  SteadyBuyers(SaleSystem sales, ItemId item) {
    this.sales = sales;
    this.item = item;
    this.threads = Executors.newFixedThreadPool(sales.shards());
    for (int shard = 0; shard < sales.shards(); shard++) {
      int its = shard;
      buying.add(
          threads.submit(
              () -> {
                while (!stopped) {
                  sales.win(its, item);
                  TimeUnit.MILLISECONDS.sleep(PACE_MS);
                }
                return null;
              }));
    }
  }

  /** Waits until each shard has sold some units. */
  void awaitSales(int unitsEach) throws InterruptedException {
    Await.until(
        SaleSystem.BOUND,
        "each shard has sold " + unitsEach,
        () -> {
          for (int shard = 0; shard < sales.shards(); shard++) {
            int its = shard;
            if (sales.told(item).stream().filter(win -> win.shard() == its).count() < unitsEach) {
              return false;
            }
          }
          return true;
        });
  }

  /**
   * Waits until each shard has sold since a moment, and under a later epoch than it had.
   *
   * @param sinceNanos the moment
   * @param epochs by shard; 0 for a shard that may sell on under its epoch
   * @return when the last of them sold its first unit
   */
  long awaitSalesSince(long sinceNanos, long[] epochs) throws InterruptedException {
    long last = sinceNanos;
    for (int shard = 0; shard < epochs.length; shard++) {
      int its = shard;
      Await.until(
          SaleSystem.BOUND,
          "shard " + shard + " sells again, later than under epoch " + epochs[shard],
          () -> firstSince(sinceNanos, its, epochs[its]).isPresent());
      last = Math.max(last, firstSince(sinceNanos, its, epochs[its]).getAsLong());
    }
    return last;
  }

  private OptionalLong firstSince(long sinceNanos, int shard, long epoch) {
    return sales.told(item).stream()
        .filter(win -> win.shard() == shard && win.epoch() > epoch)
        .mapToLong(ToldWin::atNanos)
        .filter(atNanos -> atNanos - sinceNanos > 0)
        .min();
  }

  /** Lets those who are at it come to an end, and fails when one of them failed. */
  void stop() throws Exception {
    stopped = true;
    for (Future<?> buyer : buying) {
      buyer.get(SaleSystem.BOUND.toSeconds(), TimeUnit.SECONDS);
    }
  }

  @Override
  public void close() {
    stopped = true;
    threads.shutdownNow();
  }
}
