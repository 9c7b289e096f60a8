package io.seckill.common.id;

/**
 * Names a win for ever: {@code region:shard:epoch:seq}. Unique over the whole system, because an
 * epoch of a shard is opened once and its entries are numbered by one script.
 *
 * @param shard where the win was decided
 * @param entry its place in that shard's log
 */
public record WinId(ShardRef shard, EntryId entry) implements Comparable<WinId> {

  /** Builds the id from its four numbers. */
  public static WinId of(int region, int shard, long epoch, long seq) {
    return new WinId(new ShardRef(region, shard), new EntryId(epoch, seq));
  }

  @Override
  public int compareTo(WinId other) {
    int byShard = shard.compareTo(other.shard);
    return byShard != 0 ? byShard : entry.compareTo(other.entry);
  }

  @Override
  public String toString() {
    return shard + ":" + entry.epoch() + ":" + entry.seq();
  }
}
