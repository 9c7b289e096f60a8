package io.seckill.launcher;

import io.seckill.common.config.ConfigException;
import io.seckill.common.error.SeckillException;
import io.seckill.embedded.EmbeddedServerException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** Turns failures into the one message that a person gets. */
public final class Failures {

  private Failures() {}

  /** The failure itself, out of the wrappers that waiting puts around it. */
  public static Throwable unwrapped(Throwable failure) {
    Throwable inner = failure;
    while ((inner instanceof CompletionException || inner instanceof ExecutionException)
        && inner.getCause() != null) {
      inner = inner.getCause();
    }
    return inner;
  }

  /**
   * What to tell a person: the message where it was written for him, else also the kind of failure,
   * because a bare "null" or a bare number helps nobody.
   */
  public static String describe(Throwable failure) {
    Throwable inner = unwrapped(failure);
    String message = inner.getMessage();
    if (message == null || message.isBlank()) {
      return inner instanceof TimeoutException ? "timed out" : inner.getClass().getSimpleName();
    }
    if (inner instanceof SeckillException e) {
      return e.code() + ": " + message;
    }
    return isForPeople(inner) ? message : inner.getClass().getSimpleName() + ": " + message;
  }

  /** Whether the message was written for people; futures that fail with a text count. */
  private static boolean isForPeople(Throwable failure) {
    return failure instanceof LaunchException
        || failure instanceof ConfigException
        || failure instanceof EmbeddedServerException
        || failure instanceof IllegalArgumentException
        || failure instanceof IllegalStateException
        || failure.getClass().getPackageName().startsWith("io.vertx.core");
  }

  /** The failure as a {@link LaunchException}, so that its message is shown as it is. */
  public static LaunchException toLaunch(Throwable failure) {
    Throwable inner = unwrapped(failure);
    return inner instanceof LaunchException e ? e : new LaunchException(describe(inner), inner);
  }
}
