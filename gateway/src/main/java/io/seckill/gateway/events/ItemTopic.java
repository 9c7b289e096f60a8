package io.seckill.gateway.events;

import io.seckill.common.bus.ItemView;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.item.ItemState;
import io.seckill.gateway.board.BoardSnapshot;
import io.seckill.gateway.board.ItemJson;
import io.vertx.core.buffer.Buffer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** One item and the streams that want to hear of it. */
final class ItemTopic {

  /** How often numbers alone are told, which change with every unit. */
  private static final long NUMBERS_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ItemId item;
  private final Set<EventStream> subscribers = new LinkedHashSet<>();

  /** Null as long as no board has shown the item. */
  private State told;

  private Buffer text;
  private long toldNanos;

  ItemTopic(ItemId item) {
    this.item = item;
  }

  /**
   * What buyers are told of an item.
   *
   * @param state where it stands
   * @param onSale whether it can be bought now, if a unit is left
   * @param soldOut whether none is
   * @param remaining units
   * @param waiting people in line
   */
  record State(ItemState state, boolean onSale, boolean soldOut, long remaining, long waiting) {

    static State of(ItemView view, BoardSnapshot board, long serverTimeMs) {
      ItemState state = ItemJson.stateForBuyers(view.state(), board.isStopped());
      boolean inWindow =
          view.definition().startsAtMs() <= serverTimeMs
              && serverTimeMs < view.definition().endsAtMs();
      return new State(
          state,
          inWindow && state == ItemState.OPEN,
          view.soldOut(),
          view.remaining(),
          view.waiting());
    }

    private boolean differsOnlyInNumbers(State other) {
      return state == other.state
          && onSale == other.onSale
          && soldOut == other.soldOut
          && (waiting > 0) == (other.waiting > 0);
    }
  }

  ItemId item() {
    return item;
  }

  Set<EventStream> subscribers() {
    return subscribers;
  }

  /** The users who listen, each once. */
  List<UserId> users() {
    return subscribers.stream().map(EventStream::user).distinct().toList();
  }

  /**
   * Looks whether there is something to tell.
   *
   * @param now what the board shows
   * @return the event for all subscribers, null when there is none
   */
  Buffer news(State now, long nowNanos) {
    boolean same = now.equals(told);
    boolean early =
        told != null
            && now.differsOnlyInNumbers(told)
            && nowNanos - toldNanos < NUMBERS_EVERY_NANOS;
    if (same || early) {
      return null;
    }
    told = now;
    toldNanos = nowNanos;
    text = EventTexts.item(item, now);
    return text;
  }

  /** What was told last, for somebody new; null when nothing was. */
  Buffer text() {
    return text;
  }

  /** Whether anybody waits for this item, as far as was told. */
  boolean isWaitedFor() {
    return told != null && told.waiting() > 0;
  }
}
