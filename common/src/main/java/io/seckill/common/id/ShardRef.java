package io.seckill.common.id;

/**
 * One shard of one region.
 *
 * @param region 0 … {@value #MAX_REGION}: the configured number of the region
 * @param shard 0 … {@value #MAX_SHARD}; {@value #DATABASE} is the database fallback, whose wins are
 *     numbered like a shard's
 */
public record ShardRef(int region, int shard) implements Comparable<ShardRef> {

  /** The largest region number that an order id can carry. */
  public static final int MAX_REGION = 255;

  /** The largest shard number on Redis. */
  public static final int MAX_SHARD = 1023;

  /** The shard number of wins that the database fallback made; written {@code db}. */
  public static final int DATABASE = 4095;

  /** Checks the ranges. */
  public ShardRef {
    if (region < 0 || region > MAX_REGION) {
      throw new IllegalArgumentException("a region number is 0 to " + MAX_REGION);
    }
    if (shard < 0 || (shard > MAX_SHARD && shard != DATABASE)) {
      throw new IllegalArgumentException("a shard number is 0 to " + MAX_SHARD);
    }
  }

  @Override
  public int compareTo(ShardRef other) {
    int byRegion = Integer.compare(region, other.region);
    return byRegion != 0 ? byRegion : Integer.compare(shard, other.shard);
  }

  /** {@code region:shard}, as in metrics and logs. */
  @Override
  public String toString() {
    return region + ":" + (shard == DATABASE ? "db" : Integer.toString(shard));
  }
}
