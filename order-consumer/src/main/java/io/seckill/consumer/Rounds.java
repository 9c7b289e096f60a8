package io.seckill.consumer;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work that is done again and again, never twice at a time: after a pause, or at once while there
 * is more. A round that fails is logged with a bounded rate and followed by a pause. Belongs to one
 * event loop.
 */
public final class Rounds {

  private static final Logger LOG = LoggerFactory.getLogger(Rounds.class);

  private final Vertx vertx;
  private final String name;
  private final long pauseMs;
  private final Supplier<Future<Boolean>> round;
  private final LogRate logRate = new LogRate();
  private Future<?> running = Future.succeededFuture();
  private long timer = -1;
  private boolean stopped;

  /**
   * Makes the loop; {@link #start} begins it.
   *
   * @param name for the log
   * @param pauseMs between rounds, give or take a quarter, so that nodes do not come all at once
   * @param round says whether there is more to do at once; its own steps are bounded in time
   */
  public Rounds(Vertx vertx, String name, long pauseMs, Supplier<Future<Boolean>> round) {
    this.vertx = vertx;
    this.name = name;
    this.pauseMs = pauseMs;
    this.round = round;
  }

  /** Begins with a pause. */
  public void start() {
    later(pauseMs + ThreadLocalRandom.current().nextLong(-pauseMs / 4, pauseMs / 4 + 1));
  }

  private void later(long delayMs) {
    if (!stopped) {
      // A timer also gives each round a fresh stack.
      timer = vertx.setTimer(Math.max(1, delayMs), id -> running = begin());
    }
  }

  private Future<Boolean> begin() {
    Future<Boolean> begun;
    try {
      begun = round.get();
    } catch (RuntimeException e) {
      begun = Future.failedFuture(e);
    }
    return begun.onComplete(
        result -> {
          if (result.failed() && logRate.allows()) {
            LOG.warn("{} goes on after a failure: {}", name, result.cause().toString());
          }
          if (result.succeeded() && result.result()) {
            later(1);
          } else {
            start();
          }
        });
  }

  /** Begins no further round; completes when the one under way has ended. */
  public Future<?> stop() {
    stopped = true;
    vertx.cancelTimer(timer);
    return running.otherwiseEmpty();
  }
}
