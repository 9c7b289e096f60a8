package io.seckill.common.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UserShardsTest {

  /**
   * Computed once by an independent murmur3 (x86, 32 bits, seed 0x5ECB111). If a line fails, users
   * have moved away from their receipts: mend the code, never the line.
   */
  @ParameterizedTest(name = "{index}")
  @CsvSource({
    "a,                 1, 0, 3, 51, 174",
    "u1,                1, 1, 3, 19, 559",
    "user-1,            1, 1, 15, 15, 583",
    "alice,             1, 2, 11, 27, 791",
    "Alice,             0, 1, 12, 28, 988",
    "bob@example.org,   0, 0, 14, 14, 210",
    "0,                 1, 0, 5, 37, 801",
    "_,                 1, 2, 15, 63, 290",
    "x.y-z_@,           0, 2, 10, 10, 710",
    "9007199254740993,  1, 0, 13, 45, 246",
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA, 0, 2, 10, 58, 305"
  })
  void shardOfShouldNeverMoveAUser(String user, int of2, int of3, int of16, int of64, int of1023) {
    UserId id = new UserId(user);
    assertThat(new UserShards(1).shardOf(id)).isZero();
    assertThat(new UserShards(2).shardOf(id)).isEqualTo(of2);
    assertThat(new UserShards(3).shardOf(id)).isEqualTo(of3);
    assertThat(new UserShards(16).shardOf(id)).isEqualTo(of16);
    assertThat(new UserShards(64).shardOf(id)).isEqualTo(of64);
    assertThat(new UserShards(1023).shardOf(id)).isEqualTo(of1023);
  }

  @ParameterizedTest(name = "{index}")
  @ValueSource(ints = {0, -1, 1024, Integer.MAX_VALUE})
  void constructorShouldRefuseAnImpossibleS(int shardCount) {
    assertThatThrownBy(() -> new UserShards(shardCount))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void countShouldTellS() {
    assertThat(new UserShards(16).count()).isEqualTo(16);
  }
}
