package io.seckill.gateway.events;

import io.seckill.common.bus.ItemView;
import io.seckill.common.bus.OrderEvent;
import io.seckill.common.bus.Places;
import io.seckill.common.bus.WaitlistPlace;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.gateway.GatewayMetrics;
import io.seckill.gateway.GatewayMetrics.EventType;
import io.seckill.gateway.board.BoardSnapshot;
import io.seckill.gateway.board.BoardStore;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * All open event streams of a process, by user and by item. Whatever happens is looked up here, so
 * an event of a user without a stream costs one look into a map, and there is no timer for each
 * stream.
 *
 * <p>Belongs to one event loop, whichever loops the streams are written on.
 */
final class EventHub {

  private final BoardStore board;
  private final SeckillConfig.Gateway config;
  private final GatewayMetrics metrics;
  private final EventClocks clocks;
  private final Set<EventStream> streams = new LinkedHashSet<>();
  private final Map<UserId, Deque<EventStream>> byUser = new HashMap<>();
  private final Map<ItemId, ItemTopic> topics = new HashMap<>();
  private final Set<EventStream> fresh = new LinkedHashSet<>();

  EventHub(
      BoardStore board, SeckillConfig.Gateway config, GatewayMetrics metrics, EventClocks clocks) {
    this.board = board;
    this.config = config;
    this.metrics = metrics;
    this.clocks = clocks;
  }

  /** Takes a stream in, at the cost of the user's oldest one when he has too many. */
  void add(EventStream stream) {
    Deque<EventStream> his = byUser.computeIfAbsent(stream.user(), user -> new ArrayDeque<>(1));
    his.add(stream);
    if (his.size() > config.eventStreamsPerUser()) {
      EventStream oldest = his.element();
      oldest.end(EventTexts.End.REPLACED);
      remove(oldest);
    }
    streams.add(stream);
    fresh.add(stream);
    for (ItemId item : stream.items()) {
      ItemTopic topic = topics.computeIfAbsent(item, ItemTopic::new);
      tell(topic);
      topic.subscribers().add(stream);
      if (topic.text() != null) {
        send(EventType.ITEM, stream, topic.text());
        if (!topic.isWaitedFor()) {
          tellPlace(stream, item, 0, 0);
        }
      }
    }
  }

  /** Forgets a stream; also one that is forgotten already. */
  void remove(EventStream stream) {
    if (!streams.remove(stream)) {
      return;
    }
    fresh.remove(stream);
    byUser.computeIfPresent(
        stream.user(),
        (user, his) -> {
          his.remove(stream);
          return his.isEmpty() ? null : his;
        });
    for (ItemId item : stream.items()) {
      topics.computeIfPresent(
          item,
          (id, topic) -> {
            topic.subscribers().remove(stream);
            return topic.subscribers().isEmpty() ? null : topic;
          });
    }
  }

  boolean isEmpty() {
    return streams.isEmpty();
  }

  /** Whether there are streams that nothing has been asked for yet. */
  boolean hasFresh() {
    return !fresh.isEmpty();
  }

  /** The users who listen. */
  List<UserId> users() {
    return List.copyOf(byUser.keySet());
  }

  /** Streams that nothing has been asked for yet, at most so many; they are fresh no longer. */
  List<EventStream> takeFresh(int most) {
    List<EventStream> taken = fresh.stream().limit(most).toList();
    taken.forEach(fresh::remove);
    return taken;
  }

  /** What was to be asked for these could not be. */
  void giveBack(List<EventStream> taken) {
    taken.stream().filter(streams::contains).forEach(fresh::add);
  }

  /** The items that somebody listens to. */
  Collection<ItemTopic> topics() {
    return topics.values();
  }

  /** Tells what was published: it is new, whoever hears it. */
  void tell(List<OrderEvent> orders) {
    for (OrderEvent order : orders) {
      tell(order, false);
    }
  }

  /** Tells what was asked for: each stream wants no older changes than it said. */
  void tellAsked(List<OrderEvent> orders) {
    for (OrderEvent order : orders) {
      tell(order, true);
    }
  }

  private void tell(OrderEvent order, boolean asked) {
    Deque<EventStream> his = byUser.get(order.user());
    if (his == null) {
      return;
    }
    Buffer text = null;
    for (EventStream stream : his) {
      boolean wanted = !asked || order.atMs() >= stream.sinceMs();
      if (wanted && stream.isNews(order)) {
        text = text == null ? EventTexts.order(order) : text;
        send(EventType.ORDER, stream, text);
      }
    }
  }

  /**
   * Tells users their places.
   *
   * @param asked who was asked about; whoever of them has no place is not in line
   */
  void tellPlaces(List<UserId> asked, Places places) {
    ItemTopic topic = topics.get(places.item());
    if (topic == null || !topic.isWaitedFor()) {
      // The board has shown an empty line since it was asked, and nobody would ask again.
      return;
    }
    Map<UserId, Long> found = new HashMap<>();
    for (WaitlistPlace place : places.places()) {
      found.put(place.user(), place.place());
    }
    for (UserId user : asked) {
      long place = found.getOrDefault(user, 0L);
      for (EventStream stream : byUser.getOrDefault(user, new ArrayDeque<>(0))) {
        if (stream.items().contains(places.item())) {
          tellPlace(stream, places.item(), place, places.waiting());
        }
      }
    }
  }

  private void tellPlace(EventStream stream, ItemId item, long place, long waiting) {
    if (stream.isNews(item, place)) {
      send(EventType.PLACE, stream, EventTexts.place(item, place, waiting));
    }
  }

  /** Tells what the board shows that was not told yet. */
  void tellItems() {
    topics.values().forEach(this::tell);
  }

  private void tell(ItemTopic topic) {
    BoardSnapshot snapshot = board.snapshot();
    ItemView view = snapshot == null ? null : board.find(topic.item());
    if (view == null) {
      return;
    }
    long now = clocks.nanoTime().getAsLong();
    Buffer news = topic.news(ItemTopic.State.of(view, snapshot, board.serverTimeMs()), now);
    if (news != null) {
      topic.subscribers().forEach(stream -> stream.send(news, now));
      metrics.sent(EventType.ITEM, topic.subscribers().size());
      if (!topic.isWaitedFor()) {
        topic.subscribers().forEach(stream -> tellPlace(stream, topic.item(), 0, 0));
      }
    }
  }

  /**
   * Ends streams whose token has ended, and sends heartbeats to those that have long been still.
   */
  void sweep() {
    long nowMs = clocks.epochMs().getAsLong();
    long now = clocks.nanoTime().getAsLong();
    long heartbeatNanos = TimeUnit.MILLISECONDS.toNanos(config.heartbeatMs());
    List<EventStream> ended = new ArrayList<>();
    for (EventStream stream : streams) {
      if (stream.isOver(nowMs)) {
        ended.add(stream);
      } else if (stream.silentNanos(now) >= heartbeatNanos) {
        stream.send(EventTexts.HEARTBEAT, now);
      }
    }
    for (EventStream stream : ended) {
      stream.end(EventTexts.End.TOKEN_EXPIRED);
      remove(stream);
    }
  }

  private void send(EventType type, EventStream stream, Buffer text) {
    stream.send(text, clocks.nanoTime().getAsLong());
    metrics.sent(type, 1);
  }
}
