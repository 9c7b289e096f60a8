package io.seckill.common.order;

import io.seckill.common.id.ItemId;
import io.seckill.common.id.Quantity;

/**
 * One line of a purchase.
 *
 * @param item what
 * @param quantity how many
 */
public record PurchaseLine(ItemId item, Quantity quantity) {}
