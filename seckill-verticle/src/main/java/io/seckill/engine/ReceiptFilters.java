package io.seckill.engine;

import io.seckill.common.id.ItemId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;

/**
 * The filters of this process, for shards and items: made by the verticle that keeps the board,
 * read by those that decide. Safe for use from all threads.
 */
final class ReceiptFilters {

  private final Map<Place, ReceiptFilter> made = new ConcurrentHashMap<>();

  /** Whose receipts. */
  record Place(int shard, ItemId item) {}

  /** Whether there is none at all. */
  boolean isEmpty() {
    return made.isEmpty();
  }

  /** The place's filter, or null. Whether it is still complete is for the caller to find out. */
  ReceiptFilter of(Place place) {
    return made.get(place);
  }

  void put(Place place, ReceiptFilter filter) {
    made.put(place, filter);
  }

  /** Takes a filter away that was found to be out of date, unless another one took its place. */
  void drop(Place place, ReceiptFilter filter) {
    made.remove(place, filter);
  }

  /** Takes all away that are not wanted any more. */
  void keepOnly(BiPredicate<Place, ReceiptFilter> wanted) {
    made.entrySet().removeIf(entry -> !wanted.test(entry.getKey(), entry.getValue()));
  }

  /** Users in all of them. */
  long users() {
    return made.values().stream().mapToLong(ReceiptFilter::users).sum();
  }
}
