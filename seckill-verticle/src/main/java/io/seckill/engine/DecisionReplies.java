package io.seckill.engine;

import io.seckill.common.bus.PurchaseReply;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.OrderId;
import io.seckill.common.id.OrderIds;
import io.seckill.common.id.ShardRef;
import io.seckill.common.id.WinId;
import io.seckill.common.order.PurchaseLine;
import io.seckill.engine.PurchaseBatcher.Retry;
import io.seckill.lua.DecidePurchases.Decision;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** Turns the script's decision into the buyer's answer. Belongs to one event loop. */
final class DecisionReplies {

  /** What a buyer of a dry shard is told while units may be elsewhere. */
  private static final long BUSY_RETRY_MS = 1_000;

  /** How long a buyer waits for units of other shards, or to learn that there are none. */
  private static final long WAIT_MS = 300;

  private final EngineContext engine;
  private final OrderIds orderIds;

  DecisionReplies(EngineContext engine, OrderIds orderIds) {
    this.engine = engine;
    this.orderIds = orderIds;
  }

  /**
   * Answers, or offers the purchase again: at once, or, when the shard is dry and it is not known
   * whether all are, as soon as units came or that is known.
   */
  void answer(
      ShardSession session,
      List<PurchaseLine> lines,
      Decision decision,
      Consumer<PurchaseReply> answer,
      Retry retry) {
    switch (decision.status()) {
      case WIN ->
          answer.accept(
              PurchaseReply.accepted(
                  orderId(session, decision.entry()), remaining(lines, decision.number())));
      case REPLAY -> answer.accept(PurchaseReply.replayed(orderId(session, decision.entry())));
      case LIMIT ->
          answer.accept(
              decision.entry() == null
                  ? PurchaseReply.refused(ErrorCode.LIMIT_REACHED)
                  : PurchaseReply.limitReached(orderId(session, decision.entry())));
      case LINE -> answer.accept(PurchaseReply.refused(ErrorCode.SOLD_OUT));
      case DRY -> {
        ErrorCode known = knownOfDry(lines, decision.number());
        if (known == null) {
          await(engine.supply()::await, session, lines, answer, retry);
        } else {
          answer.accept(PurchaseReply.refused(known));
        }
      }
      case GROUP -> {
        // The shard knows another group than this node: a new item, or a new group of it.
        if (retry.offers() == 0) {
          await(engine.supply()::learn, session, lines, answer, retry);
        } else {
          answer.accept(PurchaseReply.refused(ErrorCode.BUSY, BUSY_RETRY_MS));
        }
      }
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

  /** What is known of a purchase that found too few units in its shard; null when nothing is. */
  private ErrorCode knownOfDry(List<PurchaseLine> lines, long left) {
    if (engine.access().shardCount() == 1) {
      // The script saw the only shard: what it saw is the whole truth at that instant.
      // For a basket the number is the stock of the line that was short; below 0 it is a debt.
      return left <= 0 ? ErrorCode.SOLD_OUT : ErrorCode.INSUFFICIENT_STOCK;
    }
    return engine.soldOut().anySoldOut(lines) ? ErrorCode.SOLD_OUT : null;
  }

  private void await(
      Function<Supply.Shortage, Future<Supply.Verdict>> place,
      ShardSession session,
      List<PurchaseLine> lines,
      Consumer<PurchaseReply> answer,
      Retry retry) {
    long waitMs = Math.min(WAIT_MS - retry.heldMs(), retry.leftMs());
    if (waitMs <= 0) {
      answer.accept(PurchaseReply.refused(ErrorCode.BUSY, BUSY_RETRY_MS));
      return;
    }
    place
        .apply(new Supply.Shortage(session.shard(), lines, waitMs))
        .onSuccess(
            verdict -> {
              switch (verdict) {
                case OFFER_AGAIN -> retry.offerAgain();
                case SOLD_OUT -> answer.accept(PurchaseReply.refused(ErrorCode.SOLD_OUT));
                case INSUFFICIENT_STOCK ->
                    answer.accept(PurchaseReply.refused(ErrorCode.INSUFFICIENT_STOCK));
                case BUSY -> answer.accept(PurchaseReply.refused(ErrorCode.BUSY, BUSY_RETRY_MS));
              }
            });
  }

  private long remaining(List<PurchaseLine> lines, long leftInShard) {
    if (engine.access().shardCount() == 1) {
      return leftInShard;
    }
    PurchaseLine last = lines.get(lines.size() - 1);
    return Math.max(leftInShard, engine.soldOut().remaining(last.item()));
  }

  private OrderId orderId(ShardSession session, EntryId entry) {
    return orderIds.seal(new WinId(new ShardRef(engine.region(), session.shard()), entry));
  }
}
