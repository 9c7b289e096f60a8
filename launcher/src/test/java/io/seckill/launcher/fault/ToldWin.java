package io.seckill.launcher.fault;

import io.seckill.common.id.ItemId;
import io.seckill.common.id.OrderId;
import io.seckill.common.id.WinId;

/**
 * A win that a buyer was told of.
 *
 * @param user who
 * @param item what
 * @param order its id as he was told
 * @param win what the id names
 * @param atNanos when he had the answer
 */
record ToldWin(String user, ItemId item, OrderId order, WinId win, long atNanos) {

  int shard() {
    return win.shard().shard();
  }

  long epoch() {
    return win.entry().epoch();
  }
}
