package io.seckill.lua;

import io.seckill.common.id.ItemId;
import java.util.List;

/**
 * The keys of one shard. The one place that spells Redis keys; all of a shard's keys share its hash
 * tag.
 */
public final class RedisKeys {

  /** The consumer group of every log. */
  public static final String GROUP = "orders";

  private final String prefix;
  private final String head;
  private final String log;
  private final String items;

  private RedisKeys(String tag) {
    prefix = "seckill:{" + tag + "}:";
    head = prefix + "head";
    log = prefix + "log";
    items = prefix + "items";
  }

  /** The keys of shards 0 … S−1. */
  public static RedisKeys[] forShards(int shardCount) {
    String[] tags = ShardTags.of(shardCount);
    RedisKeys[] keys = new RedisKeys[shardCount];
    for (int shard = 0; shard < shardCount; shard++) {
      keys[shard] = new RedisKeys(tags[shard]);
    }
    return keys;
  }

  /** Hash: epoch, seq, runId, state, S, what of the log is stored, the lead of the windows. */
  public String head() {
    return head;
  }

  /** Stream: changes under the id {@code <epoch>-<seq>} of an entry's last one. */
  public String log() {
    return log;
  }

  /** Set: the items that the shard knows. */
  public String items() {
    return items;
  }

  /** Hash: definition, state and counters of an item. */
  public String item(ItemId item) {
    return prefix + "item:" + item.value();
  }

  /** String: units that the shard can sell. */
  public String stock(ItemId item) {
    return prefix + "stock:" + item.value();
  }

  /** Hash: user → receipt. */
  public String receipts(ItemId item) {
    return prefix + "receipts:" + item.value();
  }

  /** Sorted set: those who wait for a unit → score, in the order in which they joined. */
  public String waitlist(ItemId item) {
    return prefix + "waitlist:" + item.value();
  }

  /** Hash: user → units that he holds of a group of items; 1 or more. */
  public String held(String group) {
    return prefix + "held:" + group;
  }

  /** Two hashes with a TTL: user → times of his wins of others than the lead, by period. */
  public List<String> windows() {
    return List.of(prefix + "window:0", prefix + "window:1");
  }
}
