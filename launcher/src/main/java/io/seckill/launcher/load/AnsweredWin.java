package io.seckill.launcher.load;

import io.seckill.common.id.OrderId;

/**
 * A win that a buyer was told of.
 *
 * @param buyer his number in the crowd
 * @param quantity units that he asked for
 * @param orderId the order that he was named
 */
public record AnsweredWin(int buyer, int quantity, OrderId orderId) {}
