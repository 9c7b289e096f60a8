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
import io.vertx.core.Promise;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import java.util.ArrayList;
import java.util.Iterator;
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

  /** What clocks may differ by; what was told already is not told again. */
  private static final long CLOCKS_MS = 45_000;

  private static final DeliveryOptions DELIVERY = new DeliveryOptions().setSendTimeout(5_000);

  private final EventBus bus;
  private final EventHub hub;
  private final LongSupplier epochMs;
  private final long overlapMs;
  private long completeToMs;

  /**
   * Asks nothing yet.
   *
   * @param transactionMs how long a transaction of the ledger may take: a change is dated before
   *     its transaction ends, by MySQL's clock, so each round looks back so far beyond the one
   *     before
   */
  EventSync(EventBus bus, EventHub hub, LongSupplier epochMs, long transactionMs) {
    this.bus = bus;
    this.hub = hub;
    this.epochMs = epochMs;
    overlapMs = transactionMs + CLOCKS_MS;
    completeToMs = epochMs.getAsLong();
  }

  /** Tells some of those who have just come where they stand; there may be more. */
  Future<Void> welcome() {
    List<EventStream> taken = hub.takeFresh(PAGE);
    if (taken.isEmpty()) {
      return Future.succeededFuture();
    }
    long sinceMs = taken.stream().mapToLong(EventStream::sinceMs).min().getAsLong();
    List<UserId> users = usersOf(taken);
    return orders(users, sinceMs)
        .onFailure(cause -> hub.giveBack(taken))
        .compose(told -> placesOf(taken));
  }

  /** Asks for all orders that have changed since the last round that went well. */
  Future<Void> orders() {
    long startedMs = epochMs.getAsLong();
    long sinceMs = completeToMs - overlapMs;
    return oneByOne(pages(hub.users()), page -> orders(page, sinceMs))
        .onSuccess(told -> completeToMs = startedMs);
  }

  /** Asks for the places of all who listen to an item that people wait for. */
  Future<Void> places() {
    return oneByOne(
        waitedFor(),
        topic ->
            oneByOne(pages(topic.users()), page -> places(topic.item(), page))
                // One item of which nothing can be said must not silence the others.
                .transform(outcome -> Future.succeededFuture()));
  }

  /** The next round asks for what this could not learn. */
  private Future<Void> placesOf(List<EventStream> streams) {
    return oneByOne(
            waitedFor(),
            topic -> {
              List<UserId> users =
                  usersOf(streams.stream().filter(topic.subscribers()::contains).toList());
              return users.isEmpty() ? Future.succeededFuture() : places(topic.item(), users);
            })
        .transform(outcome -> Future.succeededFuture());
  }

  private List<ItemTopic> waitedFor() {
    return hub.topics().stream().filter(ItemTopic::isWaitedFor).toList();
  }

  private Future<Void> places(ItemId item, List<UserId> users) {
    return BusRequests.<Places>read(
            bus, Addresses.WAITLIST_PLACES, new PlacesQuery(item, users), DELIVERY)
        .onSuccess(found -> hub.tellPlaces(users, found))
        .mapEmpty();
  }

  private Future<Void> orders(List<UserId> users, long sinceMs) {
    return BusRequests.<OrderEvents>read(
            bus, Addresses.ORDERS_CHANGED, new OrdersChangedQuery(users, sinceMs), DELIVERY)
        .compose(
            found -> {
              List<OrderEvent> events = found.events();
              hub.tellAsked(events);
              return events.size() < OrderEvents.MAX
                  ? Future.succeededFuture()
                  : ordersFrom(events.get(events.size() - 1).atMs(), users, sinceMs);
            });
  }

  /** Asks for what a full answer left out: it broke off within a millisecond. */
  private Future<Void> ordersFrom(long brokenOffMs, List<UserId> users, long sinceMs) {
    if (brokenOffMs > sinceMs) {
      return orders(users, brokenOffMs);
    }
    if (users.size() == 1) {
      // Nobody's orders change so often; but a question is never asked for ever.
      return orders(users, sinceMs + 1);
    }
    int half = users.size() / 2;
    return oneByOne(
        List.of(users.subList(0, half), users.subList(half, users.size())),
        some -> orders(some, sinceMs));
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

  /**
   * Takes one step after the other, up to the first that fails. A loop, not a chain of futures:
   * however many steps are over at once, the stack does not grow.
   */
  static <T> Future<Void> oneByOne(List<T> all, Function<T, Future<Void>> step) {
    Promise<Void> done = Promise.promise();
    goOn(all.iterator(), step, done);
    return done.future();
  }

  private static <T> void goOn(
      Iterator<T> rest, Function<T, Future<Void>> step, Promise<Void> done) {
    while (rest.hasNext()) {
      T next = rest.next();
      // Within compose, so that a step that throws is one that fails.
      Future<Void> taken = Future.<Void>succeededFuture().compose(unused -> step.apply(next));
      if (!taken.isComplete()) {
        taken.onSuccess(unused -> goOn(rest, step, done)).onFailure(done::fail);
        return;
      }
      if (taken.failed()) {
        done.fail(taken.cause());
        return;
      }
    }
    done.complete();
  }
}
