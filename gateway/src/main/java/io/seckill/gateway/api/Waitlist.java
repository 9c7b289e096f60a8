package io.seckill.gateway.api;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.Done;
import io.seckill.common.bus.Places;
import io.seckill.common.bus.PlacesQuery;
import io.seckill.common.bus.WaitlistJoin;
import io.seckill.common.bus.WaitlistLeave;
import io.seckill.common.bus.WaitlistPlace;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.ItemId;
import io.seckill.gateway.admission.BacklogGate;
import io.seckill.gateway.admission.Refusal;
import io.seckill.gateway.board.BoardStore;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Json;
import io.seckill.gateway.http.Reply;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import java.util.List;
import java.util.Map;

/**
 * The way of those who wait for an item: to join, to look, to leave. The same user may do each of
 * them any number of times to the same effect, so an unknown outcome is simply asked for again.
 */
public final class Waitlist {

  static final String PATH = "/api/v1/items/{itemId}/waitlist";

  /** One call to Redis, and a look into all shards for the place. */
  private static final DeliveryOptions DELIVERY = new DeliveryOptions().setSendTimeout(5_000);

  private final EventBus bus;
  private final BoardStore board;
  private final Polls polls;
  private final BacklogGate backlog;

  /**
   * A way to the engine.
   *
   * @param bus of this process
   * @param board what items there are
   * @param polls how often a user may come
   * @param backlog what whoever joins passes, as an entry of a log
   */
  public Waitlist(EventBus bus, BoardStore board, Polls polls, BacklogGate backlog) {
    this.bus = bus;
    this.board = board;
    this.polls = polls;
    this.backlog = backlog;
  }

  Future<Reply> join(Exchange exchange) {
    if (exchange.hasBody()) {
      Json.read(exchange.body(), (name, value) -> false);
    }
    ItemId item = item(exchange);
    return polls.ask(exchange.user(), () -> join(new WaitlistJoin(exchange.user(), item)));
  }

  private Future<Reply> join(WaitlistJoin join) {
    Refusal refusal = backlog.tryPass();
    if (refusal != null) {
      return polls.refused(refusal);
    }
    return BusRequests.<WaitlistPlace>change(bus, Addresses.JOIN_WAITLIST, join, DELIVERY)
        .onComplete(
            outcome -> {
              if (!mayHaveJoined(outcome)) {
                backlog.giveBack();
              }
            })
        .map(place -> reply(place.joined() ? 201 : 200, place));
  }

  private static boolean mayHaveJoined(AsyncResult<WaitlistPlace> outcome) {
    return outcome.succeeded()
        ? outcome.result().joined()
        : outcome.cause() instanceof SeckillException known && !known.code().outcomeKnown();
  }

  Future<Reply> look(Exchange exchange) {
    ItemId item = item(exchange);
    return polls.ask(
        exchange.user(),
        () ->
            BusRequests.<Places>read(
                    bus,
                    Addresses.WAITLIST_PLACES,
                    new PlacesQuery(item, List.of(exchange.user())),
                    DELIVERY)
                .map(Waitlist::onlyPlace));
  }

  Future<Reply> leave(Exchange exchange) {
    ItemId item = item(exchange);
    return polls.ask(
        exchange.user(),
        () ->
            BusRequests.<Done>change(
                    bus,
                    Addresses.LEAVE_WAITLIST,
                    new WaitlistLeave(exchange.user(), item),
                    DELIVERY)
                .map(done -> Reply.empty(204, Map.of())));
  }

  /** The item of the path, which has to be on the board. */
  private ItemId item(Exchange exchange) {
    ItemId item = Paths.item(exchange.parameter(0));
    if (!board.isKnown()) {
      throw new SeckillException(ErrorCode.UNAVAILABLE, ErrorCode.UNAVAILABLE.title());
    }
    if (board.find(item) == null) {
      throw Paths.notFound();
    }
    return item;
  }

  private static Reply onlyPlace(Places places) {
    if (places.places().isEmpty()) {
      throw Paths.notFound();
    }
    return reply(200, places.places().get(0));
  }

  private static Reply reply(int status, WaitlistPlace place) {
    return Reply.json(
        status,
        Json.object(
            json -> {
              json.writeStringField("itemId", place.item().toString());
              json.writeNumberField("place", place.place());
              json.writeNumberField("waiting", place.waiting());
            }));
  }
}
