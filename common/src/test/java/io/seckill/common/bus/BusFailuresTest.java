package io.seckill.common.bus;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BusFailuresTest {

  private Vertx vertx;

  @BeforeEach
  void start() {
    vertx = Vertx.vertx();
  }

  @AfterEach
  void stop() throws Exception {
    vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
  }

  @ParameterizedTest(name = "{index}")
  @EnumSource(ErrorCode.class)
  void everyCodeShouldCrossTheBusWithItsDetail(ErrorCode code) {
    SeckillException back = answeredWith(new SeckillException(code, "why it failed: a b"));
    assertThat(back.code()).isEqualTo(code);
    assertThat(back).hasMessage("why it failed: a b");
  }

  @Test
  void replyShouldHideWhatIsNotOurs() {
    SeckillException back = answeredWith(new IllegalStateException("password=123"));
    assertThat(back.code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(back).hasMessage(ErrorCode.UNAVAILABLE.title());
  }

  private SeckillException answeredWith(Throwable failure) {
    vertx.eventBus().consumer("fails", message -> BusFailures.reply(message, failure));
    return BusFailures.translate(failureOf("fails", 10_000), ErrorCode.OUTCOME_UNKNOWN);
  }

  @Test
  void timeoutShouldMeanWhatTheCallerSays() {
    vertx.eventBus().consumer("silent", message -> {});
    Throwable timeout = failureOf("silent", 20);
    assertThat(BusFailures.translate(timeout, ErrorCode.OUTCOME_UNKNOWN).code())
        .isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
    assertThat(BusFailures.translate(timeout, ErrorCode.UNAVAILABLE).code())
        .isEqualTo(ErrorCode.UNAVAILABLE);
  }

  @Test
  void missingReceiverShouldBeUnavailableBecauseNothingWasDone() {
    Throwable nobody = failureOf("nobody", 10_000);
    assertThat(BusFailures.translate(nobody, ErrorCode.OUTCOME_UNKNOWN).code())
        .isEqualTo(ErrorCode.UNAVAILABLE);
  }

  @Test
  void foreignFailuresShouldMeanWhatATimeoutMeans() {
    for (ReplyException foreign :
        new ReplyException[] {
          new ReplyException(ReplyFailure.RECIPIENT_FAILURE, 1_000, null),
          new ReplyException(ReplyFailure.RECIPIENT_FAILURE, 1_000, "NOT_A_CODE detail"),
          new ReplyException(ReplyFailure.RECIPIENT_FAILURE, 1_000, "SOLD_OUT"),
          new ReplyException(ReplyFailure.RECIPIENT_FAILURE, 7, "SOLD_OUT detail"),
          new ReplyException(ReplyFailure.ERROR, "broken")
        }) {
      assertThat(BusFailures.translate(foreign, ErrorCode.OUTCOME_UNKNOWN).code())
          .isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
    }
    assertThat(BusFailures.translate(new RuntimeException("x"), ErrorCode.UNAVAILABLE).code())
        .isEqualTo(ErrorCode.UNAVAILABLE);
  }

  @Test
  void translateShouldPassOurOwnOn() {
    SeckillException own = new SeckillException(ErrorCode.CONFLICT, "again");
    assertThat(BusFailures.translate(own, ErrorCode.UNAVAILABLE)).isSameAs(own);
  }

  private Throwable failureOf(String address, long timeoutMs) {
    try {
      vertx
          .eventBus()
          .request(address, "x", new DeliveryOptions().setSendTimeout(timeoutMs))
          .toCompletionStage()
          .toCompletableFuture()
          .orTimeout(30, TimeUnit.SECONDS)
          .join();
      throw new AssertionError("the request was to fail");
    } catch (CompletionException e) {
      return e.getCause();
    }
  }
}
