package io.seckill.launcher.demo;

import io.seckill.common.audit.ItemTotals;
import io.seckill.common.bus.AuditReport;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.OrderId;
import io.seckill.common.order.OrderStatus;
import io.seckill.launcher.load.AnsweredWin;
import io.seckill.launcher.load.CrowdErrors;
import io.seckill.launcher.load.CrowdRecord;
import io.seckill.launcher.load.StoredOrder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Whether a sale kept the promises I1 to I4, judged from what buyers were told, what they found
 * afterwards and what the audit saw. Speed never enters it.
 *
 * @param sold units held by orders at the end
 * @param ordersStored wins stored, in any state
 * @param ends how orders ended
 * @param oversold units held or won beyond the stock
 * @param overLimit units that users hold beyond their limit
 * @param lostWins wins that buyers were told of, with neither an order nor a final failure
 * @param strandedUnits units not held at the end although somebody who may hold them was last
 *     refused for lack of units
 * @param errors answers that must not be, in the sale and in reading the orders back
 * @param reasons why it is a FAIL, for people; empty means PASS
 */
public record Verdict(
    long sold,
    long ordersStored,
    Ends ends,
    long oversold,
    long overLimit,
    long lostWins,
    long strandedUnits,
    long errors,
    List<String> reasons) {

  /** Copies the list. */
  public Verdict {
    reasons = List.copyOf(reasons);
  }

  /**
   * How orders ended, as their buyers found them.
   *
   * @param paid orders that are paid
   * @param cancelled orders that were given up or ran out
   * @param released units of orders that no longer hold them
   */
  public record Ends(long paid, long cancelled, long released) {

    private static Ends of(Collection<StoredOrder> orders) {
      return new Ends(
          orders.stream().filter(order -> order.status() == OrderStatus.PAID).count(),
          orders.stream().filter(order -> order.status() == OrderStatus.CANCELLED).count(),
          orders.stream()
              .filter(order -> order.isStored() && !order.isHeld())
              .mapToLong(StoredOrder::quantity)
              .sum());
    }
  }

  /** Whether nothing speaks against the sale. */
  public boolean passed() {
    return reasons.isEmpty();
  }

  /** PASS or FAIL. */
  public String word() {
    return passed() ? "PASS" : "FAIL";
  }

  /** Judges a sale. */
  public static Verdict of(SaleRecord sale) {
    return new Judge(sale).judge();
  }

  /** The working of one judgement. */
  private static final class Judge {

    private final SaleRecord.Terms terms;
    private final CrowdRecord crowd;
    private final Map<OrderId, StoredOrder> found;
    private final long readErrors;
    private final List<String> readSamples;
    private final Ends ends;
    private final Optional<SaleRecord.Payments> paying;
    private final CrowdErrors warmUp;
    private final AuditReport audit;
    private final ItemTotals totals;
    private final boolean audited;
    private final List<String> reasons = new ArrayList<>();

    Judge(SaleRecord sale) {
      terms = sale.terms();
      crowd = sale.crowd();
      found = sale.stored().found();
      readErrors = sale.stored().errors();
      readSamples = sale.stored().samples();
      ends = Ends.of(found.values());
      paying = sale.paying();
      warmUp = sale.warmUp();
      audit = sale.audit();
      totals = totalsOf(terms.item());
      audited = audit.items().contains(totals);
    }

    private ItemTotals totalsOf(ItemId item) {
      return audit.items().stream()
          .filter(each -> each.item().equals(item))
          .findFirst()
          .orElse(new ItemTotals(item, 0, 0, 0, 0, 0));
    }

    Verdict judge() {
      checkAudit();
      long oversold = Math.max(0, totals.held() + totals.inFlight() - terms.stock());
      failIf(oversold, "%d units were sold that there were not (I1)");
      long overLimit = overLimit();
      failIf(overLimit, "users hold %d units beyond their limit (I2)");
      long lostWins = lostWins();
      failIf(lostWins, "%d wins that buyers were told of have no order (I3)");
      failIf(untoldOrders(), "%d orders are stored that nobody was told of (I3)");
      failIf(differingOrders(), "%d orders are not of what was asked for (I3)");
      paying.ifPresent(this::checkPayments);
      long stranded = strandedUnits();
      failIf(stranded, "%d units are left although buyers were refused for lack of units (I4)");
      long errors = crowd.errors().total() + readErrors;
      failIf(errors, "%d errors (I5)");
      crowd.errors().samples().forEach(sample -> reasons.add("error: " + sample));
      readSamples.forEach(sample -> reasons.add("error: " + sample));
      failIf(warmUp.total(), "%d errors in the warm-up (I5)");
      warmUp.samples().forEach(sample -> reasons.add("error in the warm-up: " + sample));
      return new Verdict(
          totals.held(),
          totals.wins(),
          ends,
          oversold,
          overLimit,
          lostWins,
          stranded,
          errors,
          reasons);
    }

    private void checkAudit() {
      if (!audited) {
        reasons.add("the audit does not know item " + terms.item());
        return;
      }
      if (totals.granted() != terms.stock()) {
        reasons.add(
            "the stock is %d, but %d units were granted (I1)"
                .formatted(terms.stock(), totals.granted()));
      }
      failIf(totals.inFlight(), "%d units are won and not stored yet (I3)");
      failIf(Math.abs(totals.betweenShards()), "%d units are still between shards (I1)");
      reasons.addAll(audit.reasons());
    }

    /** Where wins are paid, an order that is not paid is to run out, and its units to come back. */
    private void checkPayments(SaleRecord.Payments payments) {
      failIf(
          payments.seenPaid() - ends.paid(),
          "%d orders that their buyers saw paid are not paid (I3)");
      failIf(
          found.values().stream()
              .filter(order -> order.isHeld() && order.status() != OrderStatus.PAID)
              .count(),
          "%d orders are neither paid nor have they run out (I4)");
      long paidUnits =
          found.values().stream()
              .filter(order -> order.status() == OrderStatus.PAID)
              .mapToLong(StoredOrder::quantity)
              .sum();
      if (audited && totals.held() != paidUnits) {
        reasons.add(
            "orders hold %d units, but %d are paid (I4)".formatted(totals.held(), paidUnits));
      }
      if (!payments.settled()) {
        reasons.add("orders were not all paid or run out, and sold again, in the time for it (I4)");
      }
    }

    private void failIf(long amount, String reason) {
      if (amount > 0) {
        reasons.add(reason.formatted(amount));
      }
    }

    /** By the orders that buyers found, and by the audit; the larger one. */
    private long overLimit() {
      long byOrders =
          heldByBuyer().values().stream()
              .mapToLong(held -> Math.max(0, held - terms.limitPerUser()))
              .sum();
      long byAudit =
          audit.findings().stream()
              .filter(finding -> finding.promise().equals("I2"))
              .mapToLong(finding -> Math.max(0, finding.amount()))
              .sum();
      return Math.max(byOrders, byAudit);
    }

    private Map<Integer, Integer> heldByBuyer() {
      Map<Integer, Integer> held = new HashMap<>();
      for (AnsweredWin win : crowd.wins()) {
        StoredOrder order = found.get(win.orderId());
        if (order == null || !order.isStored() || order.isHeld()) {
          // What is lost was promised to him all the same: he is no longer eligible for more.
          held.merge(win.buyer(), win.quantity(), Integer::sum);
        }
      }
      return held;
    }

    /** By the orders that buyers found, and by the audit's count; the larger one. */
    private long lostWins() {
      long byOrders =
          crowd.wins().stream()
              .map(win -> found.get(win.orderId()))
              .filter(order -> order == null || !order.isStored())
              .count();
      return Math.max(byOrders, audited ? crowd.wins().size() - totals.wins() : 0);
    }

    private long untoldOrders() {
      return Math.max(0, totals.wins() - crowd.wins().size());
    }

    private long differingOrders() {
      return crowd.wins().stream()
          .filter(
              win -> {
                StoredOrder order = found.get(win.orderId());
                return order != null
                    && order.isStored()
                    && !(terms.item().equals(order.item()) && win.quantity() == order.quantity());
              })
          .count();
    }

    private long strandedUnits() {
      long left = terms.stock() - totals.held();
      if (left <= 0) {
        return 0;
      }
      Map<Integer, Integer> held = heldByBuyer();
      boolean wanted =
          crowd.shortages().stream()
              .anyMatch(
                  shortage ->
                      shortage.quantity() <= left
                          && held.getOrDefault(shortage.buyer(), 0) + shortage.quantity()
                              <= terms.limitPerUser());
      return wanted ? left : 0;
    }
  }
}
