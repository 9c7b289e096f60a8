package io.seckill.gateway.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.order.PurchaseLine;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class PurchaseBodiesTest {

  @ParameterizedTest
  @ValueSource(strings = {"{\"quantity\":3}", " { \"quantity\" : 3 } \n", "{\"\\u0071uantity\":3}"})
  void quantityShouldReadAnExactInteger(String body) {
    assertThat(PurchaseBodies.quantity(utf8(body)).value()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "4294967297",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551617",
        "1e400",
        "1.9",
        "0.5",
        "1.0",
        "1e0",
        "100000000000000000000000000000000000001",
        "\"1\"",
        "true",
        "null",
        "[1]",
        "{}",
        "NaN",
        "Infinity",
        "-0",
        "01",
        "+1",
        "0x1",
        "1_0",
        "",
      })
  void IN_01_onlyAnExactIntegerInRangeShouldPass(String number) {
    refused("{\"quantity\":" + number + "}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "null",
        "1",
        "\"x\"",
        "[1]",
        "[]",
        "{}",
        "{",
        "}",
        "{\"quantity\":1",
        "not json",
        "{\"quantity\":1}{\"quantity\":1}",
        "{\"quantity\":1}x",
        "{\"quantity\":1},",
        "{/*x*/\"quantity\":1}",
        "{quantity:1}",
        "{'quantity':1}",
        "{\"quantity\":1,}",
        "{\"quantity\":1,\"price\":1}",
        "{\"quantity\":1,\"userId\":\"bob\"}",
        "{\"Quantity\":1}",
        "{\"quantity\\u0000\":1}",
        "\uFEFF{\"quantity\":1}",
        "{\"quantity\":1}\u0000",
        "{\"\\ud800\":1}",
      })
  void IN_02_wrongShapesShouldBeRefused(String body) {
    refused(body);
  }

  static Stream<byte[]> otherEncodings() {
    String body = "{\"quantity\":1}";
    return Stream.of(
        body.getBytes(StandardCharsets.UTF_16),
        body.getBytes(StandardCharsets.UTF_16LE),
        body.getBytes(StandardCharsets.UTF_16BE),
        body.getBytes(Charset.forName("UTF-32")),
        new byte[] {'{', '"', (byte) 0xC3, '"', ':', '1', '}'},
        new byte[] {'{', '"', (byte) 0xED, (byte) 0xA0, (byte) 0x80, '"', ':', '1', '}'},
        new byte[] {(byte) 0xC0, (byte) 0xBB});
  }

  @ParameterizedTest
  @MethodSource("otherEncodings")
  void IN_02_onlyUtf8ShouldPass(byte[] body) {
    refused(body);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"quantity\":1,\"quantity\":999}",
        "{\"quantity\":1,\"quantity\":1}",
        "{\"quantity\":1,\"\\u0071uantity\":2}",
      })
  void IN_03_repeatedKeysShouldBeRefused(String body) {
    refused(body);
  }

  @Test
  void IN_04_depthAndSizeShouldBeBounded() {
    refused("{\"quantity\":" + "[".repeat(2_000) + "]".repeat(2_000) + "}");
    refused("{\"a\":".repeat(900) + "1" + "}".repeat(900));
    refused("{\"quantity\":" + "9".repeat(2_000) + "}");
    refused("{\"" + "q".repeat(4_000) + "\":1}");
    refused("{\"quantity\":\"" + "q".repeat(4_000) + "\"}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "-5", "101", "2147483647", "2147483648", "-2147483649"})
  void IN_08_quantitiesOutOfRangeShouldBeRefused(String number) {
    refused("{\"quantity\":" + number + "}");
  }

  @Test
  void linesShouldBeSortedByItem() {
    List<PurchaseLine> lines =
        PurchaseBodies.lines(
            utf8(
                "{\"lines\":[{\"itemId\":\"10\",\"quantity\":1},"
                    + "{\"quantity\":2,\"itemId\":\"9\"}]}"));
    assertThat(lines).extracting(line -> line.item().value()).containsExactly(9L, 10L);
    assertThat(lines).extracting(line -> line.quantity().value()).containsExactly(2, 1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"lines\":[]}",
        "{\"lines\":null}",
        "{\"lines\":{}}",
        "{\"lines\":[null]}",
        "{\"lines\":[[]]}",
        "{\"lines\":[{}]}",
        "{\"lines\":[1]}",
        "{\"lines\":\"x\"}",
        "{\"lines\":[{\"itemId\":\"1\"}]}",
        "{\"lines\":[{\"quantity\":1}]}",
        "{\"lines\":[{\"itemId\":1,\"quantity\":1}]}",
        "{\"lines\":[{\"itemId\":\"1\",\"quantity\":1,\"x\":1}]}",
        "{\"lines\":[{\"itemId\":\"1\",\"itemId\":\"2\",\"quantity\":1}]}",
        "{\"lines\":[{\"itemId\":\"1\",\"quantity\":1},{\"itemId\":\"1\",\"quantity\":2}]}",
        "{\"lines\":[{\"itemId\":\"1\",\"quantity\":1}],\"lines\":[]}",
        "{\"lines\":[{\"itemId\":\"1\",\"quantity\":1}",
      })
  void IN_02_wrongLinesShouldBeRefused(String body) {
    assertThatThrownBy(() -> PurchaseBodies.lines(utf8(body)))
        .isInstanceOf(SeckillException.class)
        .extracting("code")
        .isEqualTo(ErrorCode.INVALID_REQUEST);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0",
        "-1",
        "007",
        "+1",
        "1.0",
        "9223372036854775808",
        "",
        " 1",
        "1\\u0000",
        "\\u200b1",
        "\\u0661",
        "１",
        "x",
      })
  void IN_09_itemIdsShouldHaveOneSpelling(String id) {
    assertThatThrownBy(
            () ->
                PurchaseBodies.lines(
                    utf8("{\"lines\":[{\"itemId\":\"" + id + "\",\"quantity\":1}]}")))
        .isInstanceOf(SeckillException.class)
        .extracting("code")
        .isEqualTo(ErrorCode.INVALID_REQUEST);
  }

  @Test
  void linesShouldBeAtMostEight() {
    assertThat(PurchaseBodies.lines(utf8(manyLines(8)))).hasSize(8);
    assertThatThrownBy(() -> PurchaseBodies.lines(utf8(manyLines(9))))
        .isInstanceOf(SeckillException.class);
  }

  private static String manyLines(int count) {
    return IntStream.rangeClosed(1, count)
        .mapToObj(id -> "{\"itemId\":\"" + id + "\",\"quantity\":1}")
        .collect(java.util.stream.Collectors.joining(",", "{\"lines\":[", "]}"));
  }

  private static void refused(String body) {
    refused(utf8(body));
  }

  private static void refused(byte[] body) {
    assertThatThrownBy(() -> PurchaseBodies.quantity(body))
        .isInstanceOf(SeckillException.class)
        .extracting("code")
        .isEqualTo(ErrorCode.INVALID_REQUEST);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
