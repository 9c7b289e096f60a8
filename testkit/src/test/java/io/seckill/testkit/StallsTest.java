package io.seckill.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StallsTest {

  private static final Duration PROMISE = Duration.ofSeconds(2);

  private long nowNanos = 1;
  private final Stalls stalls = new Stalls(() -> nowNanos);

  private void runForSeconds(int seconds) {
    for (int i = 0; i < seconds * 10; i++) {
      nowNanos += TimeUnit.MILLISECONDS.toNanos(100);
      stalls.beat();
    }
  }

  @Test
  void aMachineThatRunsShouldHaveToKeepPromises() {
    assertThat(stalls.allowed(PROMISE)).isEqualTo(PROMISE);
    runForSeconds(60);
    assertThat(stalls.total()).isZero();
    assertThat(stalls.allowed(PROMISE)).isEqualTo(PROMISE);
  }

  @Test
  void aStallShouldNotCountAndLeaveTimeToHeal() {
    runForSeconds(1);
    nowNanos += TimeUnit.MILLISECONDS.toNanos(5_020);
    assertThat(stalls.total()).isEqualTo(TimeUnit.SECONDS.toNanos(5));
    assertThat(stalls.allowed(PROMISE)).isEqualTo(Duration.ofSeconds(32));
    runForSeconds(29);
    assertThat(stalls.allowed(PROMISE)).isEqualTo(Duration.ofSeconds(32));
    runForSeconds(1);
    assertThat(stalls.allowed(PROMISE)).isEqualTo(PROMISE);
    assertThat(stalls.total()).isEqualTo(TimeUnit.SECONDS.toNanos(5));
  }

  @Test
  void aShortStallShouldNotCountAndBeNoFault() {
    nowNanos += TimeUnit.MILLISECONDS.toNanos(220);
    assertThat(stalls.total()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(200));
    assertThat(stalls.allowed(PROMISE)).isEqualTo(PROMISE);
  }
}
