package io.seckill.common.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LetterIdTest {

  @ParameterizedTest
  @ValueSource(strings = {"3:0:1:4", "255:1023:4294967295:281474976710655", "0:4095:1:1"})
  void aWinsLetterShouldHaveTheNameOfItsPlace(String text) {
    LetterId id = LetterId.parse(text);

    assertThat(id).hasToString(text);
    assertThat(LetterId.of(id.place().orElseThrow())).isEqualTo(id);
  }

  @ParameterizedTest
  @ValueSource(strings = {"3:0:1764430000000:18446744073709551615", "3:0:0:1", "3:0:1:0"})
  void whatIsMadeByHandShouldHaveANameAndNoPlace(String text) {
    assertThat(LetterId.parse(text)).hasToString(text);
    assertThat(LetterId.parse(text).place()).isEmpty();
  }

  @Test
  void twoSpellingsShouldBeOneName() {
    assertThat(LetterId.parse("03:0:01:4")).isEqualTo(LetterId.parse("3:0:1:4"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "3:0:1", "3:0:1:4:5", "3:0:-1:4", "3:0:1:18446744073709551616", "a:0:1:4"})
  void otherTextsShouldBeRefused(String text) {
    assertThatThrownBy(() -> LetterId.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
