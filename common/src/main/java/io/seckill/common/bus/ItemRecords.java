package io.seckill.common.bus;

import io.seckill.common.item.ItemRecord;
import java.util.List;

/**
 * Items from the ledger.
 *
 * @param items the records
 */
public record ItemRecords(List<ItemRecord> items) {

  /** Copies the list. */
  public ItemRecords {
    items = List.copyOf(items);
  }
}
