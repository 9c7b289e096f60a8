package io.seckill.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.RawRedis;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RedisServersIT {

  private static final Duration BOUND = Duration.ofSeconds(30);

  @Test
  void sharesOneRedisAndGivesPrivateOnes() throws Exception {
    RedisAddress shared = TestRedis.shared();
    assertThat(TestRedis.shared()).isEqualTo(shared);
    assertThat(RedisAddress.parse(shared.uri())).isEqualTo(shared);
    try (RawRedis redis = new RawRedis(shared.host(), shared.port(), BOUND)) {
      assertThat(redis.call("PING")).isEqualTo("PONG");
    }
    try (EmbeddedRedis own = TestRedis.start()) {
      assertThat(own.port()).isNotEqualTo(shared.port());
    }
  }

  @Test
  void clusterModeRefusesKeysOfDifferentSlots() throws Exception {
    try (EmbeddedRedis node = TestRedis.clusterMode();
        RawRedis redis = new RawRedis(node.host(), node.port(), BOUND)) {
      assertThat(redis.call("MSET", "{a}1", "x", "{a}2", "y")).isEqualTo("OK");
      assertThatThrownBy(() -> redis.call("MSET", "{a}1", "x", "{b}1", "y"))
          .hasMessageContaining("CROSSSLOT");
    }
  }

  @Test
  void readsAddresses() {
    assertThat(RedisAddress.parse("redis.example"))
        .isEqualTo(new RedisAddress("redis.example", 6379));
    assertThat(RedisAddress.parse("redis://h:1")).isEqualTo(new RedisAddress("h", 1));
    assertThat(MySqlAddress.parse("mysql://u:p@h/d"))
        .isEqualTo(new MySqlAddress("h", 3306, "d", "u", "p"));
    assertThat(MySqlAddress.parse("mysql://u:p%40@h:1"))
        .isEqualTo(new MySqlAddress("h", 1, "", "u", "p@"));
  }
}
