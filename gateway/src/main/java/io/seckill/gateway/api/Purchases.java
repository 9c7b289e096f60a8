package io.seckill.gateway.api;

import io.seckill.common.bus.PurchaseReply;
import io.seckill.common.bus.PurchaseRequest;
import io.seckill.common.bus.PurchaseSender;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.IdempotencyKey;
import io.seckill.common.order.PurchaseLine;
import io.seckill.gateway.GatewayMetrics;
import io.seckill.gateway.admission.Layer;
import io.seckill.gateway.admission.PurchaseAdmission;
import io.seckill.gateway.admission.Refusal;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Fields;
import io.seckill.gateway.http.Problems;
import io.seckill.gateway.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The way of a purchase through the gateway, the same for one line and for several: the layers that
 * only purchases pass, the engine, the answer. Never retries: a repeat with the same key is the
 * buyer's, and it is safe.
 */
public final class Purchases {

  private final PurchaseSender engine;
  private final PurchaseAdmission admission;
  private final GatewayMetrics metrics;
  private final LongSupplier nanoTime;
  private final long budgetMs;

  /**
   * A way to the engine.
   *
   * @param engine of this event loop
   * @param admission the layers, shared by the process
   * @param metrics counts
   * @param nanoTime a monotonic clock in nanoseconds
   * @param budgetMs how long a purchase may take in the engine
   */
  public Purchases(
      PurchaseSender engine,
      PurchaseAdmission admission,
      GatewayMetrics metrics,
      LongSupplier nanoTime,
      long budgetMs) {
    this.engine = engine;
    this.admission = admission;
    this.metrics = metrics;
    this.nanoTime = nanoTime;
    this.budgetMs = budgetMs;
  }

  Future<Reply> buy(Exchange exchange, List<PurchaseLine> lines) {
    IdempotencyKey key = exchange.idempotencyKey();
    Refusal refusal = admission.tryEnter(exchange.user(), lines);
    if (refusal != null) {
      return Future.succeededFuture(refused(refusal));
    }
    long startNanos = nanoTime.getAsLong();
    return engine
        .send(new PurchaseRequest(exchange.user(), key, lines, budgetMs))
        .map(reply -> leave(startNanos, reply));
  }

  private Reply leave(long startNanos, PurchaseReply reply) {
    admission.leave(mayHaveWon(reply));
    metrics.purchaseTook(nanoTime.getAsLong() - startNanos);
    return replyTo(reply);
  }

  private static boolean mayHaveWon(PurchaseReply reply) {
    return reply.refusal() == null
        ? !reply.replayed()
        : reply.refusal() == ErrorCode.OUTCOME_UNKNOWN;
  }

  private Reply refused(Refusal refusal) {
    metrics.refused(refusal.layer(), refusal.code());
    return Problems.of(refusal);
  }

  private Reply replyTo(PurchaseReply reply) {
    if (reply.refusal() == null) {
      metrics.won(reply.replayed());
      return won(reply);
    }
    metrics.refused(Layer.HANDLER, reply.refusal());
    return reply.orderId() != null
        ? Problems.held(reply.refusal(), reply.orderId())
        : Problems.retryLater(reply.refusal(), reply.retryAfterMs());
  }

  private static Reply won(PurchaseReply reply) {
    String orderId = reply.orderId().value();
    // By hand: the id's alphabet needs no escaping, and this is the hottest text of all.
    String remaining = reply.remaining() < 0 ? "" : ",\"remaining\":" + reply.remaining();
    Buffer body =
        Buffer.buffer("{\"orderId\":\"" + orderId + "\",\"status\":\"ACCEPTED\"" + remaining + '}');
    return new Reply(
        reply.replayed() ? 200 : 202,
        Fields.JSON,
        body,
        Map.of(
            HttpHeaders.CACHE_CONTROL,
            Fields.NO_STORE,
            HttpHeaders.LOCATION,
            OrderEndpoint.PREFIX + orderId));
  }
}
