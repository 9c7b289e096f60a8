package io.seckill.gateway.api;

import io.seckill.common.bus.BusFailures;
import io.seckill.common.error.ErrorCode;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;

/** How endpoints ask the other roles. */
public final class BusRequests {

  private BusRequests() {}

  /** Asks for a change. When no answer comes in time, the outcome is unknown. */
  public static <T> Future<T> change(
      EventBus bus, String address, Object message, DeliveryOptions delivery) {
    return ask(bus, address, message, delivery, ErrorCode.OUTCOME_UNKNOWN);
  }

  /** Asks for something that changes nothing: without an answer in time it is UNAVAILABLE. */
  public static <T> Future<T> read(
      EventBus bus, String address, Object message, DeliveryOptions delivery) {
    return ask(bus, address, message, delivery, ErrorCode.UNAVAILABLE);
  }

  private static <T> Future<T> ask(
      EventBus bus, String address, Object message, DeliveryOptions delivery, ErrorCode onTimeout) {
    return bus.<T>request(address, message, delivery)
        .map(Message::body)
        .recover(cause -> Future.failedFuture(BusFailures.translate(cause, onTimeout)));
  }
}
