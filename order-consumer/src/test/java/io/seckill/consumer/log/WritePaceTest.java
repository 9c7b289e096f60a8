package io.seckill.consumer.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class WritePaceTest {

  private static final long MILLI = 1_000_000;

  // So that the clock wraps around soon.
  private long nowNanos = Long.MAX_VALUE - 500 * MILLI;

  private WritePace pace(int perSecond) {
    return new WritePace(perSecond, () -> nowNanos);
  }

  @Test
  void withoutALimitNothingShouldWait() {
    WritePace pace = pace(0);
    for (int i = 0; i < 1_000; i++) {
      assertThat(pace.take(5_000)).isZero();
    }
    assertThat(pace.batchSize(1_000, 8)).isEqualTo(1_000);
  }

  @Test
  void runsShouldTakeTurnsSoThatTheLimitHolds() {
    WritePace pace = pace(1_000);
    long beganNanos = nowNanos;
    for (int stored = 0; stored < 20_000; stored += 250) {
      nowNanos += pace.take(250) * MILLI;
    }
    // The first run is stored at once, each other one when those before it are paid for.
    double seconds = (nowNanos - beganNanos) / 1e9;
    assertThat(seconds).isCloseTo(19.75, within(0.1));
  }

  @Test
  void idleTimeShouldNotBeSavedUp() {
    WritePace pace = pace(1_000);
    pace.take(500);
    nowNanos += 3_600_000 * MILLI;
    assertThat(pace.take(500)).isZero();
    assertThat(pace.take(500)).isEqualTo(500);
    assertThat(pace.take(500)).isEqualTo(1_000);
  }

  @Test
  void aTurnThatWasNotUsedShouldBeGivenBack() {
    WritePace pace = pace(1_000);
    for (int i = 0; i < 100; i++) {
      assertThat(pace.take(500)).isZero();
      pace.giveBack(500);
    }
    pace.take(500);
    assertThat(pace.take(1)).isEqualTo(500);
  }

  @Test
  void batchesShouldBeNoLargerThanWhatASecondStores() {
    assertThat(pace(100).batchSize(1_000, 1)).isEqualTo(100);
    assertThat(pace(100).batchSize(1_000, 8)).isEqualTo(12);
    assertThat(pace(100).batchSize(1_000, 1_023)).isEqualTo(1);
    assertThat(pace(50_000).batchSize(1_000, 8)).isEqualTo(1_000);
  }
}
