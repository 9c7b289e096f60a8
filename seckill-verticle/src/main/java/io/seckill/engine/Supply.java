package io.seckill.engine;

import io.seckill.common.order.PurchaseLine;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Where a purchase waits whose shard is dry while it is not known that all are: the way from the
 * verticles that decide to the one that reads all shards. Safe for use from all event loops.
 */
final class Supply {

  /**
   * Purchases that may wait at a time in this process: a crowd of the size that one reading of all
   * shards can answer at once. The rest are told to come again.
   */
  static final int MAX_WAITING = 20_000;

  private final EngineMetrics metrics;
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile Desk desk;

  /** What became of the wait. */
  enum Verdict {
    /** What it waited for is there now: try again. */
    OFFER_AGAIN,
    /** Two passes over all shards proved that no unit is left, or it is for those in line. */
    SOLD_OUT,
    /** Fewer units are left in all shards together than it wants. */
    INSUFFICIENT_STOCK,
    /** It is not known, or units are elsewhere and did not come in time. */
    BUSY
  }

  /**
   * What is missing where.
   *
   * @param shard of the buyer
   * @param lines all lines of the purchase
   * @param waitMs how long it may wait, 1 or more
   */
  record Shortage(int shard, List<PurchaseLine> lines, long waitMs) {}

  /** Who serves those that wait. */
  interface Clerk {

    /** Takes one more; on the desk's event loop. Completes in time, whatever happens. */
    Future<Verdict> serve(Shortage shortage);

    /** The same for one that only waits until all shards have been looked at again. */
    Future<Verdict> learn(Shortage unknown);
  }

  private record Desk(Context context, Clerk clerk) {}

  Supply(EngineMetrics metrics) {
    this.metrics = metrics;
  }

  /** Says who serves, and on which event loop. */
  void servedBy(Context context, Clerk clerk) {
    desk = new Desk(context, clerk);
  }

  /** Waits for units. To be called on an event loop; completes there, in time, and never fails. */
  Future<Verdict> await(Shortage shortage) {
    return admitted(clerk -> clerk.serve(shortage));
  }

  /**
   * Waits until the items have been looked at again, for one whose group was not known as the shard
   * knows it: OFFER_AGAIN or BUSY. All who wait at a time share a look. To be called as {@link
   * #await}.
   */
  Future<Verdict> learn(Shortage unknown) {
    return admitted(clerk -> clerk.learn(unknown));
  }

  /** Whether nobody waits. */
  boolean isIdle() {
    return waiting.get() == 0;
  }

  private Future<Verdict> admitted(Function<Clerk, Future<Verdict>> call) {
    Desk current = desk;
    if (current == null) {
      return Future.succeededFuture(Verdict.BUSY);
    }
    if (waiting.incrementAndGet() > MAX_WAITING) {
      waiting.decrementAndGet();
      return Future.succeededFuture(Verdict.BUSY);
    }
    metrics.dryWaiting(1);
    Context caller = Vertx.currentContext();
    Promise<Verdict> verdict = Promise.promise();
    current.context.runOnContext(
        turn ->
            call.apply(current.clerk)
                .onComplete(done -> caller.runOnContext(back -> verdict.handle(done))));
    return verdict
        .future()
        .onComplete(
            done -> {
              waiting.decrementAndGet();
              metrics.dryWaiting(-1);
            });
  }
}
