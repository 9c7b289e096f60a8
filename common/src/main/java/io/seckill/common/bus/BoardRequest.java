package io.seckill.common.bus;

/**
 * Asks an engine for its board.
 *
 * @param region the gateway's region
 */
public record BoardRequest(int region) {}
