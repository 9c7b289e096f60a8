package io.seckill.launcher.bench;

import io.seckill.common.bus.PurchaseReply;
import io.seckill.common.bus.PurchaseRequest;
import io.seckill.common.bus.PurchaseSender;
import io.seckill.common.error.ErrorCode;
import io.seckill.launcher.Waiting;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;

/**
 * Buyers at the engine's address on the bus, as a gateway of the same process would send them. Its
 * methods wait and are for the thread of a command.
 */
final class EngineLoad {

  /** What a gateway gives the engine: {@code gateway.purchaseBudgetMs}. */
  static final long BUDGET_MS = 2_000;

  /** The engine answers within the budget; beyond this much more it hangs. */
  private static final long GRACE_MS = 2 * BUDGET_MS;

  private static final Duration START_BOUND = Duration.ofSeconds(10);

  private static final long TICK_MS = 1;

  private final Vertx vertx;
  private final List<Desk> desks = new ArrayList<>();

  /** An event loop and its way to the engine. */
  private record Desk(Context loop, PurchaseSender engine) {}

  /**
   * Load on event loops of its own.
   *
   * @param vertx of the engine
   * @param loops how many
   */
  EngineLoad(Vertx vertx, int loops) {
    this.vertx = vertx;
    for (Context loop : EventLoops.of(vertx, loops)) {
      Future<PurchaseSender> engine =
          EventLoops.on(loop, here -> PurchaseSender.start(vertx, GRACE_MS));
      desks.add(new Desk(loop, Waiting.forResult(engine, START_BOUND, "the way to the engine")));
    }
  }

  /**
   * Keeps a number of purchases under way: each answer sends the next one.
   *
   * @param source purchase number n, n = 0, 1, 2 …; each number is asked for once, from several
   *     threads
   * @param inFlight purchases under way
   */
  Future<Tally> start(LongFunction<PurchaseRequest> source, int inFlight, Bounds bounds) {
    List<Future<Tally>> ends = new ArrayList<>();
    AtomicLong winsLeft = new AtomicLong(bounds.wins());
    int lanes = Math.min(desks.size(), inFlight);
    for (int i = 0; i < lanes; i++) {
      int first = i;
      Desk desk = desks.get(i);
      int share = inFlight / lanes + (i < inFlight % lanes ? 1 : 0);
      ends.add(
          EventLoops.on(
              desk.loop(),
              loop -> {
                Numbers numbers = new Numbers(first, lanes, each(bounds.purchases(), lanes));
                return new Lane(desk.engine(), source, numbers, bounds.time(), winsLeft)
                    .start(share);
              }));
    }
    return Future.all(ends)
        .map(
            done -> {
              Tally all = new Tally();
              ends.forEach(end -> all.add(end.result()));
              return all;
            });
  }

  private static long each(long bound, int lanes) {
    return bound == Long.MAX_VALUE ? bound : (bound + lanes - 1) / lanes;
  }

  /** As {@link #start}, and waits for the end. */
  Tally run(LongFunction<PurchaseRequest> source, int inFlight, Bounds bounds) {
    return Waiting.forResult(start(source, inFlight, bounds), bounds.waiting(), "the purchases");
  }

  /**
   * Sends at a fixed pace whatever the answers do. Latency counts from the moment when a purchase
   * was due, so a load that is late itself hides nothing.
   *
   * @param perSecond the pace
   */
  Future<Tally> startPaced(LongFunction<PurchaseRequest> source, int perSecond, Bounds bounds) {
    Desk desk = desks.get(desks.size() - 1);
    return EventLoops.on(
        desk.loop(),
        loop -> {
          Numbers numbers = new Numbers(0, 1, bounds.purchases());
          AtomicLong winsLeft = new AtomicLong(bounds.wins());
          return new Lane(desk.engine(), source, numbers, bounds.time(), winsLeft)
              .startPaced(perSecond);
        });
  }

  /**
   * The purchases of a lane.
   *
   * @param first its first number
   * @param step from one to the next
   * @param most how many
   */
  private record Numbers(long first, int step, long most) {}

  /** Purchases on one event loop. */
  private final class Lane {

    private final PurchaseSender engine;
    private final LongFunction<PurchaseRequest> source;
    private final Numbers numbers;
    private final Duration time;
    private final AtomicLong winsLeft;
    private final Tally tally = new Tally();
    private final Promise<Tally> end = Promise.promise();
    private long next;
    private long sent;
    private long untilNs;
    private int underWay;
    private boolean paced;
    private long timer = -1;

    Lane(
        PurchaseSender engine,
        LongFunction<PurchaseRequest> source,
        Numbers numbers,
        Duration time,
        AtomicLong winsLeft) {
      this.engine = engine;
      this.source = source;
      this.numbers = numbers;
      this.time = time;
      this.winsLeft = winsLeft;
      this.next = numbers.first();
    }

    Future<Tally> start(int inFlight) {
      untilNs = System.nanoTime() + time.toNanos();
      for (int i = 0; i < inFlight; i++) {
        sendNext();
      }
      endIfOver();
      return end.future();
    }

    Future<Tally> startPaced(int perSecond) {
      paced = true;
      long startNs = System.nanoTime();
      untilNs = startNs + time.toNanos();
      double everyNs = 1e9 / perSecond;
      timer =
          vertx.setPeriodic(
              TICK_MS,
              id -> {
                long now = System.nanoTime();
                long dueNs = startNs + (long) (sent * everyNs);
                while (dueNs <= now && dueNs < untilNs && sent < numbers.most()) {
                  send(dueNs);
                  dueNs = startNs + (long) (sent * everyNs);
                }
                if (dueNs >= untilNs || sent >= numbers.most()) {
                  paced = false;
                  vertx.cancelTimer(timer);
                  endIfOver();
                }
              });
      return end.future();
    }

    private void sendNext() {
      long now = System.nanoTime();
      if (now < untilNs && sent < numbers.most() && winsLeft.get() > 0) {
        send(now);
      }
    }

    private void send(long sentNs) {
      PurchaseRequest request = source.apply(next);
      next += numbers.step();
      sent++;
      underWay++;
      tally.sent(sentNs);
      ask(request, sentNs, false);
    }

    private void ask(PurchaseRequest request, long sentNs, boolean again) {
      engine.send(request).onSuccess(reply -> answered(request, reply, sentNs, again));
    }

    private void answered(
        PurchaseRequest request, PurchaseReply reply, long sentNs, boolean again) {
      if (reply.refusal() == ErrorCode.OUTCOME_UNKNOWN) {
        if (again) {
          over(() -> tally.failed("the outcome stayed unknown", sentNs, System.nanoTime()));
        } else {
          ask(request, sentNs, true);
        }
      } else if (reply.refusal() == null) {
        winsLeft.decrementAndGet();
        over(() -> tally.accepted(sentNs, System.nanoTime(), reply.replayed()));
      } else {
        over(() -> tally.refused(reply.refusal(), sentNs, System.nanoTime()));
      }
    }

    private void over(Runnable record) {
      record.run();
      underWay--;
      if (!paced && timer < 0) {
        sendNext();
      }
      endIfOver();
    }

    private void endIfOver() {
      if (underWay == 0 && !paced) {
        end.tryComplete(tally);
      }
    }
  }
}
