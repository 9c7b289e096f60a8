package io.seckill.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StartupChecksTest {

  @ParameterizedTest
  @CsvSource({"0", "2000", "-2000"})
  void aClockWithinTheBoundShouldBeRight(long skewMs) {
    assertThat(StartupChecks.wrongTime(skewMs, 2_000)).isEmpty();
  }

  @Test
  void aClockBeyondTheBoundShouldBeNamedWithItsDirection() {
    assertThat(StartupChecks.wrongTime(2_001, 2_000))
        .hasValueSatisfying(
            text -> assertThat(text).contains("2001 ms after", "redis.maxClockSkewMs"));
    assertThat(StartupChecks.wrongTime(-5_000, 2_000))
        .hasValueSatisfying(text -> assertThat(text).contains("5000 ms before"));
  }
}
