package io.seckill.lua;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.function.Function;

/**
 * One look-up for all who ask at about the same time: many links lose one server together. Safe to
 * share between event loops; each caller gets the answer on his own.
 */
final class SharedLookup<T> {

  /**
   * Far above the bound of a look-up. It can be passed only when the event loop that made it was
   * closed.
   */
  private static final long ABANDONED_NANOS = 5_000_000_000L;

  private final Function<Vertx, Future<T>> lookup;
  private Future<T> latest;
  private long begunAtNanos;

  SharedLookup(Function<Vertx, Future<T>> lookup) {
    this.lookup = lookup;
  }

  /**
   * The answer of the look-up in flight, of the last one, or of a new one.
   *
   * @param maxAgeMs how long ago the last one may have been begun
   */
  Future<T> get(Vertx vertx, long maxAgeMs) {
    Context caller = vertx.getOrCreateContext();
    Promise<T> answer = Promise.promise();
    join(vertx, maxAgeMs * 1_000_000)
        .onComplete(
            result ->
                caller.runOnContext(
                    turn -> {
                      if (result.succeeded()) {
                        answer.complete(result.result());
                      } else {
                        answer.fail(result.cause());
                      }
                    }));
    return answer.future();
  }

  private synchronized Future<T> join(Vertx vertx, long maxAgeNanos) {
    long now = System.nanoTime();
    if (latest == null
        || now - begunAtNanos > (latest.isComplete() ? maxAgeNanos : ABANDONED_NANOS)) {
      begunAtNanos = now;
      latest = lookup.apply(vertx);
    }
    return latest;
  }
}
