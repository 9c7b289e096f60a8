package io.seckill.common.bus;

import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemState;
import java.util.List;

/**
 * What a shard must hold, from stored rows alone.
 *
 * @param missing entries of the closed epochs up to lastEpoch of the query that are not stored yet:
 *     the consumer still has to store them, and until this is 0 there is no snapshot
 * @param items every item that the shard has ever taken over; empty while entries are missing
 */
public record ShardSnapshot(long missing, List<ItemInShard> items) {

  /** Copies the list. */
  public ShardSnapshot {
    items = List.copyOf(items);
  }

  /**
   * An item in the shard.
   *
   * @param definition what the operator said
   * @param state the state that goes with the generation; PAUSED instead of OPEN while the ledger's
   *     own generation is higher, because the shard may have lost a change that stops the sale
   * @param generation the generation to write
   * @param lastMove number of the last move, in or out, whose entry is stored
   * @param adds stored entries of units: moves in, releases to stock and promotions
   * @param granted units of stored moves in, less units that went out or were released to the
   *     grant; moves between shards do not count
   * @param sent units sent to other shards, also by entries that were stored out of turn
   * @param received units received from other shards by stored moves
   * @param stock units to sell: granted + received − sent − held; open dead letters count as held
   */
  public record ItemInShard(
      ItemDefinition definition,
      ItemState state,
      long generation,
      long lastMove,
      long adds,
      long granted,
      long sent,
      long received,
      long stock) {}
}
