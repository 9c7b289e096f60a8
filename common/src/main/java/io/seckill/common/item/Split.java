package io.seckill.common.item;

import java.util.List;

/** Splits units over shards without losing the remainder. */
public final class Split {

  private Split() {}

  /**
   * Each shard's part: the parts differ by at most one and sum up to the units exactly.
   *
   * @param units 0 or more
   * @param shards S, 1 or more
   * @param firstExtra the shard that gets the first unit of the remainder; restocks of one unit go
   *     round the shards by it
   */
  public static long[] evenly(long units, int shards, int firstExtra) {
    long[] parts = new long[shards];
    long each = units / shards;
    int remainder = (int) (units % shards);
    int first = Math.floorMod(firstExtra, shards);
    for (int i = 0; i < shards; i++) {
      parts[i] = each;
    }
    for (int i = 0; i < remainder; i++) {
      parts[(first + i) % shards]++;
    }
    return parts;
  }

  /**
   * Each shard's part of units that go out, in proportion to what the shards have: no part is more
   * than its shard has, unless all of them together have less. The parts sum up to the units
   * exactly.
   *
   * @param units 0 … 10^9
   * @param stock units in each shard, each at most 10^9; below 0 counts as 0
   */
  public static long[] byStock(long units, List<Long> stock) {
    long all = stock.stream().mapToLong(left -> Math.max(0, left)).sum();
    if (all <= units) {
      // What is beyond may have come back meanwhile, anywhere.
      long[] parts = evenly(units - all, stock.size(), 0);
      for (int i = 0; i < parts.length; i++) {
        parts[i] += Math.max(0, stock.get(i));
      }
      return parts;
    }
    long[] parts = new long[stock.size()];
    long stillUnits = units;
    long stillStock = all;
    for (int i = 0; i < parts.length; i++) {
      long left = Math.max(0, stock.get(i));
      // Rounded up, so that the last shards are not asked for more than they have.
      parts[i] = left == 0 ? 0 : (stillUnits * left + stillStock - 1) / stillStock;
      stillUnits -= parts[i];
      stillStock -= left;
    }
    return parts;
  }
}
