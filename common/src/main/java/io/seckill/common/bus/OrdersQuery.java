package io.seckill.common.bus;

import io.seckill.common.id.OrderId;
import io.seckill.common.id.UserId;

/**
 * Asks for a user's orders, newest first.
 *
 * @param user whose
 * @param limit 1 … 100
 * @param after the last order of the page before, or null for the first page
 */
public record OrdersQuery(UserId user, int limit, OrderId after) {}
