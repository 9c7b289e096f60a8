package io.seckill.common.item;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ItemGroupTest {

  @Test
  void idShouldBeWhatARedisKeyCanHold() {
    assertThat(new ItemGroup("phone-15_blue.x", 2).id()).isEqualTo("phone-15_blue.x");
  }

  @ParameterizedTest(name = "{index}")
  @ValueSource(strings = {"", "a b", "a:b", "{a}", "\u624b\u673a", "a\n"})
  void IN_09_otherIdsShouldBeRefused(String id) {
    assertThatThrownBy(() -> new ItemGroup(id, 2)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new ItemGroup("x".repeat(65), 2))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
