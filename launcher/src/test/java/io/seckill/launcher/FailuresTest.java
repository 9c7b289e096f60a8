package io.seckill.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.vertx.core.Future;
import java.net.ConnectException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class FailuresTest {

  @Test
  void describeShouldShowTheMessageThatWasWrittenForPeople() {
    Throwable wrapped =
        new ExecutionException(new CompletionException(new LaunchException("start the server")));
    assertThat(Failures.describe(wrapped)).isEqualTo("start the server");
    assertThat(Failures.describe(Future.failedFuture("set redis.uri").cause()))
        .isEqualTo("set redis.uri");
  }

  @Test
  void describeShouldNameTheKindWhenTheMessageAloneSaysTooLittle() {
    assertThat(Failures.describe(new ConnectException("127.0.0.1")))
        .isEqualTo("ConnectException: 127.0.0.1");
    assertThat(Failures.describe(new NullPointerException())).isEqualTo("NullPointerException");
    assertThat(Failures.describe(new TimeoutException())).isEqualTo("timed out");
    assertThat(Failures.describe(new SeckillException(ErrorCode.CONFLICT, "S differs")))
        .isEqualTo("CONFLICT: S differs");
  }

  @Test
  void toLaunchShouldKeepALaunchException() {
    LaunchException failure = new LaunchException("no");
    assertThat(Failures.toLaunch(new CompletionException(failure))).isSameAs(failure);
  }
}
