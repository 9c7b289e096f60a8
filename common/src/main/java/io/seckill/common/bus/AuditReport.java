package io.seckill.common.bus;

import io.seckill.common.audit.Finding;
import io.seckill.common.audit.ItemTotals;
import java.util.List;

/**
 * What an audit saw.
 *
 * @param clean whether no finding breaks a promise
 * @param atMs when it ended, epoch milliseconds
 * @param tookMs how long it took
 * @param items totals of each item that was audited
 * @param findings what is wrong, at most 100
 */
public record AuditReport(
    boolean clean, long atMs, long tookMs, List<ItemTotals> items, List<Finding> findings) {

  /** Copies the lists. */
  public AuditReport {
    items = List.copyOf(items);
    findings = List.copyOf(findings);
  }
}
