package io.seckill.common.bus;

import io.seckill.common.item.ItemDefinition;

/**
 * Creates an item with its stock in the ledger. The same request again finds the item; the same id
 * with other content is CONFLICT.
 *
 * @param requestId idempotency of the request, {@code [A-Za-z0-9_.:-]{1,64}}
 * @param actor who asks, for the audit log
 * @param definition the item
 * @param stock units to sell, 0 … 10^9
 */
public record ItemCreate(String requestId, String actor, ItemDefinition definition, long stock) {}
