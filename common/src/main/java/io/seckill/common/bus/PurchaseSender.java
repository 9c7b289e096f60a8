package io.seckill.common.bus;

import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The way of purchases over the bus to an engine. What is sent in one turn of the event loop
 * crosses in one {@link PurchaseBatch}; answers come as each purchase is decided, those of one turn
 * of the engine's loop together. No timer and no added delay.
 *
 * <p>Every purchase is answered exactly once, and a purchase that nothing is heard of is {@code
 * OUTCOME_UNKNOWN} when its budget and the grace are over. Nothing is sent twice.
 *
 * <p>Belongs to the event loop that started it. It ends with the verticle whose context that was:
 * Vert.x unregisters its address and cancels its timer after the verticle's own {@code stop}, which
 * therefore can wait for what is under way.
 */
public final class PurchaseSender {

  /**
   * Purchases that may wait for an answer: twice what a gateway process lets in, so it refuses only
   * where nothing before it did.
   */
  static final int MAX_OUTSTANDING = 20_000;

  /** How often purchases are looked through for those whose time is over. */
  private static final long SWEEP_MS = 50;

  private static final long RETRY_AFTER_MS = 1_000;

  private final EventBus bus;
  private final Context loop;
  private final long graceMs;
  private final String replyTo = Addresses.PURCHASE_REPLIES_PREFIX + UUID.randomUUID();
  private final Map<Long, Batch> underWay = new HashMap<>();

  private List<Purchase> collected = new ArrayList<>();
  private long lastId;
  private int outstanding;

  private PurchaseSender(Vertx vertx, long graceMs) {
    this.bus = vertx.eventBus();
    this.loop = vertx.getOrCreateContext();
    this.graceMs = graceMs;
  }

  /**
   * Makes a sender. To be called on the event loop that it is to belong to.
   *
   * @param vertx whose bus knows all codecs
   * @param graceMs how much longer than its budget a purchase waits for the engine's answer
   * @return the sender, as soon as engines can reach its address; fails when it cannot be
   *     registered
   */
  public static Future<PurchaseSender> start(Vertx vertx, long graceMs) {
    PurchaseSender sender = new PurchaseSender(vertx, graceMs);
    vertx.setPeriodic(SWEEP_MS, id -> sender.sweep(System.nanoTime()));
    return vertx
        .eventBus()
        .<PurchaseReplies>consumer(sender.replyTo, sender::take)
        .completion()
        .map(sender);
  }

  /**
   * Sends a purchase at the end of this turn of the event loop. Its answer comes in a later turn.
   *
   * @return what became of it; never fails. Beside what the engine says: BUSY when {@value
   *     #MAX_OUTSTANDING} wait already, UNAVAILABLE when there is no engine, OUTCOME_UNKNOWN when
   *     no answer came in time or it is not known whether an engine has it
   */
  public Future<PurchaseReply> send(PurchaseRequest request) {
    if (outstanding == MAX_OUTSTANDING) {
      PurchaseReply busy = PurchaseReply.refused(ErrorCode.BUSY, RETRY_AFTER_MS);
      return Future.future(answer -> loop.runOnContext(turn -> answer.complete(busy)));
    }
    outstanding++;
    if (collected.isEmpty()) {
      loop.runOnContext(turn -> sendCollected());
    }
    Purchase purchase = new Purchase(request, Promise.promise());
    collected.add(purchase);
    return purchase.answer.future();
  }

  private void sendCollected() {
    List<Purchase> all = collected;
    collected = new ArrayList<>();
    for (int from = 0; from < all.size(); from += PurchaseBatch.MAX_PURCHASES) {
      int to = Math.min(from + PurchaseBatch.MAX_PURCHASES, all.size());
      Batch batch = new Batch(++lastId, all.subList(from, to));
      underWay.put(batch.id, batch);
      deliver(batch).onFailure(cause -> failed(batch, cause));
    }
  }

  /** The bus throws where a message cannot be sent at all. */
  private Future<Message<Done>> deliver(Batch batch) {
    List<PurchaseRequest> requests = new ArrayList<>(batch.purchases.length);
    long longestMs = 0;
    for (Purchase purchase : batch.purchases) {
      requests.add(purchase.request);
      longestMs = Math.max(longestMs, purchase.request.budgetMs());
    }
    try {
      return bus.request(
          Addresses.PURCHASE,
          new PurchaseBatch(replyTo, batch.id, requests),
          new DeliveryOptions().setSendTimeout(longestMs + graceMs));
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
  }

  /** No engine took the batch, or it is not known whether one did. */
  private void failed(Batch batch, Throwable cause) {
    SeckillException failure = BusFailures.translate(cause, ErrorCode.OUTCOME_UNKNOWN);
    underWay.remove(batch.id);
    for (int i = 0; i < batch.purchases.length; i++) {
      batch.answer(i, PurchaseReply.refused(failure.code()));
    }
  }

  private void take(Message<PurchaseReplies> message) {
    for (PurchaseReplies.Answer answer : message.body().answers()) {
      Batch batch = underWay.get(answer.batch());
      // Whoever was answered already has been told that the outcome is unknown.
      if (batch != null && batch.answer(answer.index(), answer.reply())) {
        underWay.remove(batch.id);
      }
    }
  }

  private void sweep(long nowNanos) {
    underWay.values().removeIf(batch -> batch.endLate(nowNanos));
  }

  private record Purchase(PurchaseRequest request, Promise<PurchaseReply> answer) {}

  /** Purchases that share a message. */
  private final class Batch {

    private final long id;
    private final long sentAtNanos = System.nanoTime();

    /** By index; null as soon as it is answered. */
    private final Purchase[] purchases;

    private int open;

    Batch(long id, List<Purchase> purchases) {
      this.id = id;
      this.purchases = purchases.toArray(Purchase[]::new);
      this.open = purchases.size();
    }

    /**
     * Answers a purchase that has no answer yet.
     *
     * @return whether all have theirs
     */
    boolean answer(int index, PurchaseReply reply) {
      Purchase purchase = purchases[index];
      if (purchase != null) {
        purchases[index] = null;
        open--;
        outstanding--;
        try {
          purchase.answer.complete(reply);
        } catch (RuntimeException e) {
          // Of whoever asked. It is his alone: the other answers must not be lost.
          loop.runOnContext(
              turn -> {
                throw e;
              });
        }
      }
      return open == 0;
    }

    /**
     * Answers those whose time is over.
     *
     * @return whether all have their answer
     */
    boolean endLate(long nowNanos) {
      long passedMs = (nowNanos - sentAtNanos) / 1_000_000;
      for (int i = 0; i < purchases.length; i++) {
        if (purchases[i] != null && passedMs >= purchases[i].request.budgetMs() + graceMs) {
          answer(i, PurchaseReply.refused(ErrorCode.OUTCOME_UNKNOWN));
        }
      }
      return open == 0;
    }
  }
}
