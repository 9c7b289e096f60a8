package io.seckill.common.bus;

/**
 * Tells the engines that a shard has wins to be released. Losing it costs time only: they ask by
 * themselves too.
 *
 * @param region the region's number
 * @param shard the shard
 */
public record ReleasesWaiting(int region, int shard) {}
