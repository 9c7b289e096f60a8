package io.seckill.testkit;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits with a bound, instead of sleeping for luck. */
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
    long deadline = System.nanoTime() + bound.toNanos();
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
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError(
            "Waited %d ms in vain until %s".formatted(bound.toMillis(), what), problem);
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
    try {
      return future
          .toCompletionStage()
          .toCompletableFuture()
          .get(bound.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("Waited %d ms in vain for %s".formatted(bound.toMillis(), what), e);
    }
  }
}
