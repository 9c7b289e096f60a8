package io.seckill.gateway.api;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.BusFailures;
import io.seckill.common.bus.PurchaseReply;
import io.seckill.common.bus.PurchaseRequest;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
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
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
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

  /** How much longer than the engine's budget the bus waits, so that the engine's "no" arrives. */
  private static final long GRACE_MS = 250;

  private final EventBus bus;
  private final PurchaseAdmission admission;
  private final GatewayMetrics metrics;
  private final LongSupplier nanoTime;
  private final long budgetMs;
  private final DeliveryOptions delivery;

  /**
   * A way to the engine.
   *
   * @param bus the bus of this event loop's Vert.x
   * @param admission the layers, shared by the process
   * @param metrics counts
   * @param nanoTime a monotonic clock in nanoseconds
   * @param budgetMs how long a purchase may take in the engine
   */
  public Purchases(
      EventBus bus,
      PurchaseAdmission admission,
      GatewayMetrics metrics,
      LongSupplier nanoTime,
      long budgetMs) {
    this.bus = bus;
    this.admission = admission;
    this.metrics = metrics;
    this.nanoTime = nanoTime;
    this.budgetMs = budgetMs;
    this.delivery = new DeliveryOptions().setSendTimeout(budgetMs + GRACE_MS);
  }

  Future<Reply> buy(Exchange exchange, List<PurchaseLine> lines) {
    IdempotencyKey key = exchange.idempotencyKey();
    Refusal refusal = admission.tryEnter(exchange.user(), lines);
    if (refusal != null) {
      return Future.succeededFuture(refused(refusal));
    }
    long startNanos = nanoTime.getAsLong();
    PurchaseRequest request = new PurchaseRequest(exchange.user(), key, lines, budgetMs);
    return ask(request).transform(outcome -> leave(startNanos, outcome));
  }

  /**
   * The bus throws where a message cannot be sent at all; the place in flight must be given back
   * then too.
   */
  private Future<Message<PurchaseReply>> ask(PurchaseRequest request) {
    try {
      return bus.request(Addresses.PURCHASE, request, delivery);
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
  }

  private Future<Reply> leave(long startNanos, AsyncResult<Message<PurchaseReply>> outcome) {
    admission.leave();
    metrics.purchaseTook(nanoTime.getAsLong() - startNanos);
    return outcome.succeeded()
        ? Future.succeededFuture(replyTo(outcome.result().body()))
        : Future.succeededFuture(failed(outcome.cause()));
  }

  private Reply refused(Refusal refusal) {
    metrics.refused(refusal.layer(), refusal.code());
    return Problems.of(refusal);
  }

  private Reply failed(Throwable cause) {
    SeckillException failure = BusFailures.translate(cause, ErrorCode.OUTCOME_UNKNOWN);
    metrics.refused(Layer.HANDLER, failure.code());
    return Problems.of(failure);
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
