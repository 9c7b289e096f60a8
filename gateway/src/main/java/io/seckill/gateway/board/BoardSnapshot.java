package io.seckill.gateway.board;

import io.seckill.common.bus.ItemView;
import io.seckill.common.id.ItemId;
import io.vertx.core.buffer.Buffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A board as one process knows it. Immutable but for the JSON that is made at first use; two
 * threads may both make it, to the same result.
 */
public final class BoardSnapshot {

  private final long atMs;
  private final long receivedNanos;
  private final boolean stopped;
  private final List<ItemView> items;
  private final Map<ItemId, ItemView> byId;
  private volatile ItemJson.Page page;

  BoardSnapshot(long atMs, long receivedNanos, boolean stopped, List<ItemView> items) {
    this.atMs = atMs;
    this.receivedNanos = receivedNanos;
    this.stopped = stopped;
    this.items = List.copyOf(items);
    this.byId = new HashMap<>();
    for (ItemView view : items) {
      byId.put(view.definition().id(), view);
    }
  }

  BoardSnapshot with(List<ItemView> better) {
    return new BoardSnapshot(atMs, receivedNanos, stopped, better);
  }

  /** All items in the engine's order. */
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

  ItemView find(ItemId item) {
    return byId.get(item);
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
