package io.seckill.engine.sim;

import io.seckill.common.id.EntryId;
import io.seckill.common.item.ItemState;

/** An entry of a shard's log, with what the simulation needs of it. There is one item. */
sealed interface SimEntry {

  EntryId id();

  record Win(EntryId id, int user, int key, int units) implements SimEntry {}

  /** A unit for who waited: a win without a key. */
  record Promo(EntryId id, int user) implements SimEntry {

    Win win() {
      return new Win(id, user, 0, 1);
    }
  }

  record Join(EntryId id, int user) implements SimEntry {}

  record Leave(EntryId id, int user) implements SimEntry {}

  record Release(EntryId id, int user, EntryId win, int units, boolean toStock)
      implements SimEntry {}

  record In(EntryId id, long move, long units, boolean transfer) implements SimEntry {}

  record Out(EntryId id, long move, long units) implements SimEntry {}

  record Send(EntryId id, long units, int toShard) implements SimEntry {}

  record State(EntryId id, long generation, ItemState state) implements SimEntry {}
}
