package io.seckill.common.bus;

/**
 * Asks the ledger for the stop switch.
 *
 * @param region the region's number
 */
public record SalesQuery(int region) {}
