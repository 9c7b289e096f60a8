package io.seckill.common.bus;

import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemState;
import java.util.List;

/**
 * An item on the board.
 *
 * @param definition what the operator said
 * @param state where it stands
 * @param generation the generation of definition and state
 * @param remaining units that can be sold now, summed over the readable shards; 0 before preheat
 * @param soldOut for whoever does not wait: true only when two passes proved it, or while anybody
 *     waits in line, because what comes back is his first; never guessed from {@code remaining}.
 *     Not true when units are left while all who wait do so in shards that cannot be read
 * @param waiting buyers that wait in line for it in all shards; in those that cannot be read as
 *     many as when they last could. 0 when the sale is over
 * @param shards one mark for each shard, in shard order; empty before preheat
 */
public record ItemView(
    ItemDefinition definition,
    ItemState state,
    long generation,
    long remaining,
    boolean soldOut,
    long waiting,
    List<ShardMark> shards) {

  /** Copies the list. */
  public ItemView {
    shards = List.copyOf(shards);
  }

  /**
   * How far a shard's stock was known: (epoch, adds) rises with every entry of units, so a view
   * with a lower mark for any shard is older and must not overrule.
   *
   * @param epoch the shard's epoch
   * @param adds entries of units so far
   */
  public record ShardMark(long epoch, long adds) {

    /** The mark of a shard that could not be read; says nothing about age. */
    public static final ShardMark UNREADABLE = new ShardMark(0, 0);

    private boolean isBefore(ShardMark other) {
      boolean bothRead = epoch > 0 && other.epoch > 0;
      return bothRead && (epoch < other.epoch || (epoch == other.epoch && adds < other.adds));
    }
  }

  /**
   * Whether this view is older than the other: a lower generation, or with the same one a lower
   * mark of any shard that both could read. A higher generation is newer whatever the marks say.
   */
  public boolean isOlderThan(ItemView other) {
    if (generation != other.generation) {
      return generation < other.generation;
    }
    for (int i = 0; i < Math.min(shards.size(), other.shards.size()); i++) {
      if (shards.get(i).isBefore(other.shards.get(i))) {
        return true;
      }
    }
    return false;
  }
}
