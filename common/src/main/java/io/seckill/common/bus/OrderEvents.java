package io.seckill.common.bus;

import java.util.List;

/**
 * Orders that were stored or changed, after the commit. A publication may be lost, come late or
 * come twice; what the orders say is in the ledger.
 *
 * @param events at most {@link #MAX}; those of one order in the order of their changes
 */
public record OrderEvents(List<OrderEvent> events) {

  /** Most events of one message: what one transaction stores by default. */
  public static final int MAX = 1_000;

  /** Copies the list. */
  public OrderEvents {
    events = List.copyOf(events);
  }
}
