package io.seckill.common.bus;

import io.seckill.common.item.ItemRecord;

/**
 * A change is written. The same request again tells the same.
 *
 * @param record the item after it
 * @param asked units that the change was to move: in, out, or into the reserve; 0 for others
 * @param done how many of them really moved so far: held units do not go out
 * @param settled whether {@code done} is final: units out count when their entries are stored
 */
public record ItemChanged(ItemRecord record, long asked, long done, boolean settled) {}
