package io.seckill.gateway.api;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.Done;
import io.seckill.common.bus.PaymentNotice;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.payment.CallbackSignature;
import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.BodyRule;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Json;
import io.seckill.gateway.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.http.HttpMethod;
import java.util.function.LongSupplier;

/**
 * Takes what the payment provider says. Its signature over the raw body stands in for a token, and
 * is checked before a byte of the body is read as JSON. The same notice again is answered the same
 * and changes nothing; a provider that is told 503 sends it again.
 *
 * @param bus the bus
 * @param signature checks; belongs to the event loop of this endpoint
 * @param epochMs the clock
 */
public record PaymentCallbackEndpoint(
    EventBus bus, CallbackSignature signature, LongSupplier epochMs) implements Endpoint {

  @Override
  public HttpMethod method() {
    return HttpMethod.POST;
  }

  @Override
  public String path() {
    return "/api/v1/payments/callback";
  }

  @Override
  public Access access() {
    return Access.SIGNED;
  }

  @Override
  public BodyRule body() {
    return BodyRule.REQUIRED;
  }

  @Override
  public Future<Reply> handle(Exchange exchange) {
    String signed = exchange.onlyHeader(CallbackSignature.HEADER);
    if (!signature.verify(exchange.body(), signed, epochMs.getAsLong())) {
      throw new SeckillException(
          ErrorCode.UNAUTHENTICATED, "The signature is missing, wrong or too old.");
    }
    PaymentNotice notice = PaymentNotices.read(exchange.body());
    return BusRequests.<Done>change(
            bus, Addresses.PAYMENT_NOTICE, notice, CancelOrderEndpoint.DELIVERY)
        .map(done -> Reply.json(200, Json.object(json -> {})));
  }
}
