package io.seckill.common.bus;

/**
 * Asks the ledger what users of a shard hold of a group of items, in pages by user id.
 *
 * @param region the region's number
 * @param shard the shard
 * @param group the group
 * @param afterUser the last user of the page before, empty for the first page
 * @param limit users in a page, 1 … 1,000
 */
public record ShardHoldingsQuery(
    int region, int shard, String group, String afterUser, int limit) {}
