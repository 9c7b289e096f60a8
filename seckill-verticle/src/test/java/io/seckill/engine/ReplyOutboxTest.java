package io.seckill.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.bus.BusCodecs;
import io.seckill.common.bus.PurchaseBatch;
import io.seckill.common.bus.PurchaseReplies;
import io.seckill.common.bus.PurchaseReplies.Answer;
import io.seckill.common.bus.PurchaseReply;
import io.seckill.common.error.ErrorCode;
import io.seckill.testkit.Await;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReplyOutboxTest {

  private static final Duration BOUND = Duration.ofSeconds(10);

  private final Vertx vertx = Vertx.vertx();
  private final Context loop = vertx.getOrCreateContext();
  private final BlockingQueue<PurchaseReplies> ann = new LinkedBlockingQueue<>();
  private final BlockingQueue<PurchaseReplies> bob = new LinkedBlockingQueue<>();
  private ReplyOutbox outbox;

  @BeforeEach
  void start() throws Exception {
    BusCodecs.register(vertx.eventBus());
    vertx.eventBus().<PurchaseReplies>consumer("ann", message -> ann.add(message.body()));
    vertx.eventBus().<PurchaseReplies>consumer("bob", message -> bob.add(message.body()));
    inOneTurn(() -> outbox = new ReplyOutbox(vertx));
  }

  @AfterEach
  void stop() throws Exception {
    Await.result(BOUND, "the end", vertx.close());
  }

  @Test
  void answersOfOneTurnShouldTravelTogetherAndNotWaitForTheNext() throws Exception {
    inOneTurn(
        () -> {
          outbox.add("ann", answer(1));
          outbox.add("bob", answer(2));
          outbox.add("ann", answer(3));
        });
    assertThat(ann.poll(10, TimeUnit.SECONDS).answers()).containsExactly(answer(1), answer(3));
    assertThat(bob.poll(10, TimeUnit.SECONDS).answers()).containsExactly(answer(2));

    inOneTurn(() -> outbox.add("ann", answer(4)));
    assertThat(ann.poll(10, TimeUnit.SECONDS).answers()).containsExactly(answer(4));
  }

  @Test
  void manyAnswersShouldBeSplit() throws Exception {
    inOneTurn(
        () -> {
          for (int i = 0; i <= PurchaseBatch.MAX_PURCHASES; i++) {
            outbox.add("ann", answer(i));
          }
        });
    assertThat(ann.poll(10, TimeUnit.SECONDS).answers()).hasSize(PurchaseBatch.MAX_PURCHASES);
    assertThat(ann.poll(10, TimeUnit.SECONDS).answers()).hasSize(1);
  }

  @Test
  void aGatewayThatIsGoneShouldNotDisturbTheOthers() throws Exception {
    inOneTurn(
        () -> {
          outbox.add("gone", answer(1));
          outbox.add("ann", answer(2));
          outbox.flush();
        });
    assertThat(ann.poll(10, TimeUnit.SECONDS).answers()).containsExactly(answer(2));
  }

  private static Answer answer(int index) {
    return new Answer(1, index, PurchaseReply.refused(ErrorCode.SOLD_OUT));
  }

  private void inOneTurn(Runnable turn) throws Exception {
    Future<Void> done =
        Future.future(
            promise ->
                loop.runOnContext(
                    unused -> {
                      turn.run();
                      promise.complete();
                    }));
    Await.result(BOUND, "a turn", done);
  }
}
