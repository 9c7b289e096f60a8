package io.seckill.consumer.db;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DatabaseShareTest {

  @Test
  void sharesShouldBeThePoolTogether() {
    for (int size = 2; size <= 64; size++) {
      int storing = Database.Share.STORING.of(size);
      int asking = Database.Share.ASKING.of(size);
      assertThat(storing + asking).isEqualTo(size);
      assertThat(Math.min(storing, asking)).isPositive();
    }
  }
}
