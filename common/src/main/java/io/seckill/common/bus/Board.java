package io.seckill.common.bus;

import java.util.List;

/**
 * All items at one moment, as an engine sees them. Gateways answer reads and cheap refusals from
 * the latest board.
 *
 * @param region the engine's region
 * @param atMs Redis time of the reading, epoch milliseconds
 * @param stopped whether all sales are stopped by the switch
 * @param backlog what waits to be stored; {@link Backlog#NONE} from an engine that does not tell
 * @param items every item that is not archived, by id
 */
public record Board(int region, long atMs, boolean stopped, Backlog backlog, List<ItemView> items) {

  /** Copies the list. */
  public Board {
    backlog = backlog == null ? Backlog.NONE : backlog;
    items = List.copyOf(items);
  }
}
