package io.seckill.gateway.events;

import java.util.function.LongSupplier;

/**
 * The two clocks of event streams.
 *
 * @param epochMs the wall clock, for tokens and for what is asked of the ledger
 * @param nanoTime a monotonic clock in nanoseconds, for all else
 */
public record EventClocks(LongSupplier epochMs, LongSupplier nanoTime) {}
