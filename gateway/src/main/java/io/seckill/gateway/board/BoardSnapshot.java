package io.seckill.gateway.board;

import io.seckill.common.bus.Backlog;
import io.seckill.common.bus.ItemView;
import io.seckill.common.id.ItemId;
import io.vertx.core.buffer.Buffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;

/**
 * A board as one process knows it: what the latest board shows, and what earlier ones have shown
 * that is not yet forgotten. Immutable but for the JSON that is made at first use; two threads may
 * both make it, to the same result.
 */
public final class BoardSnapshot {

  private final long atMs;
  private final long receivedNanos;
  private final boolean stopped;
  private final Backlog backlog;
  private final List<ItemView> items;
  private final Map<ItemId, Known> known;
  private volatile ItemJson.Page page;

  /**
   * An item that a board has shown.
   *
   * @param view the newest view of it
   * @param lackedSinceNanos when the first board came that did not show it any more, by the
   *     monotonic clock; empty for an item of the latest board
   */
  record Known(ItemView view, OptionalLong lackedSinceNanos) {}

  BoardSnapshot(
      long atMs,
      long receivedNanos,
      boolean stopped,
      Backlog backlog,
      SortedMap<ItemId, Known> known) {
    this.atMs = atMs;
    this.receivedNanos = receivedNanos;
    this.stopped = stopped;
    this.backlog = backlog;
    this.items = known.values().stream().map(Known::view).toList();
    this.known = new HashMap<>(known);
  }

  BoardSnapshot with(SortedMap<ItemId, Known> better) {
    return new BoardSnapshot(atMs, receivedNanos, stopped, backlog, better);
  }

  /** All items by id. */
  public List<ItemView> items() {
    return items;
  }

  /** The item list as JSON. */
  public Buffer json(long serverTimeMs) {
    return page().at(serverTimeMs);
  }

  /** Whether all sales are stopped by the switch. */
  public boolean isStopped() {
    return stopped;
  }

  /** What waits to be stored, as the latest board tells it. */
  public Backlog backlog() {
    return backlog;
  }

  ItemView find(ItemId item) {
    Known found = known.get(item);
    return found == null ? null : found.view();
  }

  Map<ItemId, Known> known() {
    return known;
  }

  long atMs() {
    return atMs;
  }

  long receivedNanos() {
    return receivedNanos;
  }

  private ItemJson.Page page() {
    ItemJson.Page made = page;
    if (made == null) {
      made = ItemJson.list(items, stopped);
      page = made;
    }
    return made;
  }
}
