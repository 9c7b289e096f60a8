package io.seckill.gateway.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EventSyncTest {

  private static final List<Integer> MANY = IntStream.range(0, 100_000).boxed().toList();

  private final List<Integer> taken = new ArrayList<>();

  @Test
  void oneByOneShouldEndHoweverManyStepsAreOverAtOnceAfterOneThatIsNot() {
    Promise<Void> slow = Promise.promise();
    Future<Void> all =
        EventSync.oneByOne(
            MANY,
            step -> {
              taken.add(step);
              return step == 0 ? slow.future() : Future.succeededFuture();
            });
    assertThat(taken).containsExactly(0);
    assertThat(all.isComplete()).isFalse();
    slow.complete();
    assertThat(taken).isEqualTo(MANY);
    assertThat(all.succeeded()).isTrue();
  }

  @Test
  void oneByOneShouldEndAtTheFirstStepThatFails() {
    Future<Void> all =
        EventSync.oneByOne(
            MANY,
            step -> {
              taken.add(step);
              return step == 2 ? Future.failedFuture("no") : Future.succeededFuture();
            });
    assertThat(all.cause()).hasMessage("no");
    assertThat(taken).containsExactly(0, 1, 2);
  }

  @Test
  void oneByOneShouldFailWithAStepThatThrows() {
    IllegalStateException broken = new IllegalStateException("broken");
    Future<Void> all =
        EventSync.oneByOne(
            MANY,
            step -> {
              throw broken;
            });
    assertThat(all.cause()).isSameAs(broken);
  }
}
