package io.seckill.common.bus;

import io.seckill.common.id.EntryId;

/**
 * Asks the ledger who waits for units in a shard, in pages by the place of their join entries.
 *
 * @param region the region's number
 * @param shard the shard
 * @param after the join entry of the last waiter of the page before, or null for the first page
 * @param limit waiters in a page, 1 … 5,000
 */
public record ShardWaitersQuery(int region, int shard, EntryId after, int limit) {}
