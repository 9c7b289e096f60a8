package io.seckill.lua;

import io.seckill.common.id.ItemId;

/**
 * Tells the group of an item, so that a call can name the key of what users hold of it. A script
 * compares the answer with what the shard knows, so a wrong one does no harm.
 */
@FunctionalInterface
public interface ItemGroups {

  /** No item has a group. */
  ItemGroups NONE = item -> "";

  /** The id of the item's group, empty without one. */
  String idOf(ItemId item);
}
