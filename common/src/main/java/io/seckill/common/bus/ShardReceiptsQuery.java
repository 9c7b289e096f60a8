package io.seckill.common.bus;

import io.seckill.common.id.ItemId;

/**
 * Asks the ledger for receipts of an item in a shard, in pages by user id.
 *
 * @param region the region's number
 * @param shard the shard
 * @param item the item
 * @param afterUser the last user of the page before, empty for the first page
 * @param limit users in a page, 1 … 1,000
 */
public record ShardReceiptsQuery(int region, int shard, ItemId item, String afterUser, int limit) {}
