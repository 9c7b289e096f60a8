package io.seckill.common.bus;

import io.seckill.common.order.OrderView;
import java.util.List;

/**
 * Orders of one user.
 *
 * @param orders newest first
 * @param more whether a further page exists
 */
public record OrderViews(List<OrderView> orders, boolean more) {

  /** Copies the list. */
  public OrderViews {
    orders = List.copyOf(orders);
  }
}
