package io.seckill.common.item;

import java.util.List;

/**
 * An item as the ledger knows it: the truth that Redis is brought to.
 *
 * @param definition what the operator said
 * @param state the state that every shard is to have
 * @param generation rises with each change by an operator; a script refuses an older one. 0 while
 *     CREATED
 * @param stock units that it was created with; the preheat brings them in
 * @param units all units that moves ever brought in, less those that went out; moves between shards
 *     do not count
 * @param reserve units that no shard may sell, because of the cap
 * @param cap most units that shards may have been given; {@link #NO_CAP} without one
 * @param outstanding moves whose log entry has not been stored yet, ordered by (shard, number)
 */
public record ItemRecord(
    ItemDefinition definition,
    ItemState state,
    long generation,
    long stock,
    long units,
    long reserve,
    long cap,
    List<Move> outstanding) {

  /** Says that an item has no cap. */
  public static final long NO_CAP = -1;

  /** Copies the list. */
  public ItemRecord {
    outstanding = List.copyOf(outstanding);
  }
}
