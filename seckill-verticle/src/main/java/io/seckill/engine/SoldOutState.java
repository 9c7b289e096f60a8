package io.seckill.engine;

import io.seckill.common.bus.ItemView;
import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemGroup;
import io.seckill.common.order.PurchaseLine;
import java.util.List;
import java.util.Map;

/**
 * What this node knows of items, shared by its verticles: written by the one that keeps the board,
 * read by all. Safe for use from all threads, because what it holds is immutable and replaced
 * whole.
 */
final class SoldOutState {

  private volatile Map<ItemId, ItemView> views = Map.of();

  /** Replaces all views. */
  void publish(Map<ItemId, ItemView> latest) {
    views = Map.copyOf(latest);
  }

  /** The views as they are now. */
  Map<ItemId, ItemView> views() {
    return views;
  }

  /** Units left as of the latest board; 0 for an unknown item. */
  long remaining(ItemId item) {
    ItemView view = views.get(item);
    return view == null ? 0 : view.remaining();
  }

  /** Whether any of the lines' items is known to be sold out. */
  boolean anySoldOut(List<PurchaseLine> lines) {
    for (PurchaseLine line : lines) {
      ItemView view = views.get(line.item());
      if (view != null && view.soldOut()) {
        return true;
      }
    }
    return false;
  }

  /** Whether what is left of it is for those who wait in line in any shard, as far as is known. */
  boolean isWaitedFor(ItemId item) {
    return isWaitedFor(views.get(item));
  }

  private static boolean isWaitedFor(ItemView view) {
    return view != null && view.soldOut() && view.waiting() > 0;
  }

  /** The same of other shards than the one that is asked: with one shard, it knows itself. */
  boolean isWaitedForElsewhere(ItemId item) {
    ItemView view = views.get(item);
    return isWaitedFor(view) && view.shards().size() > 1;
  }

  /** The id of the item's group as far as is known, empty without one. */
  String groupOf(ItemId item) {
    ItemView view = views.get(item);
    ItemGroup group = view == null ? null : view.definition().group();
    return group == null ? "" : group.id();
  }
}
