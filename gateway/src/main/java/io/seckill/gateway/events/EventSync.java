package io.seckill.gateway.events;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.OrderEvent;
import io.seckill.common.bus.OrderEvents;
import io.seckill.common.bus.OrdersChangedQuery;
import io.seckill.common.bus.Places;
import io.seckill.common.bus.PlacesQuery;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.gateway.api.BusRequests;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Asks ledger and engine for what listeners have to know: when they come, and again and again,
 * because what is published may be lost. Questions are about many users each, and one follows the
 * other. A question without an answer needs no word: the next round asks for the same.
 *
 * <p>Belongs to the event loop of {@link EventHub}.
 */
final class EventSync {

  /** Users of one question, as the ledger and the engine allow. */
  private static final int PAGE = PlacesQuery.MAX_USERS;

  /**
   * How far each round looks back beyond the one before: a change is dated before its transaction
   * ends, by MySQL's clock. Transactions end within {@code mysql.statementTimeoutMs}, 15 s by
   * default; the rest is for clocks that differ. What was told already is not told again.
   */
  private static final long OVERLAP_MS = 60_000;

  private static final DeliveryOptions DELIVERY = new DeliveryOptions().setSendTimeout(5_000);

  private final EventBus bus;
  private final EventHub hub;
  private final LongSupplier epochMs;
  private long completeToMs;

  EventSync(EventBus bus, EventHub hub, LongSupplier epochMs) {
    this.bus = bus;
    this.hub = hub;
    this.epochMs = epochMs;
    completeToMs = epochMs.getAsLong();
  }

  /** Tells those who have just come where they stand. */
  Future<Void> welcome() {
    List<EventStream> taken = hub.takeFresh(PAGE);
    if (taken.isEmpty()) {
      return Future.succeededFuture();
    }
    long sinceMs = taken.stream().mapToLong(EventStream::sinceMs).min().getAsLong();
    List<UserId> users = usersOf(taken);
    return orders(users, sinceMs)
        .onFailure(cause -> hub.giveBack(taken))
        .compose(told -> placesOf(taken))
        .compose(told -> welcome());
  }

  /** Asks for all orders that have changed since the last round that went well. */
  Future<Void> orders() {
    long startedMs = epochMs.getAsLong();
    long sinceMs = completeToMs - OVERLAP_MS;
    return oneByOne(pages(hub.users()), page -> orders(page, sinceMs))
        .onSuccess(told -> completeToMs = startedMs);
  }

  /** Asks for the places of all who listen to an item that people wait for. */
  Future<Void> places() {
    return oneByOne(List.copyOf(hub.topics()), this::places);
  }

  private Future<Void> places(ItemTopic topic) {
    if (topic.isWaitedFor()) {
      return oneByOne(pages(topic.users()), page -> places(topic.item(), page));
    }
    if (topic.arePlacesTold()) {
      topic.placesTold(false);
      hub.tellPlaces(topic.users(), new Places(topic.item(), 0, List.of()));
    }
    return Future.succeededFuture();
  }

  private Future<Void> placesOf(List<EventStream> streams) {
    List<ItemTopic> waitedFor = hub.topics().stream().filter(ItemTopic::isWaitedFor).toList();
    return oneByOne(
        waitedFor,
        topic -> {
          List<UserId> users =
              usersOf(streams.stream().filter(topic.subscribers()::contains).toList());
          return users.isEmpty() ? Future.succeededFuture() : places(topic.item(), users);
        });
  }

  private Future<Void> places(ItemId item, List<UserId> users) {
    return BusRequests.<Places>read(
            bus, Addresses.WAITLIST_PLACES, new PlacesQuery(item, users), DELIVERY)
        .onSuccess(found -> hub.tellPlaces(users, found))
        // One item of which nothing can be said must not silence the others.
        .transform(outcome -> Future.succeededFuture());
  }

  private Future<Void> orders(List<UserId> users, long sinceMs) {
    return BusRequests.<OrderEvents>read(
            bus, Addresses.ORDERS_CHANGED, new OrdersChangedQuery(users, sinceMs), DELIVERY)
        .compose(
            found -> {
              hub.tellAsked(found.events());
              long nextMs = endOf(found.events(), sinceMs);
              return nextMs < 0 ? Future.succeededFuture() : orders(users, nextMs);
            });
  }

  /** Where a full answer broke off; −1 when it is complete. */
  private static long endOf(List<OrderEvent> events, long sinceMs) {
    if (events.size() < OrderEvents.MAX) {
      return -1;
    }
    // The same millisecond again, which may have more; never for ever.
    return Math.max(events.get(events.size() - 1).atMs(), sinceMs + 1);
  }

  private static List<UserId> usersOf(List<EventStream> streams) {
    return streams.stream().map(EventStream::user).distinct().toList();
  }

  private static List<List<UserId>> pages(List<UserId> users) {
    List<List<UserId>> pages = new ArrayList<>();
    for (int from = 0; from < users.size(); from += PAGE) {
      pages.add(users.subList(from, Math.min(from + PAGE, users.size())));
    }
    return pages;
  }

  private static <T> Future<Void> oneByOne(List<T> all, Function<T, Future<Void>> step) {
    Future<Void> done = Future.succeededFuture();
    for (T one : all) {
      done = done.compose(before -> step.apply(one));
    }
    return done;
  }
}
