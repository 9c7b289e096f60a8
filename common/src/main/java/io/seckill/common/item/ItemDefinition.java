package io.seckill.common.item;

import io.seckill.common.id.ItemId;

/**
 * What an operator says of an item.
 *
 * @param id its id
 * @param name 1 … 200 characters
 * @param priceMinor price in minor units (分, cents), 0 … 10^12
 * @param currency three upper-case letters of ISO 4217
 * @param picture URL or path of a picture, 0 … 500 characters
 * @param limitPerUser units that one user may hold, 1 … 100
 * @param startsAtMs opening, epoch milliseconds
 * @param endsAtMs end, epoch milliseconds, after the opening; the instant itself is already over
 * @param payWithinMs time to pay from the storing of the order, milliseconds
 */
public record ItemDefinition(
    ItemId id,
    String name,
    long priceMinor,
    String currency,
    String picture,
    int limitPerUser,
    long startsAtMs,
    long endsAtMs,
    long payWithinMs) {}
