package io.seckill.common.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** Four readings a second of a log whose pace the test decides. */
class DrainEstimateTest {

  private static final long QUARTER = 250_000_000;

  private final DrainEstimate estimate = new DrainEstimate();

  // So that the clock wraps around in the middle of a test.
  private long nowNanos = Long.MAX_VALUE - 20 * QUARTER;
  private long epoch = 3;
  private long seq = 1_000;
  private long unstored;

  /** Some quarters of a second, in each of which so many are sold and at most so many stored. */
  private void pass(int quarters, long sold, long storable) {
    for (int i = 0; i < quarters; i++) {
      nowNanos += QUARTER;
      seq += sold;
      unstored = Math.max(0, unstored + sold - storable);
      estimate.read(nowNanos, epoch, seq, unstored);
    }
  }

  @Test
  void nothingShouldBeKnownBeforeAReading() {
    assertThat(estimate.drainMs()).isZero();
    assertThat(estimate.perSecond()).isZero();
    assertThat(estimate.unstored()).isZero();
  }

  @Test
  void whatIsStoredAsItComesShouldNeedNoTime() {
    pass(400, 3, 2_500);
    unstored = 2;
    pass(400, 3, 3);
    assertThat(estimate.drainMs()).isZero();
    assertThat(estimate.perSecond()).isCloseTo(12, within(0.5));
  }

  @Test
  void aBacklogShouldTakeWhatItTakesAtThePaceThatShows() {
    unstored = 100_000;
    seq += unstored;
    pass(40, 0, 1_000);
    assertThat(estimate.drainMs()).isCloseTo(61_000 / 4, within(500L));
    assertThat(estimate.perSecond()).isCloseTo(4_000, within(600.0));
  }

  @Test
  void anOutageAfterATrickleShouldCountAsLongAsItLasts() {
    unstored = 4;
    for (int i = 0; i < 100; i++) {
      pass(1, 3, 0);
      pass(1, 3, 6);
    }
    pass(80, 2_000, 0);
    assertThat(estimate.drainMs()).isCloseTo(20_000, within(500L));
  }

  @Test
  void overloadShouldBeSeenWhileItGrows() {
    // 20,000 sold a second, 10,000 stored.
    pass(80, 5_000, 2_500);
    assertThat(estimate.drainMs()).isCloseTo(20_000, within(1_500L));
    pass(80, 5_000, 2_500);
    assertThat(estimate.drainMs()).isCloseTo(40_000, within(2_500L));
  }

  @Test
  void aBurstAfterATrickleShouldNotBeJudgedByTheTrickle() {
    // Slow commits of little: something always waits, and the pace that shows is that of selling.
    unstored = 4;
    for (int i = 0; i < 100; i++) {
      pass(1, 3, 0);
      pass(1, 3, 6);
      assertThat(estimate.drainMs()).isLessThan(1_000L);
    }
    pass(1, 50_000, 0);
    long worst = 0;
    for (int i = 0; i < 11; i++) {
      pass(1, 0, 5_000);
      worst = Math.max(worst, estimate.drainMs());
    }
    assertThat(worst).isLessThan(20_000);
    assertThat(unstored).isZero();
    assertThat(estimate.drainMs()).isZero();
  }

  @Test
  void aStandstillShouldAddItselfToWhatThePacePromised() {
    unstored = 20_000;
    seq += unstored;
    pass(40, 2_500, 2_500);
    assertThat(estimate.drainMs()).isCloseTo(2_000, within(300L));

    long before = estimate.drainMs();
    for (int second = 1; second <= 20; second++) {
      pass(4, 1_250, 0);
      assertThat(estimate.drainMs()).isGreaterThan(before);
      before = estimate.drainMs();
    }
    // 20 s without MySQL, 2 s of before and 10 s of what came since.
    assertThat(before).isCloseTo(32_000, within(1_500L));
    assertThat(estimate.perSecond()).isLessThan(300);
  }

  @Test
  void withoutAnyPaceAStandstillShouldCountAsLongAsItLasts() {
    pass(4, 0, 0);
    pass(40, 100, 0);
    assertThat(estimate.drainMs()).isCloseTo(10_000, within(500L));
    pass(400, 0, 0);
    assertThat(estimate.drainMs()).isCloseTo(110_000, within(500L));
    assertThat(estimate.perSecond()).isZero();
  }

  @Test
  void anOutageThatIsOverShouldBeForgottenWithinSeconds() {
    pass(40, 5_000, 4_000);
    pass(240, 1_000, 0);
    assertThat(estimate.drainMs()).isGreaterThan(60_000);
    pass(40, 0, 4_000);
    long truly = unstored * 250 / 4_000;
    assertThat(estimate.drainMs()).isCloseTo(truly, within(truly));
    assertThat(estimate.perSecond()).isCloseTo(16_000, within(2_500.0));
    pass(60, 0, 4_000);
    assertThat(estimate.drainMs()).isZero();
  }

  @Test
  void commitsInJumpsShouldShowTheirMean() {
    unstored = 50_000;
    seq += unstored;
    for (int second = 0; second < 20; second++) {
      pass(3, 0, 0);
      pass(1, 0, 1_000);
    }
    assertThat(estimate.drainMs()).isCloseTo(30_000, within(2_000L));
  }

  @Test
  void aReaderThatWasAwayShouldLearnNothingFromIt() {
    unstored = 100_000;
    seq += unstored;
    pass(40, 0, 1_000);
    long before = estimate.drainMs();
    // The process stood still for an hour, and so did storing, because the machine did.
    nowNanos += 3_600_000_000_000L;
    estimate.read(nowNanos, epoch, seq, unstored);
    assertThat(estimate.drainMs()).isEqualTo(before);
    pass(4, 0, 1_000);
    assertThat(estimate.drainMs()).isLessThan(before);
  }

  @Test
  void aClockThatDoesNotMoveOrGoesBackShouldDoNoHarm() {
    unstored = 1_000;
    seq += unstored;
    pass(8, 0, 10);
    estimate.read(nowNanos, epoch, seq, unstored);
    nowNanos -= 5 * QUARTER;
    estimate.read(nowNanos, epoch, seq, unstored);
    assertThat(estimate.drainMs()).isBetween(1L, 60_000L);
    assertThat(estimate.perSecond()).isNotNegative().isFinite();
  }

  @Test
  void aNewEpochShouldBeginAnewWithThePaceThatIsKnown() {
    unstored = 100_000;
    seq += unstored;
    pass(40, 0, 1_000);
    epoch++;
    seq = 0;
    pass(1, 0, 0);
    assertThat(estimate.drainMs()).isZero();
    pass(8, 0, 1_000);
    assertThat(estimate.drainMs()).isCloseTo(unstored / 4, within(1_000L));
  }
}
