package io.seckill.common.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class OrderIdTest {

  private static final String ZEROS = "0".repeat(26);

  static Stream<String> notOrderIds() {
    return Stream.of(
        "",
        "0",
        "0".repeat(25),
        "0".repeat(27),
        "8" + "0".repeat(25),
        "Z".repeat(26),
        "0".repeat(25) + "I",
        "0".repeat(25) + "L",
        "0".repeat(25) + "O",
        "0".repeat(25) + "U",
        "0".repeat(25) + "a",
        "0".repeat(25) + "-",
        "0".repeat(25) + "\u0000",
        "0".repeat(25) + "\u200b",
        "0".repeat(25) + "\u041e",
        "\uff10" + "0".repeat(25),
        "../../etc/passwd/../../etc");
  }

  @ParameterizedTest(name = "{index}")
  @MethodSource("notOrderIds")
  void IN_09_constructorShouldRefuseWhatIsNotCrockford(String text) {
    assertThatThrownBy(() -> new OrderId(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void constructorShouldTakeTheWholeRangeOf128Bits() {
    assertThat(new OrderId(ZEROS)).hasToString(ZEROS);
    String highest = "7" + "Z".repeat(25);
    assertThat(OrderId.of(highest)).hasToString(highest);
  }

  @Test
  void crockfordShouldEncodeBothHalves() {
    assertThat(Crockford32.encode(0, 0)).isEqualTo(ZEROS);
    assertThat(Crockford32.encode(-1, -1)).isEqualTo("7" + "Z".repeat(25));
    assertThat(Crockford32.encode(0, 31)).isEqualTo("0".repeat(25) + "Z");
    assertThat(Crockford32.encode(0, 32)).isEqualTo("0".repeat(24) + "10");
    assertThat(Crockford32.decode(Crockford32.encode(0x0123456789ABCDEFL, 0xFEDCBA9876543210L)))
        .containsExactly(0x0123456789ABCDEFL, 0xFEDCBA9876543210L);
  }
}
