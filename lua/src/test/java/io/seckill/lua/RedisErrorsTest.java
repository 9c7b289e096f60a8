package io.seckill.lua;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.redis.client.impl.types.ErrorType;
import java.nio.channels.ClosedChannelException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedisErrorsTest {

  /** Texts as Redis 6.2.11 and 7.0.15 send them. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          NOSCRIPT No matching script. Please use EVAL. | NOSCRIPT | NOT_EXECUTED
          LOADING Redis is loading the dataset in memory | LOADING | NOT_EXECUTED
          WRONGTYPE Operation against a key holding the wrong kind of value | WRONGTYPE | NOT_EXECUTED
          READONLY You can't write against a read only replica. | READONLY | NOT_EXECUTED
          CROSSSLOT Keys in request don't hash to the same slot | CROSSSLOT | NOT_EXECUTED
          ERR Error running script (call to f_7ea1): @user_script:1: @user_script: 1: -READONLY You can't write against a read only replica. | READONLY | NOT_EXECUTED
          ERR Error running script (call to f_7ea1): @user_script:1: @user_script: 1: -OOM command not allowed when used memory > 'maxmemory'. | OOM | NOT_EXECUTED
          ERR Error running script (call to f_7ea1): @user_script:1: @user_script: 1: -MISCONF Redis is configured to save RDB snapshots | MISCONF | NOT_EXECUTED
          ERR Error running script (call to f_d782): @user_script:1: WRONGTYPE Operation against a key | WRONGTYPE | UNKNOWN
          ERR Error running script (call to f_cd20): @user_script:1: user_script:1: attempt to perform arithmetic on a nil value | ERR | UNKNOWN
          READONLY You can't write against a read only replica. script: 7ea1, on @user_script:1. | READONLY | NOT_EXECUTED
          OOM command not allowed when used memory > 'maxmemory'. script: 7ea1, on @user_script:1. | OOM | NOT_EXECUTED
          WRONGTYPE Operation against a key holding the wrong kind of value script: d782, on @user_script:1. | WRONGTYPE | UNKNOWN
          ERR user_script:1: attempt to perform arithmetic on a nil value script: cd20, on @user_script:1. | ERR | UNKNOWN
          ERR unknown command | ERR | UNKNOWN
          ODD | ODD | UNKNOWN
          CONNECTION_CLOSED | CLOSED | UNKNOWN
          """)
  void translateShouldTellWhetherTheCallMayHaveWritten(
      String text, String code, RedisCallException.Kind kind) {
    RedisCallException failure = RedisErrors.translate(ErrorType.create(text));
    assertThat(failure.code()).isEqualTo(code);
    assertThat(failure.kind()).isEqualTo(kind);
  }

  @Test
  void translateShouldBeUnknownWhenTheConnectionClosed() {
    RedisCallException failure = RedisErrors.translate(new ClosedChannelException());
    assertThat(failure.code()).isEqualTo("CLOSED");
    assertThat(failure.kind()).isEqualTo(RedisCallException.Kind.UNKNOWN);
    assertThat(RedisErrors.translate(failure)).isSameAs(failure);
  }
}
