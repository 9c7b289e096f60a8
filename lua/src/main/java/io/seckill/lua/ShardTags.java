package io.seckill.lua;

import java.nio.charset.StandardCharsets;

/**
 * Chooses the hash tag of each shard so that S shards spread evenly over a cluster's 16,384 slots:
 * the tag of shard i is the first of {@code i.0}, {@code i.1} … whose slot lies in the i-th of S
 * equal slices. Masters own contiguous slices, so when S is a multiple of the masters each serves
 * the same number of shards. Depends on S alone: the same on every node and in every release.
 */
public final class ShardTags {

  /** The slots of a Redis Cluster (cluster specification). */
  static final int SLOTS = 16_384;

  /**
   * A slice has at least 16 slots, so a thousand tries miss it with a chance below 1 in a million;
   * 100,000 never do.
   */
  private static final int MAX_TRIES = 100_000;

  private ShardTags() {}

  /** The tags of shards 0 … S−1. */
  public static String[] of(int shardCount) {
    String[] tags = new String[shardCount];
    for (int shard = 0; shard < shardCount; shard++) {
      tags[shard] = tagOf(shard, shardCount);
    }
    return tags;
  }

  private static String tagOf(int shard, int shardCount) {
    int from = (int) ((long) shard * SLOTS / shardCount);
    int to = (int) ((long) (shard + 1) * SLOTS / shardCount);
    for (int attempt = 0; attempt < MAX_TRIES; attempt++) {
      String tag = shard + "." + attempt;
      int slot = slotOf(tag);
      if (slot >= from && slot < to) {
        return tag;
      }
    }
    throw new IllegalStateException("no tag for shard " + shard + " of " + shardCount);
  }

  /**
   * The slot of a key or tag without braces: CRC16 (XMODEM) modulo 16,384, as the cluster
   * specification says.
   */
  static int slotOf(String tag) {
    int crc = 0;
    for (byte b : tag.getBytes(StandardCharsets.US_ASCII)) {
      crc ^= (b & 0xFF) << 8;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 0x8000) != 0 ? (crc << 1) ^ 0x1021 : crc << 1;
      }
    }
    return (crc & 0xFFFF) % SLOTS;
  }
}
