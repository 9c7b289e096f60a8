package io.seckill.common.bus;

import io.seckill.common.id.ItemId;

/**
 * Stores the entry of units that one shard sent to another at once, out of the log's turn, together
 * with the move by which the other shard lets them in. Idempotent by the entry.
 *
 * @param region the region's number
 * @param shard the shard that sent
 * @param epoch epoch of the entry
 * @param seq number of the entry
 * @param atMs Redis time of the entry, epoch milliseconds
 * @param item what
 * @param units how many, 1 or more
 * @param toShard the shard that is to let them in
 */
public record TransferStore(
    int region, int shard, long epoch, long seq, long atMs, ItemId item, long units, int toShard) {}
