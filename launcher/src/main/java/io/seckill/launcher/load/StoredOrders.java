package io.seckill.launcher.load;

import io.seckill.common.id.OrderId;
import java.util.List;
import java.util.Map;

/**
 * What buyers found when they looked for the orders that they had been told of.
 *
 * @param found by id; what is not there was answered NOT_FOUND
 * @param errors look-ups that failed in any other way
 * @param samples the first few errors, for people
 */
public record StoredOrders(Map<OrderId, StoredOrder> found, long errors, List<String> samples) {

  /** Copies the collections. */
  public StoredOrders {
    found = Map.copyOf(found);
    samples = List.copyOf(samples);
  }
}
