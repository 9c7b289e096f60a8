package io.seckill.launcher.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.testkit.Await;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HealthTest {

  private static final Duration BOUND = Duration.ofSeconds(10);

  private final Vertx vertx = Vertx.vertx();
  private final AtomicReference<Optional<String>> missing =
      new AtomicReference<>(Optional.of("nothing yet"));
  private final AtomicInteger rounds = new AtomicInteger();
  private final Health health =
      new Health(
          vertx,
          List.of(
              new Health.Check(
                  "thing",
                  () -> {
                    rounds.incrementAndGet();
                    return Future.succeededFuture(missing.get());
                  })));

  @AfterEach
  void close() throws Exception {
    health.stopping();
    Await.result(BOUND, "the end of Vert.x", vertx.close());
  }

  @Test
  void readyShouldNeedStartAndEveryCheck() throws Exception {
    missing.set(Optional.empty());
    assertThat(health.report().ready()).isFalse();
    assertThat(health.report().checks()).containsEntry("roles", "starting");
    health.started();
    Await.result(BOUND, "readiness", health.firstReady());
    assertThat(health.report().ready()).isTrue();
    assertThat(health.report().checks()).containsEntry("thing", "up").containsEntry("roles", "up");
  }

  @Test
  void readyShouldWaitForACheckThatNeverHeld() throws Exception {
    health.started();
    Await.until(BOUND, "three rounds", () -> rounds.get() > 3);
    assertThat(health.report().ready()).isFalse();
    assertThat(health.report().checks()).containsEntry("thing", "nothing yet");
  }

  @Test
  void VX_04_readyShouldOutliveOneMiss() throws Exception {
    missing.set(Optional.empty());
    health.started();
    Await.result(BOUND, "readiness", health.firstReady());
    missing.set(Optional.of("gone"));
    Await.until(BOUND, "a miss", () -> "gone".equals(health.report().checks().get("thing")));
    assertThat(health.report().ready()).isTrue();
    Await.until(BOUND, "not ready", () -> !health.report().ready());
    missing.set(Optional.empty());
    Await.until(BOUND, "ready again", () -> health.report().ready());
  }

  @Test
  void VX_03_readyShouldEndAtOnceWhenStopping() throws Exception {
    missing.set(Optional.empty());
    health.started();
    Await.result(BOUND, "readiness", health.firstReady());
    health.stopping();
    assertThat(health.report().ready()).isFalse();
    assertThat(health.report().checks()).containsEntry("roles", "stopping");
  }
}
