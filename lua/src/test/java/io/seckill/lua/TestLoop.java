package io.seckill.lua;

import io.seckill.testkit.Await;
import io.seckill.testkit.RedisAddress;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/** Lets a test's thread use what belongs to an event loop. */
final class TestLoop {

  static final Vertx VERTX = Vertx.vertx();

  /** Far above what any wait of these tests needs. */
  static final Duration BOUND = Duration.ofSeconds(40);

  private final Context context = ((VertxInternal) VERTX).createEventLoopContext();

  /** Starts the work on the event loop and waits for its future; a failure is thrown as it is. */
  <T> T await(Supplier<Future<T>> work) {
    try {
      return Await.result(BOUND, "work on the event loop", start(work));
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException failure
          ? failure
          : new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Starts the work on the event loop. */
  <T> Future<T> start(Supplier<Future<T>> work) {
    Promise<T> promise = Promise.promise();
    context.runOnContext(
        go -> Future.succeededFuture().compose(v -> work.get()).onComplete(promise));
    return promise.future();
  }

  /** Whether the caller is on the event loop. */
  boolean isCurrent() {
    return Vertx.currentContext() == context;
  }

  /** Reads something on the event loop. */
  <T> T get(Supplier<T> read) {
    return await(() -> Future.succeededFuture(read.get()));
  }

  /** Waits until a condition, read on the event loop, is true. */
  void until(String what, Supplier<Boolean> condition) {
    try {
      Await.until(BOUND, what, () -> get(condition));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  static RedisEndpoint endpoint(RedisAddress address) {
    return new RedisEndpoint(address.host(), address.port(), "");
  }
}
