package io.seckill.consumer.db;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DatabaseShareTest {

  @Test
  void sharesShouldBeThePoolTogether() {
    for (int size = 3; size <= 64; size++) {
      int storing = Database.Share.STORING.of(size);
      int background = Database.Share.BACKGROUND.of(size);
      int asking = Database.Share.ASKING.of(size);
      assertThat(storing + background + asking).isEqualTo(size);
      assertThat(Math.min(storing, Math.min(background, asking))).isPositive();
    }
  }
}
