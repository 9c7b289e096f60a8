package io.seckill.common.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EntryIdTest {

  @ParameterizedTest(name = "{index}")
  @ValueSource(strings = {"0-0", "1-0", "1-1", "10-200", "4294967295-281474976710655"})
  void LU_02_parseShouldKeepEveryDigit(String text) {
    assertThat(EntryId.parse(text)).hasToString(text);
  }

  @ParameterizedTest(name = "{index}")
  @ValueSource(
      strings = {
        "",
        "-",
        "1",
        "1-",
        "-1",
        "1-1-1",
        "+1-1",
        "1-+1",
        "1--1",
        "01-1",
        "1-01",
        "00-0",
        " 1-1",
        "1-1 ",
        "1-*",
        "*",
        "1-1e3",
        "\u0661-1",
        "1-1\u0000",
        "4294967296-1",
        "1-281474976710656",
        "1-18446744073709551615",
        "18446744073709551616-1"
      })
  void IN_09_parseShouldRefuseEveryOtherSpelling(String text) {
    assertThatThrownBy(() -> EntryId.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void compareToShouldGoByEpochThenSeq() {
    assertThat(new EntryId(1, 9)).isLessThan(new EntryId(1, 10));
    assertThat(new EntryId(1, EntryId.MAX_SEQ)).isLessThan(new EntryId(2, 0));
    assertThat(new EntryId(2, 3)).isEqualByComparingTo(new EntryId(2, 3));
  }

  @Test
  void constructorShouldRefuseWhatAnOrderIdCannotCarry() {
    assertThatThrownBy(() -> new EntryId(EntryId.MAX_EPOCH + 1, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new EntryId(1, EntryId.MAX_SEQ + 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new EntryId(-1, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new EntryId(1, -1)).isInstanceOf(IllegalArgumentException.class);
  }
}
