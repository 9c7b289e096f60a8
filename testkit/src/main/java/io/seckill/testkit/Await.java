package io.seckill.testkit;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongPredicate;

/**
 * Waits with a bound, instead of sleeping for luck. Time in which the machine stood still does not
 * count, see {@link Stalls}.
 */
public final class Await {

  private static final long POLL_MS = 10;

  private Await() {}

  /**
   * Waits until {@code condition} is true. A condition that throws counts as false; its last
   * exception becomes the cause of the failure.
   *
   * @param what completes the sentence "waited in vain until …"
   * @throws AssertionError when it is not true within {@code bound}
   */
  public static void until(Duration bound, String what, Callable<Boolean> condition)
      throws InterruptedException {
    long stalledBefore = Stalls.nanos();
    poll(
        what,
        condition,
        sinceNanos ->
            System.nanoTime() - sinceNanos - (Stalls.nanos() - stalledBefore) > bound.toNanos());
  }

  /**
   * The same for what the product promises within a time. Where the machine stalled, the promise is
   * another one: {@link Stalls#allow}.
   */
  public static void kept(Duration promise, String what, Callable<Boolean> condition)
      throws InterruptedException {
    poll(
        what,
        condition,
        sinceNanos -> System.nanoTime() - sinceNanos > Stalls.allow(promise).toNanos());
  }

  private static void poll(String what, Callable<Boolean> condition, LongPredicate isOver)
      throws InterruptedException {
    long sinceNanos = System.nanoTime();
    while (true) {
      Exception problem = null;
      try {
        if (condition.call()) {
          return;
        }
      } catch (InterruptedException e) {
        throw e;
      } catch (Exception e) {
        problem = e;
      }
      if (isOver.test(sinceNanos)) {
        throw new AssertionError(inVain(sinceNanos, "until " + what), problem);
      }
      Thread.sleep(POLL_MS);
    }
  }

  /**
   * Waits for a future and returns its result. Never call it on an event loop.
   *
   * @param what completes the sentence "waited in vain for …"
   * @throws AssertionError when it is not complete within {@code bound}
   * @throws ExecutionException when it failed; the cause is the future's own
   */
  public static <T> T result(Duration bound, String what, Future<T> future)
      throws InterruptedException, ExecutionException {
    CompletableFuture<T> result = future.toCompletionStage().toCompletableFuture();
    long sinceNanos = System.nanoTime();
    long stalledBefore = Stalls.nanos();
    while (true) {
      long stalledNanos = Stalls.nanos() - stalledBefore;
      long leftNanos = bound.toNanos() + stalledNanos - (System.nanoTime() - sinceNanos);
      try {
        return result.get(leftNanos, TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        if (Stalls.nanos() - stalledBefore == stalledNanos) {
          throw new AssertionError(inVain(sinceNanos, "for " + what), e);
        }
      }
    }
  }

  private static String inVain(long sinceNanos, String what) {
    long waitedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNanos);
    return "Waited %d ms in vain %s".formatted(waitedMs, what);
  }
}
