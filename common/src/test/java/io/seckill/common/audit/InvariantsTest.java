package io.seckill.common.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.ShardRef;
import io.seckill.common.id.UserId;
import io.seckill.common.id.WinId;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class InvariantsTest {

  private static final ShardRef SHARD = new ShardRef(0, 1);
  private static final ItemId ITEM = new ItemId(5);
  private static final UserId USER = new UserId("ann");
  private static final EntryId FIRST = new EntryId(1, 7);
  private static final EntryId SECOND = new EntryId(1, 9);

  private static ShardItemFacts facts(Long stock) {
    return new ShardItemFacts(SHARD, ITEM, 103, 3, 9, 9, 40, 5, 2, stock);
  }

  private static List<Finding> receipt(
      long units, Map<EntryId, Long> receipt, Map<EntryId, Long> orders, Set<EntryId> excused) {
    return Invariants.receiptAgrees(
        new ReceiptFacts(SHARD, ITEM, USER, units, receipt, orders, excused));
  }

  @Test
  void stockIsExplainedShouldSayByHowMuchItIsOff() {
    assertThat(Invariants.stockIsExplained(facts(65L))).isEmpty();
    assertThat(Invariants.stockIsExplained(facts(68L)))
        .hasValueSatisfying(
            finding -> {
              assertThat(finding.promise()).isEqualTo("I1");
              assertThat(finding.amount()).isEqualTo(3);
              assertThat(finding.place()).isEqualTo("item 5 shard 0:1");
            });
    assertThat(Invariants.stockIsExplained(facts(60L)).orElseThrow().amount()).isEqualTo(-5);
    assertThat(Invariants.stockIsExplained(facts(null)).orElseThrow().amount()).isEqualTo(-65);
  }

  @Test
  void isNotOversoldShouldCountHeldAndInFlight() {
    assertThat(Invariants.isNotOversold(new ItemTotals(ITEM, 10, 0, 8, 2, 10))).isEmpty();
    assertThat(Invariants.oversold(new ItemTotals(ITEM, 10, 0, 9, 2, 10))).isEqualTo(1);
    assertThat(Invariants.isNotOversold(new ItemTotals(ITEM, 10, 0, 9, 2, 10)).orElseThrow())
        .extracting(Finding::amount)
        .isEqualTo(1L);
  }

  @Test
  void isNotOversoldShouldCountWhatIsBetweenShards() {
    assertThat(Invariants.isNotOversold(new ItemTotals(ITEM, 10, 0, 8, 0, 8, 2))).isEmpty();
    assertThat(Invariants.oversold(new ItemTotals(ITEM, 10, 0, 8, 0, 8, 3))).isEqualTo(1);
    // The receiving shard was read after the sending one: what it got is held there by now.
    assertThat(Invariants.oversold(new ItemTotals(ITEM, 10, 0, 12, 0, 12, -2))).isZero();
  }

  @Test
  void transfersShouldArriveOnceAndWhole() {
    assertThat(Invariants.transferIsWhole(SHARD, ITEM, 3, 5, 5)).isEmpty();
    assertThat(Invariants.transferIsWhole(SHARD, ITEM, 3, 5, 0).orElseThrow().amount())
        .isEqualTo(-5);
    assertThat(Invariants.transferIsWhole(SHARD, ITEM, 3, 0, 5).orElseThrow().promise())
        .isEqualTo("I1");
    assertThat(Invariants.hasArrived(SHARD, ITEM, 3, 5, 30_000, 30_000)).isEmpty();
    Finding late = Invariants.hasArrived(SHARD, ITEM, 3, 5, 30_001, 30_000).orElseThrow();
    assertThat(late.promise()).isEqualTo("I4");
    assertThat(late.amount()).isEqualTo(-5);
  }

  @Test
  void isWithinGroupLimitShouldSayByHowMuchItIsBroken() {
    assertThat(Invariants.isWithinGroupLimit(USER, "shirt", 3, 3)).isEmpty();
    assertThat(Invariants.isWithinGroupLimit(USER, "shirt", 5, 3).orElseThrow().amount())
        .isEqualTo(2);
  }

  @Test
  void orderIsWholeShouldSayWhatDoesNotAddUp() {
    WinId win = new WinId(SHARD, FIRST);
    assertThat(Invariants.orderIsWhole(win, 0, 3, 3)).isEmpty();
    assertThat(Invariants.orderIsWhole(win, 3, 3, 3)).isEmpty();
    assertThat(Invariants.orderIsWhole(win, 1, 3, 3).orElseThrow().amount()).isEqualTo(-2);
    assertThat(Invariants.orderIsWhole(win, 3, 3, 2).orElseThrow().amount()).isEqualTo(1);
  }

  @Test
  void endIsWrongShouldSayWhichHalfIsMissing() {
    WinId win = new WinId(SHARD, FIRST);
    assertThat(Invariants.endIsWrong(win, 3, false).amount()).isEqualTo(3);
    assertThat(Invariants.endIsWrong(win, 3, false).detail()).contains("nobody gives back");
    assertThat(Invariants.endIsWrong(win, 0, true).detail()).contains("cannot");
  }

  @Test
  void isWithinLimitShouldSayByHowMuchItIsBroken() {
    assertThat(Invariants.isWithinLimit(USER, ITEM, 3, 3)).isEmpty();
    assertThat(Invariants.isWithinLimit(USER, ITEM, 5, 3).orElseThrow().amount()).isEqualTo(2);
  }

  @Test
  void hasNoGapShouldNameTheFirstMissingEntry() {
    assertThat(Invariants.hasNoGap(SHARD, 4, 10, 10, 0)).isEmpty();
    Finding finding = Invariants.hasNoGap(SHARD, 4, 10, 8, 3).orElseThrow();
    assertThat(finding.promise()).isEqualTo("I3");
    assertThat(finding.amount()).isEqualTo(-2);
    assertThat(finding.place()).isEqualTo("entry 0:1:4:3");
  }

  @Test
  void receiptAgreesShouldBeSilentWhenBothSayTheSame() {
    assertThat(receipt(3, Map.of(FIRST, 1L, SECOND, 2L), Map.of(FIRST, 1L, SECOND, 2L), Set.of()))
        .isEmpty();
    assertThat(receipt(2, Map.of(SECOND, 2L), Map.of(), Set.of(SECOND))).isEmpty();
    assertThat(receipt(0, Map.of(), Map.of(), Set.of())).isEmpty();
  }

  @Test
  void receiptAgreesShouldFindAWinWithoutAnOrder() {
    assertThat(receipt(2, Map.of(SECOND, 2L), Map.of(), Set.of()))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.promise()).isEqualTo("I3");
              assertThat(finding.amount()).isEqualTo(-2);
              assertThat(finding.place()).isEqualTo("win 0:1:1:9 item 5 user ann");
            });
  }

  @Test
  void receiptAgreesShouldFindAnOrderWithoutAReceipt() {
    assertThat(receipt(0, Map.of(), Map.of(FIRST, 1L), Set.of()))
        .singleElement()
        .satisfies(finding -> assertThat(finding.promise()).isEqualTo("I2"));
  }

  @Test
  void receiptAgreesShouldFindANumberThatItsRecordsDoNotSumUpTo() {
    assertThat(receipt(9, Map.of(FIRST, 1L), Map.of(FIRST, 1L), Set.of()))
        .singleElement()
        .satisfies(finding -> assertThat(finding.amount()).isEqualTo(8));
    assertThat(receipt(2, Map.of(FIRST, 2L), Map.of(FIRST, 1L), Set.of()))
        .singleElement()
        .satisfies(finding -> assertThat(finding.promise()).isEqualTo("I1"));
  }
}
