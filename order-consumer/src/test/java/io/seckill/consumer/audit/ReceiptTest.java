package io.seckill.consumer.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.EntryId;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReceiptTest {

  @Test
  void parseShouldReadHeldRecordsOnly() {
    assertThat(Receipt.parse("3;-||1-4|2|h|1764430000000;kd|bd|1-9|5|r|1764430000001;k2||2-1|1|h"))
        .isEqualTo(new Receipt(3, Map.of(new EntryId(1, 4), 2L, new EntryId(2, 1), 1L)));
    assertThat(Receipt.parse("0")).isEqualTo(Receipt.NONE);
    assertThat(Receipt.parse(null)).isEqualTo(Receipt.NONE);
  }

  @Test
  void wonAtMsShouldBeZeroWhenTheReceiptDoesNotSay() {
    String text = "3;-||1-4|2|h|1764430000000;k2||2-1|1|h;k3||2-2|1|h|x";

    assertThat(Receipt.wonAtMs(text, new EntryId(1, 4))).isEqualTo(1_764_430_000_000L);
    assertThat(Receipt.wonAtMs(text, new EntryId(2, 1))).isZero();
    assertThat(Receipt.wonAtMs(text, new EntryId(2, 2))).isZero();
    assertThat(Receipt.wonAtMs(text, new EntryId(9, 9))).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "1;a|b|c", "1;-||x-1|1|h", "1;-||1-1|x|h", "1;-||1-1|1|h|1|1"})
  void parseShouldAgreeWithNothingWhenTheTextIsSpoilt(String text) {
    assertThat(Receipt.parse(text).units()).isEqualTo(-1);
  }
}
