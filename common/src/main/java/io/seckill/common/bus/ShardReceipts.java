package io.seckill.common.bus;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A page of receipts.
 *
 * @param receipts user → receipt in the form of {@code receipts.lua}, by user id ascending; an
 *     empty page is the end
 */
public record ShardReceipts(SortedMap<String, String> receipts) {

  /** Copies the map. */
  public ShardReceipts {
    receipts = Collections.unmodifiableSortedMap(new TreeMap<>(receipts));
  }
}
