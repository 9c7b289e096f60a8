package io.seckill.consumer;

import io.seckill.common.bus.BusFailures;
import io.seckill.common.error.SeckillException;
import io.vertx.core.Future;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.MessageConsumer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The addresses that a verticle answers. Every request gets an answer: what is not a failure of the
 * error table becomes UNAVAILABLE and is logged. Belongs to one event loop.
 */
public final class Answers {

  private static final Logger LOG = LoggerFactory.getLogger(Answers.class);

  /** A failure that repeats is logged this often at most. */
  private final EventBus bus;

  private final List<MessageConsumer<?>> consumers = new ArrayList<>();
  private final LogRate logRate = new LogRate();

  /** Makes an empty set. */
  public Answers(EventBus bus) {
    this.bus = bus;
  }

  /** Answers an address. */
  public <Q, A> Answers on(String address, Function<Q, Future<A>> work) {
    consumers.add(
        bus.<Q>consumer(
            address,
            request ->
                answer(work, request.body())
                    .onComplete(
                        result -> {
                          if (result.succeeded()) {
                            request.reply(result.result());
                          } else {
                            log(address, result.cause());
                            BusFailures.reply(request, result.cause());
                          }
                        })));
    return this;
  }

  private static <Q, A> Future<A> answer(Function<Q, Future<A>> work, Q question) {
    try {
      return work.apply(question);
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
  }

  private void log(String address, Throwable failure) {
    if (!(failure instanceof SeckillException) && logRate.allows()) {
      LOG.warn("{} failed", address, failure);
    }
  }

  /** Completes when all nodes know that the addresses are answered here. */
  public Future<?> registered() {
    return Future.all(consumers.stream().map(MessageConsumer::completion).toList());
  }

  /** Takes no further requests. */
  public Future<?> stop() {
    return Future.join(consumers.stream().map(MessageConsumer::unregister).toList());
  }
}
