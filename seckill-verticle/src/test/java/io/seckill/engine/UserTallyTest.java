package io.seckill.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.UserId;
import org.junit.jupiter.api.Test;

class UserTallyTest {

  private static final UserId EAGER = new UserId("eager");
  private static final UserId CALM = new UserId("calm");

  private final UserTally tally = new UserTally(3);

  @Test
  void aUserShouldBeHotAtTheBoundAndNobodyElse() {
    enter(EAGER, 2);
    assertThat(tally.isHot(EAGER)).isFalse();

    enter(EAGER, 1);

    assertThat(tally.isHot(EAGER)).isTrue();
    assertThat(tally.isHot(CALM)).isFalse();
  }

  @Test
  void aUserWhosePurchasesAreDecidedShouldLeaveNoTrace() {
    enter(EAGER, 4);
    for (int i = 0; i < 4; i++) {
      tally.leave(EAGER);
    }

    assertThat(tally.isHot(EAGER)).isFalse();
    assertThat(tally.users()).isZero();
  }

  private void enter(UserId user, int times) {
    for (int i = 0; i < times; i++) {
      tally.enter(user);
    }
  }
}
