package io.seckill.launcher.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.audit.Finding;
import io.seckill.common.audit.ItemTotals;
import io.seckill.common.bus.AuditReport;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.ItemId;
import java.util.List;
import org.junit.jupiter.api.Test;

class BenchVerdictTest {

  private static final ItemId ITEM = new ItemId(1);

  @Test
  void ofShouldPassWhenAllAgree() {
    BenchVerdict verdict = BenchVerdict.of(book(10, 10), audit(10, 0, 10, 0));
    assertThat(verdict.reasons()).isEmpty();
    assertThat(verdict.word()).isEqualTo("PASS");
    assertThat(verdict.sold()).isEqualTo(10);
  }

  @Test
  void ofShouldFailWhenAWinHasNoOrder() {
    BenchVerdict verdict = BenchVerdict.of(book(10, 10), audit(10, 0, 9, 0));
    assertThat(verdict.lostWins()).isEqualTo(1);
    assertThat(verdict.strandedUnits()).as("somebody was told sold out").isEqualTo(1);
    assertThat(verdict.word()).isEqualTo("FAIL");
  }

  @Test
  void ofShouldFailWhenMoreWasSoldThanThereIs() {
    assertThat(BenchVerdict.of(book(10, 11), audit(10, 0, 11, 0)).oversold()).isEqualTo(1);
  }

  @Test
  void ofShouldFailWhenOtherUnitsWereGranted() {
    assertThat(BenchVerdict.of(book(10, 10), audit(9, 0, 10, 0)).passed()).isFalse();
  }

  @Test
  void ofShouldFailWhenAnOrderWasNeverTold() {
    assertThat(BenchVerdict.of(book(10, 9), audit(10, 0, 10, 0)).reasons())
        .anyMatch(reason -> reason.contains("nobody was told"));
  }

  @Test
  void ofShouldFailWhenSomethingIsNotStored() {
    assertThat(BenchVerdict.of(book(10, 10), audit(10, 0, 9, 1)).passed()).isFalse();
  }

  @Test
  void ofShouldFailWhenAnAnswerWasWrong() {
    SaleBook book = book(10, 10);
    Tally tally = new Tally();
    tally.failed("100 % wrong", 0, 1);
    book.add(List.of(ITEM), tally);
    assertThat(BenchVerdict.of(book, audit(10, 0, 10, 0)).reasons())
        .anyMatch(reason -> reason.contains("100 % wrong"));
  }

  @Test
  void ofShouldFailWhenTheAuditHasAFinding() {
    AuditReport report =
        new AuditReport(
            false,
            0,
            1,
            List.of(new ItemTotals(ITEM, 10, 0, 10, 0, 10)),
            List.of(new Finding("I2", "item 1, user b0-1", 3, "holds too many")));
    BenchVerdict verdict = BenchVerdict.of(book(10, 10), report);
    assertThat(verdict.overLimit()).isEqualTo(3);
    assertThat(verdict.reasons()).anyMatch(reason -> reason.startsWith("audit: I2"));
  }

  @Test
  void andShouldAddBothUp() {
    BenchVerdict good = BenchVerdict.of(book(10, 10), audit(10, 0, 10, 0));
    BenchVerdict bad = BenchVerdict.of(book(10, 11), audit(10, 0, 11, 0));
    BenchVerdict both = good.and(bad);
    assertThat(both.stock()).isEqualTo(20);
    assertThat(both.told().accepted()).isEqualTo(21);
    assertThat(both.word()).isEqualTo("FAIL");
  }

  private static SaleBook book(long stock, int accepted) {
    SaleBook book = new SaleBook();
    book.open(ITEM, stock);
    Tally tally = new Tally();
    tally.sent(0);
    for (int i = 0; i < accepted; i++) {
      tally.accepted(0, 1_000, false);
    }
    tally.refused(ErrorCode.SOLD_OUT, 0, 2_000);
    book.add(List.of(ITEM), tally);
    return book;
  }

  private static AuditReport audit(long granted, long left, long held, long inFlight) {
    return new AuditReport(
        true, 0, 1, List.of(new ItemTotals(ITEM, granted, left, held, inFlight, held)), List.of());
  }
}
