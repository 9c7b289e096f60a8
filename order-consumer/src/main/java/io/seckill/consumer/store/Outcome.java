package io.seckill.consumer.store;

import io.seckill.common.id.EntryId;

/** What became of a run of entries. */
public sealed interface Outcome {

  /**
   * All of it is in MySQL now.
   *
   * @param orders orders that are new, lost ones included
   * @param lost new orders that are FAILED(LOST)
   * @param letters dead letters that are new
   * @param repeated entries that were stored before
   */
  record Stored(int orders, int lost, int letters, int repeated) implements Outcome {

    /** Two runs together. */
    Stored plus(Stored other) {
      return new Stored(
          orders + other.orders,
          lost + other.lost,
          letters + other.letters,
          repeated + other.repeated);
    }
  }

  /**
   * Nothing was stored: the entry before the run is not in MySQL. Entries of a shard are stored in
   * the order of its log, or the guards would see sums that never were.
   *
   * @param missing the entry that has to come first
   */
  record Early(EntryId missing) implements Outcome {}
}
