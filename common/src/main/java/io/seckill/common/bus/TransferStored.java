package io.seckill.common.bus;

import io.seckill.common.item.Move;

/**
 * Units are on their way.
 *
 * @param move by which the receiving shard lets them in
 */
public record TransferStored(Move move) {}
