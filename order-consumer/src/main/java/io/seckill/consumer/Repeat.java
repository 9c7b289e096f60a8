package io.seckill.consumer;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.function.Supplier;

/** A loop of asynchronous steps, each on a fresh stack, so that any number of them is fine. */
public final class Repeat {

  private Repeat() {}

  /** Takes steps until one says that it was the last; fails with the first failure. */
  public static Future<Void> untilDone(Vertx vertx, Supplier<Future<Boolean>> step) {
    Promise<Void> promise = Promise.promise();
    next(vertx.getOrCreateContext(), step, promise);
    return promise.future();
  }

  private static void next(Context context, Supplier<Future<Boolean>> step, Promise<Void> promise) {
    Future<Boolean> taken;
    try {
      taken = step.get();
    } catch (RuntimeException e) {
      promise.fail(e);
      return;
    }
    taken.onComplete(
        result -> {
          if (result.failed()) {
            promise.fail(result.cause());
          } else if (result.result()) {
            promise.complete();
          } else {
            context.runOnContext(go -> next(context, step, promise));
          }
        });
  }
}
