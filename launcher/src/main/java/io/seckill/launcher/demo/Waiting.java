package io.seckill.launcher.demo;

import io.seckill.launcher.Failures;
import io.seckill.launcher.LaunchException;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits on the thread of a command for what happens on event loops. */
final class Waiting {

  private Waiting() {}

  /**
   * The result of a future.
   *
   * @throws LaunchException when it fails or takes longer
   */
  static <T> T forResult(Future<T> future, Duration bound, String what) {
    try {
      return future
          .toCompletionStage()
          .toCompletableFuture()
          .get(bound.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw Failures.toLaunch(e);
    } catch (TimeoutException e) {
      throw new LaunchException(
          "waited in vain for " + what + ", " + bound.toSeconds() + " s long", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LaunchException("interrupted while waiting for " + what, e);
    }
  }
}
