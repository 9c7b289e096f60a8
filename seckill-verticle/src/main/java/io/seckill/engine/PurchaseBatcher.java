package io.seckill.engine;

import io.seckill.common.bus.PurchaseReply;
import io.seckill.common.bus.PurchaseRequest;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.order.PurchaseDigests;
import io.seckill.lua.DecidePurchases;
import io.seckill.lua.DecidePurchases.Decided;
import io.seckill.lua.DecidePurchases.Decision;
import io.seckill.lua.DecidePurchases.Purchase;
import io.seckill.lua.DecidePurchases.Refused;
import io.seckill.lua.FenceStatus;
import io.seckill.lua.PurchaseStatus;
import io.seckill.lua.RedisCallException;
import io.seckill.lua.RedisLink;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Group commit for one shard: while calls to Redis are in flight, arriving purchases queue; when
 * one returns, all that wait go out as one call. No timer and no added delay: a batch is what came
 * meanwhile. Belongs to one event loop.
 *
 * <p>A purchase is answered exactly once, by its deadline at the latest. Only purchases that
 * certainly were not executed go back into the queue.
 */
final class PurchaseBatcher {

  /** With the shard closed this long, waiting helps nobody: new purchases are refused at once. */
  private static final long FAIL_FAST_AFTER_MS = 300;

  /**
   * How often waiting purchases are looked through for passed deadlines while nothing can be sent.
   */
  private static final long SWEEP_MS = 50;

  private static final long RETRY_AFTER_MS = 1_000;

  private final Vertx vertx;
  private final Context context;
  private final ShardSession session;
  private final Options options;
  private final DecisionReplies replies;
  private final EngineMetrics metrics;
  private final Deque<Waiting> queue = new ArrayDeque<>();

  private int inFlight;
  private boolean pumpScheduled;
  private boolean sweepScheduled;

  /**
   * Bounds of a batcher.
   *
   * @param maxQueue purchases that may wait
   * @param maxBatch purchases in one call
   * @param callsInFlight calls at a time
   * @param limits what the script checks for every purchase
   */
  record Options(int maxQueue, int maxBatch, int callsInFlight, DecidePurchases.Limits limits) {}

  /** A purchase that waits for its decision. */
  private record Waiting(Purchase purchase, long deadlineNanos, Consumer<PurchaseReply> answer) {}

  PurchaseBatcher(
      Vertx vertx,
      ShardSession session,
      Options options,
      DecisionReplies replies,
      EngineMetrics metrics) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.session = session;
    this.options = options;
    this.replies = replies;
    this.metrics = metrics;
  }

  /** Takes a purchase; {@code answer} is called once, on this event loop. */
  void offer(PurchaseRequest request, Consumer<PurchaseReply> answer) {
    if (queue.size() >= options.maxQueue) {
      metrics.overflowed();
      answer.accept(PurchaseReply.refused(ErrorCode.BUSY, RETRY_AFTER_MS));
      return;
    }
    if (session.closedForMs() > FAIL_FAST_AFTER_MS) {
      answer.accept(PurchaseReply.refused(ErrorCode.UNAVAILABLE, RETRY_AFTER_MS));
      return;
    }
    Purchase purchase =
        new Purchase(
            request.user(),
            PurchaseDigests.ofKey(request.key()),
            PurchaseDigests.ofBody(request.lines()),
            request.lines());
    queue.addLast(new Waiting(purchase, System.nanoTime() + queueMs(request) * 1_000_000, answer));
    metrics.queueChanged(1);
    schedulePump();
  }

  /** The call itself may take its whole time-out, and the answer must still be in time. */
  private long queueMs(PurchaseRequest request) {
    return Math.max(1, request.budgetMs() - session.callTimeoutMs());
  }

  /** To be called when the shard became open. */
  void wake() {
    schedulePump();
  }

  /** Answers what still waits when the node stops. */
  void refuseAll() {
    while (!queue.isEmpty()) {
      take().answer.accept(PurchaseReply.refused(ErrorCode.UNAVAILABLE, RETRY_AFTER_MS));
    }
  }

  /** How many purchases wait. */
  int depth() {
    return queue.size();
  }

  /** How many calls are in flight. */
  int callsInFlight() {
    return inFlight;
  }

  /**
   * Sends at the end of this turn of the event loop, so that purchases which arrived in one turn
   * share a call.
   */
  private void schedulePump() {
    if (!pumpScheduled) {
      pumpScheduled = true;
      context.runOnContext(
          turn -> {
            pumpScheduled = false;
            pump();
          });
    }
  }

  private void pump() {
    while (inFlight < options.callsInFlight && !queue.isEmpty()) {
      Optional<RedisLink> link = session.epoch() > 0 ? session.link() : Optional.empty();
      if (link.isEmpty()) {
        break;
      }
      List<Waiting> batch = takeBatch();
      if (!batch.isEmpty()) {
        send(link.get(), batch);
      }
    }
    if (!queue.isEmpty()) {
      scheduleSweep();
    }
  }

  private List<Waiting> takeBatch() {
    long now = System.nanoTime();
    List<Waiting> batch = new ArrayList<>(Math.min(queue.size(), options.maxBatch));
    while (batch.size() < options.maxBatch && !queue.isEmpty()) {
      Waiting waiting = take();
      if (waiting.deadlineNanos - now <= 0) {
        answerExpired(waiting);
      } else {
        batch.add(waiting);
      }
    }
    return batch;
  }

  private Waiting take() {
    metrics.queueChanged(-1);
    return queue.pollFirst();
  }

  private void answerExpired(Waiting waiting) {
    metrics.expired(1);
    ErrorCode code = session.isOpen() ? ErrorCode.BUSY : ErrorCode.UNAVAILABLE;
    waiting.answer.accept(PurchaseReply.refused(code, RETRY_AFTER_MS));
  }

  private void scheduleSweep() {
    if (!sweepScheduled) {
      sweepScheduled = true;
      vertx.setTimer(
          SWEEP_MS,
          id -> {
            sweepScheduled = false;
            long now = System.nanoTime();
            while (!queue.isEmpty() && queue.peekFirst().deadlineNanos - now <= 0) {
              answerExpired(take());
            }
            pump();
          });
    }
  }

  private void send(RedisLink link, List<Waiting> batch) {
    List<Purchase> purchases = new ArrayList<>(batch.size());
    for (Waiting waiting : batch) {
      purchases.add(waiting.purchase);
    }
    inFlight++;
    long sentAt = System.nanoTime();
    long timeoutMs = session.callTimeoutMs();
    DecidePurchases.run(
            link,
            link.fence(session.epoch(), timeoutMs),
            session.keys(),
            options.limits,
            purchases,
            timeoutMs)
        .onComplete(
            result -> {
              inFlight--;
              metrics.called(batch.size(), System.nanoTime() - sentAt);
              if (result.failed()) {
                failed(batch, result.cause());
              } else if (result.result() instanceof Decided decided) {
                decided(batch, decided.decisions());
              } else if (result.result() instanceof Refused refused) {
                refused(batch, refused.status());
              }
              pump();
            });
  }

  private void decided(List<Waiting> batch, List<Decision> decisions) {
    boolean lost = false;
    for (int i = 0; i < batch.size(); i++) {
      Waiting waiting = batch.get(i);
      Decision decision = decisions.get(i);
      metrics.decided(decision.status());
      lost |= decision.status() == PurchaseStatus.LOST;
      replies.answer(session, waiting.purchase, decision, waiting.answer);
    }
    if (lost) {
      session.refused(FenceStatus.FROZEN);
    }
  }

  /** The script certainly did nothing. */
  private void refused(List<Waiting> batch, FenceStatus status) {
    metrics.fenced();
    session.refused(status);
    putBack(batch);
  }

  private void failed(List<Waiting> batch, Throwable cause) {
    boolean neverSent =
        cause instanceof RedisCallException e && e.kind() == RedisCallException.Kind.NOT_EXECUTED;
    if (!neverSent) {
      metrics.unknown(batch.size());
      answerAll(batch, ErrorCode.OUTCOME_UNKNOWN);
    } else if (((RedisCallException) cause).code().equals("DOWN")) {
      putBack(batch);
    } else {
      answerAll(batch, ErrorCode.UNAVAILABLE);
    }
  }

  private void putBack(List<Waiting> batch) {
    for (int i = batch.size() - 1; i >= 0; i--) {
      queue.addFirst(batch.get(i));
    }
    metrics.queueChanged(batch.size());
    scheduleSweep();
  }

  private static void answerAll(List<Waiting> batch, ErrorCode code) {
    for (Waiting waiting : batch) {
      waiting.answer.accept(PurchaseReply.refused(code, RETRY_AFTER_MS));
    }
  }
}
