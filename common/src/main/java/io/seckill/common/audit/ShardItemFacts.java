package io.seckill.common.audit;

import io.seckill.common.id.ItemId;
import io.seckill.common.id.ShardRef;

/**
 * What the log of a shard says of an item, and what the shard has, at one instant.
 *
 * @param shard where
 * @param item what
 * @param unitsIn units that moves brought in
 * @param unitsOut units that moves took out
 * @param sent units sent to other shards
 * @param received units received from other shards
 * @param won units of all wins, in any state, dead letters and wins not stored yet included
 * @param backToStock units released into stock
 * @param offGrant units released after the end, which lowered the grant
 * @param stock units that the shard can sell; null when its key is missing
 */
public record ShardItemFacts(
    ShardRef shard,
    ItemId item,
    long unitsIn,
    long unitsOut,
    long sent,
    long received,
    long won,
    long backToStock,
    long offGrant,
    Long stock) {

  /** The stock that the log explains. */
  public long explainedStock() {
    return unitsIn - unitsOut - sent + received - won + backToStock;
  }

  /** Units that are held, or will be when their wins are stored. */
  public long held() {
    return won - backToStock - offGrant;
  }
}
