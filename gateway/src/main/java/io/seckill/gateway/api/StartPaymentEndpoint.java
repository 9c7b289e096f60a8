package io.seckill.gateway.api;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.PaymentStart;
import io.seckill.common.bus.PaymentStarted;
import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Json;
import io.seckill.gateway.http.Reply;
import io.seckill.gateway.http.Times;
import io.vertx.core.Future;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.http.HttpMethod;

/**
 * Sends a buyer to where he pays an order of his. While that payment is open every further call
 * answers with the same one, so a repeat never makes him pay twice.
 */
public record StartPaymentEndpoint(EventBus bus) implements Endpoint {

  @Override
  public HttpMethod method() {
    return HttpMethod.POST;
  }

  @Override
  public String path() {
    return OrderEndpoint.PREFIX + "{orderId}/payment";
  }

  @Override
  public Access access() {
    return Access.USER;
  }

  @Override
  public Future<Reply> handle(Exchange exchange) {
    PaymentStart start = new PaymentStart(exchange.user(), Paths.order(exchange.parameter(0)));
    return BusRequests.<PaymentStarted>change(
            bus, Addresses.START_PAYMENT, start, CancelOrderEndpoint.DELIVERY)
        .map(StartPaymentEndpoint::reply);
  }

  private static Reply reply(PaymentStarted payment) {
    return Reply.json(
        payment.created() ? 201 : 200,
        Json.object(
            json -> {
              json.writeStringField("paymentId", payment.paymentId());
              json.writeStringField("redirectUrl", payment.redirectUrl());
              json.writeNumberField("amountMinor", payment.amountMinor());
              json.writeStringField("currency", payment.currency());
              json.writeStringField("payBy", Times.rfc3339(payment.payByMs()));
            }));
  }
}
