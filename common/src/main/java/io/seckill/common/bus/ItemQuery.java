package io.seckill.common.bus;

import io.seckill.common.id.ItemId;

/**
 * Asks the ledger for items.
 *
 * @param item one item, or null for all that are not archived (at most 1,000, newest first)
 */
public record ItemQuery(ItemId item) {}
