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
 * @param units all units that moves ever brought in, less those that went out
 * @param outstanding moves whose log entry has not been stored yet, ordered by (shard, number)
 */
public record ItemRecord(
    ItemDefinition definition,
    ItemState state,
    long generation,
    long stock,
    long units,
    List<Move> outstanding) {

  /** Copies the list. */
  public ItemRecord {
    outstanding = List.copyOf(outstanding);
  }
}
