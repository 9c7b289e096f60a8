package io.seckill.launcher.demo;

import io.seckill.common.bus.AuditReport;
import io.seckill.common.id.ItemId;
import io.seckill.launcher.load.CrowdErrors;
import io.seckill.launcher.load.CrowdRecord;
import io.seckill.launcher.load.StoredOrders;
import java.util.Optional;

/**
 * All that is known of a sale when it is over.
 *
 * @param terms what was on sale
 * @param warmUp what went wrong before the clock started
 * @param crowd what buyers were answered
 * @param stored what they found of their orders afterwards
 * @param audit what the system says of itself
 * @param paying how wins were paid; empty when nobody was to pay
 */
public record SaleRecord(
    Terms terms,
    CrowdErrors warmUp,
    CrowdRecord crowd,
    StoredOrders stored,
    AuditReport audit,
    Optional<Payments> paying) {

  /**
   * What was on sale.
   *
   * @param item which item
   * @param stock how many units it had
   * @param limitPerUser how many one user may hold
   */
  public record Terms(ItemId item, long stock, int limitPerUser) {}

  /**
   * How wins were paid.
   *
   * @param seenPaid orders that their buyers saw paid
   * @param settled whether, within the time for it, every order was paid or had run out and nothing
   *     was left that somebody wanted
   */
  public record Payments(long seenPaid, boolean settled) {}
}
