package io.seckill.common.bus;

import io.seckill.common.id.ItemId;

/**
 * Asks for an audit.
 *
 * @param item one item, or null for all
 * @param waitMs how long to wait until what Redis had decided is stored, milliseconds, 0 … 60,000
 */
public record AuditRequest(ItemId item, long waitMs) {}
