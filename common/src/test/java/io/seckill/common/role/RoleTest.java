package io.seckill.common.role;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RoleTest {

  @Test
  void parseShouldReadAllOrAList() {
    assertThat(Role.parse("all")).containsExactly(Role.values());
    assertThat(Role.parse("consumer")).containsExactly(Role.CONSUMER);
    assertThat(Role.parse("seckill, gateway")).containsExactly(Role.GATEWAY, Role.SECKILL);
  }

  @ParameterizedTest(name = "{index}")
  @ValueSource(strings = {"", ",", "gateway,", "engine", "all,gateway", "gate way"})
  void parseShouldNameWhatIsAllowed(String text) {
    assertThatThrownBy(() -> Role.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("roles are all, gateway, seckill, consumer");
  }
}
