package io.seckill.gateway.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.gateway.ManualClock;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TokenBucketTest {

  private final ManualClock clock = new ManualClock();
  private final TokenBucket bucket = new TokenBucket(10, 3, clock.getAsLong());

  @Test
  void tryTakeShouldCountDownAndThenSayHowLongToWait() {
    assertThat(bucket.tryTake(clock.getAsLong())).isEqualTo(2);
    assertThat(bucket.tryTake(clock.getAsLong())).isEqualTo(1);
    assertThat(bucket.tryTake(clock.getAsLong())).isZero();
    assertThat(bucket.tryTake(clock.getAsLong())).isEqualTo(-TimeUnit.MILLISECONDS.toNanos(100));
  }

  @Test
  void tryTakeShouldRefillAtItsRateAndNeverAboveTheBurst() {
    takeAll();
    clock.passMs(99);
    assertThat(bucket.tryTake(clock.getAsLong())).isNegative();
    clock.passMs(1);
    assertThat(bucket.tryTake(clock.getAsLong())).isZero();
    clock.passMs(3_600_000);
    assertThat(bucket.tryTake(clock.getAsLong())).isEqualTo(2);
  }

  @Test
  void RL_03_refusedCallsShouldCostNothing() {
    takeAll();
    for (int i = 0; i < 1_000; i++) {
      assertThat(bucket.tryTake(clock.getAsLong())).isNegative();
    }
    clock.passMs(100);
    assertThat(bucket.tryTake(clock.getAsLong())).isZero();
  }

  @Test
  void giveBackShouldMakeOneTokenUsableAgain() {
    takeAll();
    bucket.giveBack();
    assertThat(bucket.tryTake(clock.getAsLong())).isZero();
    assertThat(bucket.tryTake(clock.getAsLong())).isNegative();
  }

  private void takeAll() {
    for (int i = 0; i < 3; i++) {
      bucket.tryTake(clock.getAsLong());
    }
  }
}
