package io.seckill.common.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ItemIdTest {

  @ParameterizedTest(name = "{index}")
  @ValueSource(
      strings = {
        "1",
        "10",
        "4294967297",
        "99999999999999",
        "100000000000000",
        "9007199254740993",
        "9223372036854775807"
      })
  void LU_02_parseShouldKeepEveryDigit(String text) {
    assertThat(ItemId.parse(text)).hasToString(text);
  }

  static Stream<String> notItemIds() {
    return Stream.of(
        "",
        "0",
        "007",
        "-1",
        "+1",
        " 1",
        "1 ",
        "1.0",
        "1e14",
        "1e+14",
        "0x10",
        "9223372036854775808",
        "18446744073709551617",
        "99999999999999999999",
        "1".repeat(10_000),
        "1\u0000",
        "1\u200b",
        "\u0661\u0662",
        "\uff11",
        "1\n",
        "о1");
  }

  @ParameterizedTest(name = "{index}")
  @MethodSource("notItemIds")
  void LU_02_IN_09_parseShouldRefuseEveryOtherSpelling(String text) {
    assertThatThrownBy(() -> ItemId.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void LU_02_idsThatDifferInTheLastDigitShouldBeTwoItems() {
    assertThat(ItemId.parse("9007199254740992")).isNotEqualTo(ItemId.parse("9007199254740993"));
  }

  @Test
  void constructorShouldRefuseWhatIsNotPositive() {
    for (long value : List.of(0L, -1L, Long.MIN_VALUE)) {
      assertThatThrownBy(() -> new ItemId(value)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void compareToShouldGoByNumberNotByText() {
    assertThat(ItemId.parse("9")).isLessThan(ItemId.parse("10"));
  }
}
