package io.seckill.launcher;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits on the thread of a command for what happens on event loops and in other threads. */
public final class Waiting {

  /** A timer of the JDK is late by milliseconds; this only keeps the wait bounded. */
  private static final Duration LATE = Duration.ofSeconds(10);

  private Waiting() {}

  /**
   * The result of a future.
   *
   * @param what it is waited for, for the message
   * @throws LaunchException when it fails or takes longer, or the thread is interrupted
   */
  public static <T> T forResult(Future<T> future, Duration bound, String what) {
    return forResult(future.toCompletionStage().toCompletableFuture(), bound, what);
  }

  /** The same for a future of the JDK. */
  public static <T> T forResult(CompletableFuture<T> future, Duration bound, String what) {
    try {
      return future.get(bound.toMillis(), TimeUnit.MILLISECONDS);
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

  /**
   * Lets some time pass between two tries.
   *
   * @throws LaunchException when the thread is interrupted
   */
  public static void pause(long ms) {
    CompletableFuture<Void> over =
        new CompletableFuture<Void>().completeOnTimeout(null, ms, TimeUnit.MILLISECONDS);
    forResult(over, Duration.ofMillis(ms).plus(LATE), "a timer");
  }
}
