package io.seckill.launcher.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.audit.Finding;
import io.seckill.common.audit.ItemTotals;
import io.seckill.common.bus.AuditReport;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.OrderId;
import io.seckill.common.order.OrderStatus;
import io.seckill.launcher.load.AnsweredWin;
import io.seckill.launcher.load.CrowdErrors;
import io.seckill.launcher.load.CrowdRecord;
import io.seckill.launcher.load.Latencies;
import io.seckill.launcher.load.StoredOrder;
import io.seckill.launcher.load.StoredOrders;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Every way in which a sale can fail, one at a time, each on a sale that is good otherwise. */
class VerdictTest {

  private static final ItemId ITEM = new ItemId(2);
  private static final int LIMIT = 2;

  // Three units, three buyers with one each; a fourth was told SOLD_OUT.
  private long stock = 3;
  private ItemTotals totals = new ItemTotals(ITEM, 3, 0, 3, 0, 3);
  private List<Finding> findings = List.of();
  private final List<AnsweredWin> wins =
      new ArrayList<>(List.of(win(0, 1, 0), win(1, 1, 1), win(2, 1, 2)));
  private final Map<OrderId, StoredOrder> stored =
      new HashMap<>(
          Map.of(
              id(0), order(0, OrderStatus.PENDING_PAYMENT, 1),
              id(1), order(1, OrderStatus.PENDING_PAYMENT, 1),
              id(2), order(2, OrderStatus.PENDING_PAYMENT, 1)));
  private List<CrowdRecord.Shortage> shortages = List.of(new CrowdRecord.Shortage(3, 1));
  private CrowdErrors errors = CrowdErrors.NONE;
  private CrowdErrors warmUpErrors = CrowdErrors.NONE;
  private long readErrors;
  private Optional<SaleRecord.Payments> paying = Optional.empty();

  @Test
  void ofShouldPassWhenAllWasSoldAndStored() {
    Verdict verdict = verdict();

    assertThat(verdict.reasons()).isEmpty();
    assertThat(verdict.word()).isEqualTo("PASS");
    assertThat(verdict)
        .extracting(
            Verdict::sold,
            Verdict::ordersStored,
            Verdict::oversold,
            Verdict::overLimit,
            Verdict::lostWins,
            Verdict::strandedUnits,
            Verdict::errors)
        .containsExactly(3L, 3L, 0L, 0L, 0L, 0L, 0L);
  }

  @Test
  void ofShouldPassWhenUnitsAreLeftThatNobodyWanted() {
    stock = 10;
    totals = new ItemTotals(ITEM, 10, 7, 3, 0, 3);
    shortages = List.of();

    assertThat(verdict().reasons()).isEmpty();
  }

  @Test
  void ofShouldPassWhenAWinEndedInAFinalFailure() {
    stored.put(id(2), order(2, OrderStatus.FAILED, 1));
    totals = new ItemTotals(ITEM, 3, 1, 2, 0, 3);
    shortages = List.of();

    assertThat(verdict().reasons()).isEmpty();
  }

  @Test
  void ofShouldTellHowOrdersEnded() {
    stored.put(id(0), order(0, OrderStatus.PAID, 1));
    wins.set(1, win(1, 2, 1));
    stored.put(id(1), order(1, OrderStatus.CANCELLED, 2));
    wins.add(win(4, 1, 4));
    stored.put(id(4), order(4, OrderStatus.FAILED, 1));
    totals = new ItemTotals(ITEM, 3, 1, 2, 0, 4);
    shortages = List.of();

    assertThat(verdict().reasons()).isEmpty();
    assertThat(verdict().ends()).isEqualTo(new Verdict.Ends(1, 1, 3));
  }

  @Test
  void ofShouldFailWhenAnOrderIsNotPaidThatItsBuyerSawPaid() {
    allArePaidOrHaveRunOut();
    paying = Optional.of(new SaleRecord.Payments(4, true));

    fails("1 orders that their buyers saw paid are not paid");
  }

  @Test
  void ofShouldPassWhenEveryOrderIsPaidOrHasRunOut() {
    allArePaidOrHaveRunOut();

    assertThat(verdict().reasons()).isEmpty();
    assertThat(verdict().ends()).isEqualTo(new Verdict.Ends(3, 1, 1));
  }

  @Test
  void ofShouldFailWhenAnOrderNeitherIsPaidNorRunsOut() {
    allArePaidOrHaveRunOut();
    stored.put(id(4), order(4, OrderStatus.PENDING_PAYMENT, 1));
    paying = Optional.of(new SaleRecord.Payments(2, true));

    fails("1 orders are neither paid nor have they run out");
    fails("orders hold 3 units, but 2 are paid");
  }

  @Test
  void ofShouldFailWhenTheUnitsOfAnOrderThatRanOutDoNotComeBack() {
    allArePaidOrHaveRunOut();
    wins.remove(3);
    stored.remove(id(4));
    totals = new ItemTotals(ITEM, 3, 0, 3, 0, 3);
    paying = Optional.of(new SaleRecord.Payments(2, true));

    fails("orders hold 3 units, but 2 are paid");
  }

  @Test
  void ofShouldFailWhenTheTimeToSettleWasOverFirst() {
    allArePaidOrHaveRunOut();
    paying = Optional.of(new SaleRecord.Payments(3, false));

    fails("in the time for it");
    assertThat(verdict().reasons()).hasSize(1);
  }

  /** The first order ran out, and a fifth buyer came again for its unit; the others pay. */
  private void allArePaidOrHaveRunOut() {
    stored.put(id(0), order(0, OrderStatus.CANCELLED, 1));
    stored.put(id(1), order(1, OrderStatus.PAID, 1));
    stored.put(id(2), order(2, OrderStatus.PAID, 1));
    wins.add(win(4, 1, 4));
    stored.put(id(4), order(4, OrderStatus.PAID, 1));
    totals = new ItemTotals(ITEM, 3, 0, 3, 0, 4);
    paying = Optional.of(new SaleRecord.Payments(3, true));
  }

  @Test
  void ofShouldFailWhenMoreWasSoldThanThereWas() {
    totals = new ItemTotals(ITEM, 3, -1, 4, 0, 4);
    wins.add(win(3, 1, 3));
    stored.put(id(3), order(3, OrderStatus.PENDING_PAYMENT, 1));

    fails("I1");
    assertThat(verdict().oversold()).isEqualTo(1);
  }

  @Test
  void ofShouldFailWhenOtherUnitsWereGrantedThanTheStock() {
    totals = new ItemTotals(ITEM, 4, 1, 3, 0, 3);
    shortages = List.of();

    fails("granted");
  }

  @Test
  void ofShouldFailWhenUnitsStayBetweenShardsAndCountThemAsStranded() {
    stock = 5;
    totals = new ItemTotals(ITEM, 5, 0, 3, 0, 3, 2);

    fails("between shards");
    assertThat(verdict().strandedUnits()).isEqualTo(2);
  }

  @Test
  void ofShouldFailWhenABuyerHoldsOrdersBeyondTheLimit() {
    wins.set(1, win(0, 1, 1));
    wins.set(2, win(0, 1, 2));

    fails("I2");
    assertThat(verdict().overLimit()).isEqualTo(1);
  }

  @Test
  void ofShouldFailWhenTheAuditFindsAUserBeyondTheLimit() {
    findings = List.of(new Finding("I2", "item 2, user buyer-7", 3, "holds 5 of 2"));

    fails("user buyer-7");
    assertThat(verdict().overLimit()).isEqualTo(3);
  }

  @Test
  void ofShouldFailWhenAnOrderIsNotThere() {
    stored.remove(id(1));

    fails("I3");
    assertThat(verdict().lostWins()).isEqualTo(1);
  }

  @Test
  void ofShouldFailWhenAnOrderStayedAccepted() {
    stored.put(id(1), order(1, OrderStatus.ACCEPTED, 1));

    fails("I3");
    assertThat(verdict().lostWins()).isEqualTo(1);
  }

  @Test
  void ofShouldFailWhenTheAuditCountsFewerWinsThanWereAnswered() {
    totals = new ItemTotals(ITEM, 3, 0, 3, 0, 2);

    fails("I3");
    assertThat(verdict().lostWins()).isEqualTo(1);
  }

  @Test
  void ofShouldFailWhenAWinIsStoredThatNobodyWasToldOf() {
    totals = new ItemTotals(ITEM, 3, 0, 3, 0, 4);

    fails("nobody was told");
  }

  @Test
  void ofShouldFailWhenAnOrderHasAnotherQuantity() {
    stored.put(id(0), order(0, OrderStatus.PENDING_PAYMENT, 2));

    fails("not of what was asked for");
  }

  @Test
  void ofShouldFailWhenAWinIsStillInFlight() {
    totals = new ItemTotals(ITEM, 3, 0, 2, 1, 2);

    fails("not stored yet");
  }

  @Test
  void ofShouldFailWhenAUnitIsLeftAlthoughSomebodyWasRefused() {
    stock = 4;
    totals = new ItemTotals(ITEM, 4, 1, 3, 0, 3);

    fails("I4");
    assertThat(verdict().strandedUnits()).isEqualTo(1);
  }

  @Test
  void ofShouldNotCallAUnitStrandedWhenWhoeverWasRefusedHasAllHeMayHold() {
    stock = 5;
    totals = new ItemTotals(ITEM, 5, 1, 4, 0, 3);
    wins.set(0, win(0, 2, 0));
    stored.put(id(0), order(0, OrderStatus.PENDING_PAYMENT, 2));
    shortages = List.of(new CrowdRecord.Shortage(0, 1));

    assertThat(verdict().reasons()).isEmpty();
  }

  @Test
  void ofShouldNotCallAUnitStrandedWhenMoreWasWantedThanIsLeft() {
    stock = 4;
    totals = new ItemTotals(ITEM, 4, 1, 3, 0, 3);
    shortages = List.of(new CrowdRecord.Shortage(3, 2));

    assertThat(verdict().strandedUnits()).isZero();
  }

  @Test
  void ofShouldFailWithEachKindOfError() {
    List<CrowdErrors> kinds =
        List.of(
            new CrowdErrors(1, 0, 0, 0, 0, List.of("a 500")),
            new CrowdErrors(0, 1, 0, 0, 0, List.of("a broken socket")),
            new CrowdErrors(0, 0, 1, 0, 0, List.of("a wrong body")),
            new CrowdErrors(0, 0, 0, 1, 0, List.of("unknown")),
            new CrowdErrors(0, 0, 0, 0, 1, List.of()));
    for (CrowdErrors kind : kinds) {
      errors = kind;
      fails("1 errors");
      kind.samples().forEach(this::fails);
    }
  }

  @Test
  void ofShouldFailWhenTheWarmUpHadErrors() {
    warmUpErrors = new CrowdErrors(0, 2, 0, 0, 0, List.of("a broken socket"));

    fails("2 errors in the warm-up");
    assertThat(verdict().errors()).as("those of the sale").isZero();
  }

  @Test
  void ofShouldFailWhenAnOrderCannotBeRead() {
    readErrors = 1;

    fails("1 errors");
    assertThat(verdict().errors()).isEqualTo(1);
  }

  @Test
  void ofShouldFailWithTheAuditsFindingAndItsPlace() {
    findings = List.of(new Finding("I1", "item 2, shard 0", 5, "5 units too many"));

    fails("I1 at item 2, shard 0, +5: 5 units too many");
  }

  @Test
  void ofShouldFailWhenTheAuditDoesNotKnowTheItem() {
    totals = new ItemTotals(new ItemId(9), 3, 0, 3, 0, 3);

    fails("does not know item 2");
  }

  private void fails(String because) {
    Verdict verdict = verdict();
    assertThat(verdict.passed()).isFalse();
    assertThat(verdict.word()).isEqualTo("FAIL");
    assertThat(verdict.reasons()).anyMatch(reason -> reason.contains(because));
  }

  private Verdict verdict() {
    CrowdRecord crowd =
        new CrowdRecord(
            4,
            wins,
            0,
            Map.of(ErrorCode.SOLD_OUT, 1L),
            0,
            shortages,
            errors,
            new CrowdRecord.Pace(4, 1, new Latencies(1, 1, 1, 1, 1)));
    return Verdict.of(
        new SaleRecord(
            new SaleRecord.Terms(ITEM, stock, LIMIT),
            warmUpErrors,
            crowd,
            new StoredOrders(stored, readErrors, List.of()),
            new AuditReport(findings.isEmpty(), 0, 0, List.of(totals), findings),
            paying));
  }

  private static AnsweredWin win(int buyer, int quantity, int number) {
    return new AnsweredWin(buyer, quantity, id(number));
  }

  private static StoredOrder order(int number, OrderStatus status, int quantity) {
    return new StoredOrder(id(number), status, ITEM, quantity);
  }

  private static OrderId id(int number) {
    return new OrderId("%026d".formatted(number));
  }
}
