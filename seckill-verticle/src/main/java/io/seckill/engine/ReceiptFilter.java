package io.seckill.engine;

import io.seckill.common.bus.ItemView.ShardMark;
import io.seckill.common.id.UserId;

/**
 * Says of users of a shard whether they may have a receipt of an item: never "no" of one who has
 * one, and "maybe" of some who have none. It is complete under its mark: while the shard has that
 * (epoch, adds) no unit has come in since it was read dry, so nobody has won since.
 *
 * <p>A Bloom filter whose bits of one user share a cache line (Putze, Sanders and Singler,
 * <i>Cache-, hash- and space-efficient Bloom filters</i>, 2007). Immutable.
 */
final class ReceiptFilter {

  /** With {@value #PROBES} probes, about 1 of 300 users without a receipt is "maybe". */
  private static final int BITS_A_USER = 16;

  private static final int PROBES = 4;

  /** A cache line. */
  private static final int BLOCK_LONGS = 8;

  private static final int PROBE_BITS = 9;

  private final ShardMark mark;
  private final long users;
  private final long[] bits;

  private ReceiptFilter(ShardMark mark, long users, long[] bits) {
    this.mark = mark;
    this.users = users;
    this.bits = bits;
  }

  /** Collects users. Belongs to one thread, and ends with {@link #build}. */
  static final class Builder {

    private final ShardMark mark;
    private final int users;
    private long[] bits;

    /**
     * An empty filter.
     *
     * @param mark what the shard had when all of them were read
     * @param users how many will come; more make it say "maybe" too often, never "no"
     */
    Builder(ShardMark mark, int users) {
      this.mark = mark;
      this.users = users;
      int blocks = 1 + users / (BLOCK_LONGS * Long.SIZE / BITS_A_USER);
      this.bits = new long[blocks * BLOCK_LONGS];
    }

    void add(String user) {
      long hash = spread(user);
      int block = blockOf(bits, hash);
      long probes = probes(hash);
      for (int i = 0; i < PROBES; i++) {
        bits[block + wordOf(probes)] |= 1L << probes;
        probes >>>= PROBE_BITS;
      }
    }

    ReceiptFilter build() {
      ReceiptFilter built = new ReceiptFilter(mark, users, bits);
      bits = null;
      return built;
    }
  }

  /** Under what it is complete. */
  ShardMark mark() {
    return mark;
  }

  /** How many users it was made for: two bytes each. */
  long users() {
    return users;
  }

  /** Whether the user may have a receipt; false means that he has none. */
  boolean mayHold(UserId user) {
    long hash = spread(user.value());
    int block = blockOf(bits, hash);
    long probes = probes(hash);
    for (int i = 0; i < PROBES; i++) {
      if ((bits[block + wordOf(probes)] & 1L << probes) == 0) {
        return false;
      }
      probes >>>= PROBE_BITS;
    }
    return true;
  }

  /**
   * The text's own hash is there already, because users are counted by it. Two users may share it:
   * then the one is "maybe" because of the other.
   */
  private static long spread(String user) {
    long hash = user.hashCode() * 0x9E3779B97F4A7C15L;
    hash = (hash ^ hash >>> 32) * 0xD6E8FEB86659FD93L;
    return hash ^ hash >>> 32;
  }

  private static int blockOf(long[] bits, long hash) {
    long blocks = bits.length / BLOCK_LONGS;
    return (int) (((hash >>> 32) * blocks) >>> 32) * BLOCK_LONGS;
  }

  /** Bits that do not depend on those which chose the block. */
  private static long probes(long hash) {
    return (hash * 0x9E3779B97F4A7C15L) >>> (Long.SIZE - PROBES * PROBE_BITS);
  }

  /** The next probe's word in its block; its bit there is told by the six bits below. */
  private static int wordOf(long probes) {
    return (int) (probes >>> 6) & BLOCK_LONGS - 1;
  }
}
