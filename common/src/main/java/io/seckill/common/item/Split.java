package io.seckill.common.item;

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
}
