package io.seckill.lua;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.testkit.Await;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class SharedLookupTest {

  private static final long LONG_MS = 60_000;

  private final List<Promise<String>> asked = new CopyOnWriteArrayList<>();
  private final SharedLookup<String> lookup =
      new SharedLookup<>(
          vertx -> {
            Promise<String> promise = Promise.promise();
            asked.add(promise);
            return promise.future();
          });

  private final TestLoop one = new TestLoop();
  private final TestLoop two = new TestLoop();

  /** Tells also whether the answer came on the caller's event loop. */
  private Future<String> ask(TestLoop loop, long maxAgeMs) {
    Future<String> answer =
        loop.start(() -> lookup.get(TestLoop.VERTX, maxAgeMs).map(told -> told + loop.isCurrent()));
    loop.get(() -> true); // By now it has asked.
    return answer;
  }

  @Test
  void getShouldJoinTheLookupInFlightAndAnswerOnTheCallersLoop() {
    List<Future<String>> answers = List.of(ask(one, 0), ask(two, 0));
    assertThat(asked).hasSize(1);
    asked.get(0).complete("here ");
    answers.forEach(answer -> assertThat(one.await(() -> answer)).isEqualTo("here true"));
  }

  @Test
  void getShouldGiveTheLastAnswerWhileItIsYoungEnough() throws InterruptedException {
    ask(one, 0);
    asked.get(0).complete("old ");
    assertThat(one.await(() -> ask(two, LONG_MS))).isEqualTo("old true");
    assertThat(asked).hasSize(1);
    Await.until(
        TestLoop.BOUND,
        "the answer is older than 20 ms",
        () -> {
          ask(one, 20);
          return asked.size() == 2;
        });
  }

  @Test
  void getShouldAskAgainAfterAFailure() throws InterruptedException {
    Future<String> failed = ask(one, 0);
    asked.get(0).fail("nobody knows");
    assertThatThrownBy(() -> one.await(() -> failed)).hasMessageContaining("nobody knows");
    Await.until(
        TestLoop.BOUND,
        "it asks again",
        () -> {
          ask(one, 0);
          return asked.size() == 2;
        });
    asked.get(1).complete("new ");
    assertThat(one.await(() -> ask(two, LONG_MS))).isEqualTo("new true");
  }
}
