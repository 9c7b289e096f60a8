package io.seckill.gateway.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.UserId;
import io.seckill.gateway.ManualClock;
import io.seckill.gateway.TestConfigs;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class UserWindowsTest {

  private static final UserId ANN = new UserId("ann");

  private final ManualClock clock = new ManualClock();
  private final UserWindows windows = new UserWindows(TestConfigs.admission(1_000, 10), clock);

  @Test
  void RL_03_exactlyTheLimitShouldPassInOneMillisecond() {
    assertThat(entered(500)).isEqualTo(10);
  }

  @Test
  void RL_03_hammeringShouldNotExtendTheWait() {
    entered(10);
    for (int i = 0; i < 999; i++) {
      clock.passMs(1);
      assertThat(windows.tryEnter(ANN)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(999 - i));
    }
    clock.passMs(1);
    assertThat(entered(500)).isEqualTo(10);
  }

  @Test
  void RL_03_theWindowShouldSlideAndNotJump() {
    entered(5);
    clock.passMs(600);
    assertThat(entered(500)).isEqualTo(5);
    clock.passMs(400);
    assertThat(entered(500)).isEqualTo(5);
    clock.passMs(600);
    assertThat(entered(500)).isEqualTo(5);
  }

  @Test
  void tryEnterShouldCountUsersApart() {
    entered(500);
    assertThat(windows.tryEnter(new UserId("bob"))).isZero();
  }

  private int entered(int tries) {
    int entered = 0;
    for (int i = 0; i < tries; i++) {
      if (windows.tryEnter(ANN) == 0) {
        entered++;
      }
    }
    return entered;
  }
}
