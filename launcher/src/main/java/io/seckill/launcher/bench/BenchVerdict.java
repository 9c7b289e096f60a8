package io.seckill.launcher.bench;

import io.seckill.common.audit.ItemTotals;
import io.seckill.common.bus.AuditReport;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.ItemId;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Whether what was measured was sold rightly, by the audits of all sites and by what buyers were
 * told. Speed never enters it.
 *
 * @param stock units put on sale
 * @param sold units held by orders at the end
 * @param ordersStored wins stored, in any state
 * @param oversold units held or won beyond the stock
 * @param overLimit units that users hold beyond their limit
 * @param lostWins wins that buyers were told of and nobody has
 * @param strandedUnits units left of items of which somebody was told that they are sold out
 * @param told what buyers were told, all together
 * @param reasons why it is a FAIL; empty means PASS
 */
record BenchVerdict(
    long stock,
    long sold,
    long ordersStored,
    long oversold,
    long overLimit,
    long lostWins,
    long strandedUnits,
    Tally told,
    List<String> reasons) {

  /** Copies the list. */
  BenchVerdict {
    reasons = List.copyOf(reasons);
  }

  /** Judges one site. */
  static BenchVerdict of(SaleBook book, AuditReport audit) {
    List<String> reasons = new ArrayList<>();
    Map<ItemId, ItemTotals> totals = new TreeMap<>();
    audit.items().forEach(each -> totals.put(each.item(), each));
    long oversold = 0;
    long stranded = 0;
    long stock = 0;
    for (Map.Entry<ItemId, Long> offer : book.stocks().entrySet()) {
      ItemId item = offer.getKey();
      ItemTotals found = totals.getOrDefault(item, new ItemTotals(item, 0, 0, 0, 0, 0));
      stock += offer.getValue();
      oversold += Math.max(0, found.held() + found.inFlight() - offer.getValue());
      if (found.granted() != offer.getValue()) {
        reasons.add(
            "item %s: the stock is %d, but %d units were granted (I1)"
                .formatted(item, offer.getValue(), found.granted()));
      }
      if (book.shortages().contains(item)) {
        stranded += Math.max(0, offer.getValue() - found.held());
      }
    }
    long inFlight = audit.items().stream().mapToLong(ItemTotals::inFlight).sum();
    long wins = audit.items().stream().mapToLong(ItemTotals::wins).sum();
    long sold = audit.items().stream().mapToLong(ItemTotals::held).sum();
    long overLimit =
        audit.findings().stream()
            .filter(finding -> finding.promise().equals("I2"))
            .mapToLong(finding -> Math.max(0, finding.amount()))
            .sum();
    Tally told = book.all();
    long lost = Math.max(0, told.accepted() - wins);
    failIf(reasons, oversold, "%d units were sold that there were not (I1)");
    failIf(reasons, overLimit, "users hold %d units beyond their limit (I2)");
    failIf(reasons, lost, "%d wins that buyers were told of have no order (I3)");
    failIf(reasons, wins - told.accepted(), "%d orders are stored that nobody was told of (I3)");
    failIf(reasons, inFlight, "%d units are won and not stored yet (I3)");
    failIf(reasons, stranded, "%d units are left although buyers were told sold out (I4)");
    failIf(reasons, told.errors(), "%d errors (I5), such as: " + escaped(told.errorSample()));
    reasons.addAll(audit.reasons());
    return new BenchVerdict(stock, sold, wins, oversold, overLimit, lost, stranded, told, reasons);
  }

  private static String escaped(String text) {
    return text.replace("%", "%%");
  }

  private static void failIf(List<String> reasons, long amount, String reason) {
    if (amount > 0) {
      reasons.add(reason.formatted(amount));
    }
  }

  /** The same with more that speaks against it. */
  BenchVerdict with(List<String> more) {
    List<String> all = new ArrayList<>(reasons);
    all.addAll(more);
    return new BenchVerdict(
        stock, sold, ordersStored, oversold, overLimit, lostWins, strandedUnits, told, all);
  }

  /** Both sites together. */
  BenchVerdict and(BenchVerdict other) {
    List<String> both = new ArrayList<>(reasons);
    both.addAll(other.reasons);
    return new BenchVerdict(
        stock + other.stock,
        sold + other.sold,
        ordersStored + other.ordersStored,
        oversold + other.oversold,
        overLimit + other.overLimit,
        lostWins + other.lostWins,
        strandedUnits + other.strandedUnits,
        new Tally().add(told).add(other.told),
        both);
  }

  /** Whether nothing speaks against it. */
  boolean passed() {
    return reasons.isEmpty();
  }

  /** PASS or FAIL. */
  String word() {
    return passed() ? "PASS" : "FAIL";
  }

  /** What every mode prints first. */
  JsonObject json() {
    JsonObject refused = new JsonObject();
    new TreeMap<ErrorCode, Long>(told.refused()).forEach((code, n) -> refused.put(code.name(), n));
    return new JsonObject()
        .put("verdict", word())
        .put("stock", stock)
        .put("sold", sold)
        .put("ordersStored", ordersStored)
        .put("oversold", oversold)
        .put("overLimit", overLimit)
        .put("lostWins", lostWins)
        .put("strandedUnits", strandedUnits)
        .put("requests", told.answers())
        .put("accepted", told.accepted())
        .put("replayed", told.replayed())
        .put("refused", refused)
        .put("errors", told.errors())
        .put("reasons", new JsonArray(reasons));
  }
}
