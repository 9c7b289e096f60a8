package io.seckill.common.id;

import java.nio.charset.StandardCharsets;
import org.apache.commons.codec.digest.MurmurHash3;

/**
 * Leads each user to a shard: murmur3 (32 bits, x86) of the UTF-8 user id with a fixed seed, modulo
 * S. The same for all items, on every node and in every JVM, so a user's limit and his receipts are
 * always checked in one place.
 */
public final class UserShards {

  /** Fixed for ever: another seed would move users away from their receipts. */
  private static final int SEED = 0x5EC_B111;

  private final int shardCount;

  /**
   * Fixes S.
   *
   * @param shardCount S, 1 … {@value ShardRef#MAX_SHARD}, the bound of the configuration
   */
  public UserShards(int shardCount) {
    if (shardCount < 1 || shardCount > ShardRef.MAX_SHARD) {
      throw new IllegalArgumentException("S is 1 to " + ShardRef.MAX_SHARD);
    }
    this.shardCount = shardCount;
  }

  /** The user's shard, 0 … S−1. */
  public int shardOf(UserId user) {
    if (shardCount == 1) {
      return 0;
    }
    byte[] utf8 = user.value().getBytes(StandardCharsets.UTF_8);
    return Integer.remainderUnsigned(MurmurHash3.hash32x86(utf8, 0, utf8.length, SEED), shardCount);
  }

  /** S. */
  public int count() {
    return shardCount;
  }
}
