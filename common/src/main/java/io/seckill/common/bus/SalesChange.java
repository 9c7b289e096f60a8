package io.seckill.common.bus;

/**
 * An operator stops all sales of a region at once, or lets them go on. Sent by the gateway to the
 * engine, and by the engine to the ledger, which writes it first. Idempotent by request id.
 *
 * @param requestId idempotency of the request, {@code [A-Za-z0-9_.:-]{1,64}}
 * @param actor who asks, for the audit log
 * @param region the region's number
 * @param stopped true: no new purchase wins anything; items keep their own states
 */
public record SalesChange(String requestId, String actor, int region, boolean stopped) {}
