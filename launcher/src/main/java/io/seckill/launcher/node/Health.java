package io.seckill.launcher.node;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Whether a node should get traffic. Its checks run by a timer, never by who asks, so that asking
 * often costs nothing.
 *
 * <p>A check that was well once is missed only after it failed {@value #MISSES} times in a row:
 * probes that turn one slow answer into "not ready" take pods out one after the other. Safe for all
 * threads.
 */
final class Health {

  static final String UP = "up";

  /** At {@value #INTERVAL_MS} ms a blip of less than 3 s stays unseen; a probe acts on less. */
  private static final int MISSES = 3;

  private static final long INTERVAL_MS = 1_000;

  /** Until a node is ready somebody waits for it. */
  private static final long STARTING_INTERVAL_MS = 25;

  private static final long CHECK_MS = 2_000;

  /** Where the node is in its life. */
  private enum Phase {
    STARTING,
    UP,
    STOPPING
  }

  /**
   * One thing that must hold.
   *
   * @param name a word
   * @param probe gives nothing when all is well, else what is missing; a probe that fails or hangs
   *     counts as missing
   */
  record Check(String name, Supplier<Future<Optional<String>>> probe) {

    /** A check that needs no waiting. */
    static Check of(String name, String missing, Supplier<Boolean> holds) {
      return new Check(
          name,
          () -> Future.succeededFuture(holds.get() ? Optional.empty() : Optional.of(missing)));
    }
  }

  private final Vertx vertx;
  private final List<Check> checks;
  private final Map<String, String> states = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> misses = new ConcurrentHashMap<>();
  private final AtomicBoolean busy = new AtomicBoolean();
  private final Promise<Void> firstReady = Promise.promise();
  private volatile Phase phase = Phase.STARTING;

  Health(Vertx vertx, List<Check> checks) {
    this.vertx = vertx;
    this.checks = List.copyOf(checks);
    checks.forEach(check -> misses.put(check.name(), new AtomicInteger(MISSES)));
    checks.forEach(check -> states.put(check.name(), "not checked yet"));
  }

  /** The roles are deployed: what they say counts from now on. */
  void started() {
    phase = Phase.UP;
    round();
  }

  /** Not ready any more, at once and for good. */
  void stopping() {
    phase = Phase.STOPPING;
    firstReady.tryFail("the node is stopping");
  }

  /** Completes when the node is ready for the first time; fails when it stops before. */
  Future<Void> firstReady() {
    return firstReady.future();
  }

  HealthReport report() {
    Map<String, String> shown = new TreeMap<>(states);
    Phase now = phase;
    shown.put("roles", now == Phase.UP ? UP : now == Phase.STARTING ? "starting" : "stopping");
    boolean ready =
        now == Phase.UP && misses.values().stream().allMatch(inARow -> inARow.get() < MISSES);
    return new HealthReport(ready, shown);
  }

  private void round() {
    if (phase != Phase.UP || !busy.compareAndSet(false, true)) {
      return;
    }
    Future.join(checks.stream().map(this::run).toList())
        .onComplete(
            done -> {
              busy.set(false);
              if (report().ready()) {
                firstReady.tryComplete();
              }
              if (phase == Phase.UP) {
                boolean waiting = !firstReady.future().isComplete();
                vertx.setTimer(waiting ? STARTING_INTERVAL_MS : INTERVAL_MS, id -> round());
              }
            });
  }

  private Future<Void> run(Check check) {
    return probe(check)
        .timeout(CHECK_MS, TimeUnit.MILLISECONDS)
        .otherwise(failure -> Optional.of("no answer: " + failure.getMessage()))
        .map(
            missing -> {
              AtomicInteger inARow = misses.get(check.name());
              if (missing.isEmpty()) {
                inARow.set(0);
              } else if (inARow.get() < MISSES) {
                inARow.incrementAndGet();
              }
              states.put(check.name(), missing.orElse(UP));
              return null;
            });
  }

  private static Future<Optional<String>> probe(Check check) {
    try {
      return check.probe().get();
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
  }
}
