package io.seckill.common.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuantityTest {

  @ParameterizedTest(name = "{index}")
  @ValueSource(ints = {1, 2, 99, 100})
  void constructorShouldTakeOneToAHundred(int value) {
    assertThat(new Quantity(value).value()).isEqualTo(value);
  }

  @ParameterizedTest(name = "{index}")
  @ValueSource(ints = {0, -1, -5, 101, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void IN_08_constructorShouldRefuseTheRest(int value) {
    assertThatThrownBy(() -> new Quantity(value)).isInstanceOf(IllegalArgumentException.class);
  }
}
