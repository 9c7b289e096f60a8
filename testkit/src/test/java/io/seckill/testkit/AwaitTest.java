package io.seckill.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AwaitTest {

  private static final Duration SHORT = Duration.ofMillis(40);

  @Test
  void returnsWhenTheConditionIsTrueAtLast() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    Await.until(Duration.ofSeconds(5), "three calls", () -> calls.incrementAndGet() == 3);
    assertThat(calls).hasValue(3);
  }

  @Test
  void saysWhatItWaitedForAndWhatWentWrong() {
    assertThatThrownBy(
            () ->
                Await.until(
                    SHORT,
                    "pigs fly",
                    () -> {
                      throw new IllegalStateException("no wings");
                    }))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("until pigs fly")
        .hasRootCauseMessage("no wings");
  }

  @Test
  void handsOutResultsFailuresAndTimeOuts() throws Exception {
    assertThat(Await.result(SHORT, "one", Future.succeededFuture(1))).isEqualTo(1);
    assertThatThrownBy(() -> Await.result(SHORT, "a failure", Future.failedFuture("broken")))
        .isInstanceOf(ExecutionException.class)
        .hasRootCauseMessage("broken");
    assertThatThrownBy(() -> Await.result(SHORT, "nothing", Promise.promise().future()))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("for nothing");
  }
}
