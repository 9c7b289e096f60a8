package io.seckill.common.bus;

/**
 * The ledger agrees with S.
 *
 * @param shardCount S
 */
public record RegionJoined(int shardCount) {}
