package io.seckill.common.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShardRefTest {

  @ParameterizedTest(name = "{index}")
  @CsvSource({"0,0,0:0", "255,1023,255:1023", "7,4095,7:db"})
  void toStringShouldNameRegionAndShard(int region, int shard, String text) {
    assertThat(new ShardRef(region, shard)).hasToString(text);
  }

  @ParameterizedTest(name = "{index}")
  @CsvSource({"-1,0", "256,0", "0,-1", "0,1024", "0,4094", "0,4096"})
  void constructorShouldRefuseWhatAnOrderIdCannotCarry(int region, int shard) {
    assertThatThrownBy(() -> new ShardRef(region, shard))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void winIdShouldBeOrderedByShardThenEntry() {
    assertThat(WinId.of(0, 1, 9, 9)).isLessThan(WinId.of(0, 2, 1, 1));
    assertThat(WinId.of(0, 2, 1, 1)).isLessThan(WinId.of(0, 2, 1, 2));
    assertThat(WinId.of(0, 9, 9, 9)).isLessThan(WinId.of(1, 0, 1, 1));
    assertThat(WinId.of(1, ShardRef.DATABASE, 3, 4)).hasToString("1:db:3:4");
  }
}
