package io.seckill.common.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** User ids and idempotency keys: the two texts that a caller chooses freely. */
class NamePatternsTest {

  @ParameterizedTest(name = "{index}")
  @ValueSource(
      strings = {
        "a",
        "007",
        "99999999999999",
        "100000000000000",
        "9007199254740993",
        "9223372036854775807",
        "Bob.the-2nd_@example.org",
        "-",
        "__proto__"
      })
  void LU_02_userIdShouldKeepItsBytes(String text) {
    assertThat(UserId.isValid(text)).isTrue();
    assertThat(new UserId(text)).hasToString(text);
    assertThat(UserId.of(text)).isEqualTo(new UserId(text));
  }

  @Test
  void LU_02_userIdsThatLookLikeOneNumberShouldBeTwoUsers() {
    assertThat(new UserId("007")).isNotEqualTo(new UserId("7"));
    assertThat(new UserId("9007199254740992")).isNotEqualTo(new UserId("9007199254740993"));
    assertThat(new UserId("bob")).isNotEqualTo(new UserId("Bob"));
  }

  static Stream<String> strangeNames() {
    return Stream.of(
        "",
        " ",
        "a b",
        "a\u0000",
        "\u0000",
        "a\u200b",
        "b\u043eb",
        "caf\u00e9",
        "cafe\u0301",
        "a\r\nSet-Cookie: x",
        "a\n",
        "a\t",
        "a/b",
        "a{b}",
        "a,b",
        "a;b",
        "a|b",
        "a'b",
        "a\"b",
        "a\\b",
        "a%00",
        "\ud83d\ude00",
        "\ud83d",
        "\uff41",
        "\u0661",
        "a".repeat(65),
        "a".repeat(10_240));
  }

  @ParameterizedTest(name = "{index}")
  @MethodSource("strangeNames")
  void IN_09_userIdShouldRefuseWhatIsOutsideThePattern(String text) {
    assertThat(UserId.isValid(text)).isFalse();
    assertThatThrownBy(() -> new UserId(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a user id matches [A-Za-z0-9_.@-]{1,64}");
  }

  @ParameterizedTest(name = "{index}")
  @MethodSource("strangeNames")
  void IN_09_idempotencyKeyShouldRefuseWhatIsOutsideThePattern(String text) {
    assertThat(IdempotencyKey.isValid(text)).isFalse();
    assertThatThrownBy(() -> new IdempotencyKey(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("an idempotency key matches [A-Za-z0-9_.:-]{1,64}");
  }

  @Test
  void patternsShouldDifferOnlyInAtAndColon() {
    for (char c = 0; c < 0x300; c++) {
      String text = String.valueOf(c);
      boolean common = text.matches("[A-Za-z0-9_.-]");
      assertThat(UserId.isValid(text)).as(text).isEqualTo(common || c == '@');
      assertThat(IdempotencyKey.isValid(text)).as(text).isEqualTo(common || c == ':');
    }
  }

  @Test
  void isValidShouldAnswerForNothingAtAll() {
    assertThat(UserId.isValid(null)).isFalse();
    assertThat(IdempotencyKey.isValid(null)).isFalse();
  }

  @Test
  void bothShouldTakeSixtyFourCharacters() {
    String longest = "a".repeat(64);
    assertThat(new UserId(longest)).hasToString(longest);
    assertThat(new IdempotencyKey(longest)).hasToString(longest);
  }

  @Test
  void isNoneShouldHoldForTheDashAlone() {
    assertThat(IdempotencyKey.NONE.isNone()).isTrue();
    assertThat(new IdempotencyKey("-").isNone()).isTrue();
    assertThat(new IdempotencyKey("--").isNone()).isFalse();
  }
}
