package io.seckill.launcher.load;

import io.seckill.common.id.ItemId;
import io.seckill.common.id.OrderId;
import io.seckill.common.order.OrderStatus;

/**
 * An order as its buyer reads it.
 *
 * @param orderId which
 * @param status where it stands; ACCEPTED means that it is not stored
 * @param item what was won; null while that is not readable
 * @param quantity units; 0 while that is not readable
 */
public record StoredOrder(OrderId orderId, OrderStatus status, ItemId item, int quantity) {

  /** Whether it is a row in MySQL. */
  public boolean isStored() {
    return status != OrderStatus.ACCEPTED;
  }

  /** Whether its units are the buyer's. */
  public boolean isHeld() {
    return status == OrderStatus.PENDING_PAYMENT || status == OrderStatus.PAID;
  }
}
