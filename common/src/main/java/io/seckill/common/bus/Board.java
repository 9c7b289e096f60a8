package io.seckill.common.bus;

import java.util.List;

/**
 * All items at one moment, as an engine sees them. Gateways answer reads and cheap refusals from
 * the latest board.
 *
 * @param region the engine's region
 * @param atMs Redis time of the reading, epoch milliseconds
 * @param stopped whether all sales are stopped by the switch
 * @param items every item that is not archived, by id
 */
public record Board(int region, long atMs, boolean stopped, List<ItemView> items) {

  /** Copies the list. */
  public Board {
    items = List.copyOf(items);
  }
}
