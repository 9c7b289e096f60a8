package io.seckill.common.bus;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A page of what users hold of a group.
 *
 * @param units user → units held, 1 or more, by user id ascending; an empty page is the end. Open
 *     dead letters count as held
 */
public record ShardHoldings(SortedMap<String, Long> units) {

  /** Copies the map. */
  public ShardHoldings {
    units = Collections.unmodifiableSortedMap(new TreeMap<>(units));
  }
}
