package io.seckill.gateway;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.BusFailures;
import io.seckill.common.bus.Done;
import io.seckill.common.bus.OrderEvent;
import io.seckill.common.bus.OrderEvents;
import io.seckill.common.bus.OrdersChangedQuery;
import io.seckill.common.bus.Places;
import io.seckill.common.bus.PlacesQuery;
import io.seckill.common.bus.WaitlistJoin;
import io.seckill.common.bus.WaitlistLeave;
import io.seckill.common.bus.WaitlistPlace;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.OrderId;
import io.seckill.common.id.UserId;
import io.seckill.common.order.OrderStatus;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/** Knows orders and who waits in line, and answers for consumer and engine. */
final class FakeLedger {

  private final Vertx vertx;
  private final Map<OrderId, OrderEvent> orders = new ConcurrentHashMap<>();
  private final Queue<OrdersChangedQuery> questions = new ConcurrentLinkedQueue<>();
  private final Queue<PlacesQuery> placeQuestions = new ConcurrentLinkedQueue<>();
  private final List<UserId> line = new CopyOnWriteArrayList<>();
  private volatile ErrorCode refusal;
  private volatile boolean silent;
  private volatile long knownSinceMs;

  /** Null while places are answered at once. */
  private volatile Queue<Message<PlacesQuery>> held;

  FakeLedger(Vertx vertx) {
    this.vertx = vertx;
    vertx.eventBus().consumer(Addresses.ORDERS_CHANGED, this::changed);
    vertx.eventBus().consumer(Addresses.WAITLIST_PLACES, this::places);
    vertx.eventBus().consumer(Addresses.JOIN_WAITLIST, this::join);
    vertx.eventBus().consumer(Addresses.LEAVE_WAITLIST, this::leave);
  }

  static OrderEvent order(String user, int number, OrderStatus status, long atMs) {
    return new OrderEvent(new UserId(user), orderId(number), status, "", false, atMs);
  }

  static OrderId orderId(int number) {
    return OrderId.of(String.format("%026d", number));
  }

  /** Stores and publishes. */
  void commit(OrderEvent... events) {
    store(events);
    publish(events);
  }

  /** Stores; the publication is lost. */
  void store(OrderEvent... events) {
    for (OrderEvent event : events) {
      orders.put(event.orderId(), event);
    }
  }

  /** Publishes, however late. */
  void publish(OrderEvent... events) {
    vertx.eventBus().publish(Addresses.ORDER_EVENTS, new OrderEvents(List.of(events)));
  }

  /** Who stands in line, in this order. */
  void line(String... users) {
    line.clear();
    for (String user : users) {
      line.add(new UserId(user));
    }
  }

  /** How the engine refuses whatever it is asked about the line; null for not at all. */
  void refuse(ErrorCode code) {
    refusal = code;
  }

  /** Whether questions about changed orders get no answer. */
  void silent(boolean now) {
    silent = now;
  }

  /** Questions about changes that may be older than this get no answer. */
  void knownSince(long ms) {
    knownSinceMs = ms;
  }

  /** Whoever asks for places waits from now on for {@link #releasePlaces}. */
  void holdPlaces() {
    held = new ConcurrentLinkedQueue<>();
  }

  /** All who asked for their places were next in line then. */
  void releasePlaces() {
    Queue<Message<PlacesQuery>> waiting = held;
    held = null;
    for (Message<PlacesQuery> message : waiting) {
      ItemId item = message.body().item();
      List<WaitlistPlace> found =
          message.body().users().stream()
              .map(user -> new WaitlistPlace(user, item, 1, 1, false))
              .toList();
      message.reply(new Places(item, 1, found));
    }
  }

  Queue<OrdersChangedQuery> questions() {
    return questions;
  }

  Queue<PlacesQuery> placeQuestions() {
    return placeQuestions;
  }

  private void changed(Message<OrdersChangedQuery> message) {
    OrdersChangedQuery query = message.body();
    questions.add(query);
    if (silent || query.sinceMs() < knownSinceMs) {
      message.fail(1, "away");
      return;
    }
    message.reply(
        new OrderEvents(
            orders.values().stream()
                .filter(order -> query.users().contains(order.user()))
                .filter(order -> order.atMs() >= query.sinceMs())
                .sorted(Comparator.comparingLong(OrderEvent::atMs))
                .limit(OrderEvents.MAX)
                .toList()));
  }

  private void places(Message<PlacesQuery> message) {
    PlacesQuery query = message.body();
    placeQuestions.add(query);
    Queue<Message<PlacesQuery>> holding = held;
    if (holding != null) {
      holding.add(message);
      return;
    }
    if (refused(message)) {
      return;
    }
    List<WaitlistPlace> found = new ArrayList<>();
    for (UserId user : query.users()) {
      if (line.contains(user)) {
        found.add(place(user, query.item(), false));
      }
    }
    message.reply(new Places(query.item(), line.size(), found));
  }

  private void join(Message<WaitlistJoin> message) {
    if (refused(message)) {
      return;
    }
    UserId user = message.body().user();
    boolean joined = !line.contains(user);
    if (joined) {
      line.add(user);
    }
    message.reply(place(user, message.body().item(), joined));
  }

  private void leave(Message<WaitlistLeave> message) {
    if (!refused(message)) {
      line.remove(message.body().user());
      message.reply(new Done());
    }
  }

  private boolean refused(Message<?> message) {
    ErrorCode code = refusal;
    if (code != null) {
      BusFailures.reply(message, new SeckillException(code, code.title()));
    }
    return code != null;
  }

  private WaitlistPlace place(UserId user, ItemId item, boolean joined) {
    return new WaitlistPlace(user, item, line.indexOf(user) + 1L, line.size(), joined);
  }
}
