package io.seckill.launcher.bench;

import io.seckill.launcher.Waiting;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;

/** Event loops for load, and the way to them from the thread of a command. */
final class EventLoops {

  private static final Duration BOUND = Duration.ofSeconds(10);

  private EventLoops() {}

  /** An event loop is had by deploying something on it. */
  private static final class Place extends VerticleBase {

    private final CompletableFuture<Context> found;

    Place(CompletableFuture<Context> found) {
      this.found = found;
    }

    @Override
    public Future<?> start() {
      found.complete(context);
      return Future.succeededFuture();
    }
  }

  /** Contexts on event loops of this Vert.x, in turn. */
  static List<Context> of(Vertx vertx, int count) {
    List<Context> loops = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      CompletableFuture<Context> found = new CompletableFuture<>();
      Waiting.forResult(
          vertx.deployVerticle(() -> new Place(found), new DeploymentOptions()),
          BOUND,
          "an event loop");
      loops.add(found.join());
    }
    return loops;
  }

  /**
   * One step after the other, so many. Steps run where the one before ended.
   *
   * @param step gets its number, from 0
   */
  static Future<Void> repeat(int count, IntFunction<Future<Void>> step) {
    return repeatWhile(i -> i < count, i -> step.apply((int) i)).mapEmpty();
  }

  /**
   * The same until a moment.
   *
   * @param untilNs of {@link System#nanoTime}
   * @return how many steps there were
   */
  static Future<Long> repeatUntil(long untilNs, LongFunction<Future<Void>> step) {
    return repeatWhile(i -> System.nanoTime() - untilNs < 0, step);
  }

  /** A loop and no chain: thousands of steps would not fit on a stack. */
  private static Future<Long> repeatWhile(LongPredicate goOn, LongFunction<Future<Void>> step) {
    Promise<Long> end = Promise.promise();
    new Object() {
      void next(long i) {
        if (!goOn.test(i)) {
          end.complete(i);
          return;
        }
        step.apply(i).onSuccess(done -> next(i + 1)).onFailure(end::fail);
      }
    }.next(0);
    return end.future();
  }

  /** Starts something on an event loop. */
  static <T> Future<T> on(Context loop, Function<Context, Future<T>> start) {
    CompletableFuture<T> done = new CompletableFuture<>();
    loop.runOnContext(
        turn ->
            start
                .apply(loop)
                .onComplete(
                    result -> {
                      if (result.succeeded()) {
                        done.complete(result.result());
                      } else {
                        done.completeExceptionally(result.cause());
                      }
                    }));
    return Future.fromCompletionStage(done);
  }
}
