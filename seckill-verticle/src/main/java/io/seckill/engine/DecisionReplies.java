package io.seckill.engine;

import io.seckill.common.bus.PurchaseReply;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.OrderId;
import io.seckill.common.id.OrderIds;
import io.seckill.common.id.ShardRef;
import io.seckill.common.id.WinId;
import io.seckill.common.order.PurchaseLine;
import io.seckill.lua.DecidePurchases.Decision;
import io.seckill.lua.DecidePurchases.Purchase;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Turns the script's decision into the buyer's answer. Belongs to one event loop. */
final class DecisionReplies {

  /** What a buyer of a dry shard is told while units may be elsewhere. */
  private static final long BUSY_RETRY_MS = 1_000;

  /** How long a buyer waits to learn whether units are elsewhere. */
  private static final long PROOF_MS = 300;

  private final int region;
  private final int shardCount;
  private final OrderIds orderIds;
  private final SoldOutState soldOut;

  DecisionReplies(int region, int shardCount, OrderIds orderIds, SoldOutState soldOut) {
    this.region = region;
    this.shardCount = shardCount;
    this.orderIds = orderIds;
    this.soldOut = soldOut;
  }

  /**
   * Answers at once, or, when the shard is dry and it is not known whether all are, as soon as that
   * is known.
   */
  void answer(
      ShardSession session, Purchase purchase, Decision decision, Consumer<PurchaseReply> answer) {
    switch (decision.status()) {
      case WIN ->
          answer.accept(
              PurchaseReply.accepted(
                  orderId(session, decision.entry()), remaining(purchase, decision.number())));
      case REPLAY -> answer.accept(PurchaseReply.replayed(orderId(session, decision.entry())));
      case LIMIT ->
          answer.accept(
              decision.entry() == null
                  ? PurchaseReply.refused(ErrorCode.LIMIT_REACHED)
                  : PurchaseReply.limitReached(orderId(session, decision.entry())));
      case DRY -> answerDry(purchase, decision.number(), answer);
      case CONFLICT -> answer.accept(PurchaseReply.refused(ErrorCode.CONFLICT));
      case NOT_READY -> answer.accept(PurchaseReply.refused(ErrorCode.NOT_READY));
      case NOT_STARTED ->
          answer.accept(PurchaseReply.refused(ErrorCode.NOT_STARTED, decision.number()));
      case ENDED -> answer.accept(PurchaseReply.refused(ErrorCode.ENDED));
      case PAUSED -> answer.accept(PurchaseReply.refused(ErrorCode.PAUSED));
      case WINDOW ->
          answer.accept(PurchaseReply.refused(ErrorCode.RATE_LIMITED, decision.number()));
      case INVALID -> answer.accept(PurchaseReply.refused(ErrorCode.INVALID_REQUEST));
      case LOST, LOG_FULL, NOT_WRITTEN ->
          answer.accept(PurchaseReply.refused(ErrorCode.UNAVAILABLE, BUSY_RETRY_MS));
    }
  }

  private void answerDry(Purchase purchase, long left, Consumer<PurchaseReply> answer) {
    if (shardCount == 1) {
      // The script saw the only shard: what it saw is the whole truth at that instant.
      // For a basket the number is the stock of the line that was short; below 0 it is a debt.
      ErrorCode code = left <= 0 ? ErrorCode.SOLD_OUT : ErrorCode.INSUFFICIENT_STOCK;
      answer.accept(PurchaseReply.refused(code));
      return;
    }
    soldOut
        .prove(purchase.lines().stream().map(PurchaseLine::item).toList())
        .timeout(PROOF_MS, TimeUnit.MILLISECONDS)
        .onComplete(
            proof ->
                answer.accept(
                    proof.succeeded() && proof.result()
                        ? PurchaseReply.refused(ErrorCode.SOLD_OUT)
                        : PurchaseReply.refused(ErrorCode.BUSY, BUSY_RETRY_MS)));
  }

  private long remaining(Purchase purchase, long leftInShard) {
    if (shardCount == 1) {
      return leftInShard;
    }
    PurchaseLine last = purchase.lines().get(purchase.lines().size() - 1);
    return Math.max(leftInShard, soldOut.remaining(last.item()));
  }

  private OrderId orderId(ShardSession session, EntryId entry) {
    return orderIds.seal(new WinId(new ShardRef(region, session.shard()), entry));
  }
}
