package io.seckill.common.bus;

/**
 * An engine starts to serve a region. Refused as CONFLICT when the ledger knows another S.
 *
 * @param region the region's number
 * @param shardCount S as the engine is configured
 */
public record RegionJoin(int region, int shardCount) {}
