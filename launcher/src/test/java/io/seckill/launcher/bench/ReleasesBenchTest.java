package io.seckill.launcher.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.error.ErrorCode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What speaks against a bench of releases, besides the audit. */
class ReleasesBenchTest {

  @Test
  void reasonsShouldBeNoneWhenTheSaleWentOn() {
    assertThat(new ReleasesReport.Measured(1, 1, sale(1), sale(1)).reasons()).isEmpty();
  }

  @Test
  void reasonsShouldSayThatTheSaleBesideSoldNothing() {
    assertThat(new ReleasesReport.Measured(1, 1, sale(1), sale(0)).reasons())
        .singleElement()
        .asString()
        .contains("while units came back", "BUSY=1");
    assertThat(new ReleasesReport.Measured(1, 1, sale(0), sale(1)).reasons())
        .singleElement()
        .asString()
        .contains("while nothing was due");
  }

  @Test
  void worstMsShouldBeThatOfTheLatestUnit() {
    ReturningUnits returning = new ReturningUnits(List.of(300L, 100L, 200L));
    returning.saw(0, 90);
    returning.saw(1, 110);
    returning.saw(2, 250);
    assertThat(returning.areAllBack()).isFalse();
    returning.saw(3, 320);
    assertThat(returning.areAllBack()).isTrue();
    assertThat(returning.worstMs()).isEqualTo(50);
    assertThat(returning.tooEarly()).isEmpty();
  }

  @Test
  void tooEarlyShouldCountUnitsThatAreBackBeforeTheirTime() {
    ReturningUnits returning = new ReturningUnits(List.of(100L, 200L, 300L));
    returning.saw(2, 110);
    assertThat(returning.tooEarly()).hasValueSatisfying(why -> assertThat(why).contains("1 of 2"));
    returning.saw(9, 400);
    assertThat(returning.areAllBack()).isTrue();
    assertThat(returning.tooEarly()).isPresent();
  }

  private static Tally sale(int accepted) {
    Tally tally = new Tally();
    tally.refused(ErrorCode.BUSY, 0, 1_000);
    for (int i = 0; i < accepted; i++) {
      tally.accepted(0, 1_000, false);
    }
    return tally;
  }
}
