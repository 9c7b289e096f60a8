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

  /** What speaks against it, a sentence each, for people; empty when it is clean. */
  public List<String> reasons() {
    if (!clean && findings.isEmpty()) {
      return List.of("the audit is not clean and does not say why");
    }
    return findings.stream()
        .map(
            finding ->
                "audit: %s at %s, %+d: %s"
                    .formatted(
                        finding.promise(), finding.place(), finding.amount(), finding.detail()))
        .toList();
  }
}
