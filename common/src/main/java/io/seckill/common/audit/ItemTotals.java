package io.seckill.common.audit;

import io.seckill.common.id.ItemId;

/**
 * An item's units at the moment of an audit.
 *
 * @param item which
 * @param granted units that moves brought in, less what went out
 * @param left units in stock over all shards
 * @param held units held by stored orders
 * @param inFlight units won and not stored yet
 * @param wins wins stored, in any state
 */
public record ItemTotals(
    ItemId item, long granted, long left, long held, long inFlight, long wins) {}
