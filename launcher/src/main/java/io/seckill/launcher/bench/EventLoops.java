package io.seckill.launcher.bench;

import io.seckill.launcher.Waiting;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

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
