package io.seckill.consumer.db;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.VertxException;
import io.vertx.mysqlclient.MySQLException;
import org.junit.jupiter.api.Test;

class SqlFailuresTest {

  @Test
  void unexplainedShouldBeWhatOurOwnCodeFailsWith() {
    assertThat(SqlFailures.isUnexplained(new IllegalStateException())).isTrue();
    assertThat(SqlFailures.isUnexplained(new StackOverflowError())).isTrue();
    assertThat(SqlFailures.isUnexplained(new AssertionError())).isTrue();
  }

  @Test
  void unexplainedShouldNotBeWhatSaysNothingAboutTheEntry() {
    assertThat(SqlFailures.isUnexplained(new OutOfMemoryError())).isFalse();
    assertThat(SqlFailures.isUnexplained(new NoClassDefFoundError())).isFalse();
    assertThat(SqlFailures.isUnexplained(new ExceptionInInitializerError())).isFalse();
    assertThat(SqlFailures.isUnexplained(new VertxException("closed"))).isFalse();
    assertThat(SqlFailures.isUnexplained(new MySQLException("", 1205, "40001"))).isFalse();
  }
}
