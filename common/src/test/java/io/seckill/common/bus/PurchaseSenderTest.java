package io.seckill.common.bus;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.bus.PurchaseReplies.Answer;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.IdempotencyKey;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.OrderId;
import io.seckill.common.id.Quantity;
import io.seckill.common.id.UserId;
import io.seckill.common.order.PurchaseLine;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PurchaseSenderTest {

  private static final long BUDGET_MS = 10_000;
  private static final long SHORT_BUDGET_MS = 50;
  private static final long GRACE_MS = 50;
  private static final OrderId ORDER = OrderId.of("01234567890123456789ABCDEF");

  private final Vertx vertx = Vertx.vertx();
  private final Context loop = vertx.getOrCreateContext();
  private final BlockingQueue<PurchaseBatch> taken = new LinkedBlockingQueue<>();
  private PurchaseSender sender;

  @BeforeEach
  void start() throws Exception {
    BusCodecs.register(vertx.eventBus());
    sender = await(onLoop(() -> PurchaseSender.start(vertx, GRACE_MS)));
  }

  @AfterEach
  void stop() throws Exception {
    await(vertx.close());
  }

  @Test
  void purchasesOfOneTurnShouldCrossInOneMessageInTheirOrder() throws Exception {
    engineTakes();

    sendInOneTurn("a", "b", "c");
    sendInOneTurn("d");

    assertThat(users(takenBatch())).containsExactly("a", "b", "c");
    assertThat(users(takenBatch())).containsExactly("d");
  }

  @Test
  void aCrowdShouldBeSplitIntoMessagesOfBoundedSize() throws Exception {
    engineTakes();

    sendInOneTurn(crowd(2 * PurchaseBatch.MAX_PURCHASES + 1));

    assertThat(takenBatch().purchases()).hasSize(PurchaseBatch.MAX_PURCHASES);
    assertThat(takenBatch().purchases()).hasSize(PurchaseBatch.MAX_PURCHASES);
    assertThat(takenBatch().purchases()).hasSize(1);
  }

  @Test
  void answersShouldReachTheirOwnPurchasesInWhateverOrderTheyCome() throws Exception {
    engineTakes();
    List<Future<PurchaseReply>> early = sendInOneTurn("a", "b");
    List<Future<PurchaseReply>> late = sendInOneTurn("c");
    PurchaseBatch first = takenBatch();
    PurchaseBatch second = takenBatch();

    reply(first, new Answer(second.id(), 0, won(3)), new Answer(first.id(), 1, won(2)));

    assertThat(await(late.get(0)).remaining()).isEqualTo(3);
    assertThat(await(early.get(1)).remaining()).isEqualTo(2);
    assertThat(early.get(0).isComplete()).isFalse();

    reply(first, new Answer(first.id(), 0, won(1)));
    assertThat(await(early.get(0)).remaining()).isEqualTo(1);
  }

  @Test
  void withoutAnEngineAllShouldBeUnavailable() throws Exception {
    for (Future<PurchaseReply> answer : sendInOneTurn("a", "b")) {
      assertThat(await(answer).refusal()).isEqualTo(ErrorCode.UNAVAILABLE);
    }
  }

  @Test
  void anEngineThatDoesNotTakeThemShouldBeBelieved() throws Exception {
    vertx
        .eventBus()
        .<PurchaseBatch>consumer(
            Addresses.PURCHASE,
            message -> BusFailures.reply(message, new SeckillException(ErrorCode.BUSY, "full")));

    assertThat(await(sendInOneTurn("a").get(0)).refusal()).isEqualTo(ErrorCode.BUSY);
  }

  @Test
  void OL_02_anEngineThatDiesAfterItTookThemShouldLeaveTheOutcomeUnknown() throws Exception {
    engineTakes();

    List<Future<PurchaseReply>> answers =
        onLoop(() -> send(List.of(purchase("a", SHORT_BUDGET_MS), purchase("b", BUDGET_MS))));

    assertThat(await(answers.get(0)).refusal()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
    // Each has its own budget.
    assertThat(answers.get(1).isComplete()).isFalse();
  }

  @Test
  void OL_02_anEngineThatNeverTakesThemShouldLeaveTheOutcomeUnknown() throws Exception {
    vertx.eventBus().<PurchaseBatch>consumer(Addresses.PURCHASE, message -> {});

    List<Future<PurchaseReply>> answers =
        onLoop(() -> send(List.of(purchase("a", SHORT_BUDGET_MS))));

    assertThat(await(answers.get(0)).refusal()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
  }

  @Test
  void lateAndRepeatedAnswersShouldBeIgnored() throws Exception {
    engineTakes();
    Future<PurchaseReply> late =
        onLoop(() -> send(List.of(purchase("late", SHORT_BUDGET_MS)))).get(0);
    PurchaseBatch lateBatch = takenBatch();
    assertThat(await(late).refusal()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
    List<Future<PurchaseReply>> next = sendInOneTurn("a", "b");
    PurchaseBatch batch = takenBatch();

    Answer first = new Answer(batch.id(), 0, won(1));
    reply(
        batch,
        new Answer(lateBatch.id(), 0, won(9)),
        first,
        first,
        new Answer(batch.id(), 1, won(2)),
        first);

    assertThat(await(next.get(0)).remaining()).isEqualTo(1);
    assertThat(await(next.get(1)).remaining()).isEqualTo(2);
    assertThat(late.result().refusal()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
  }

  @Test
  void beyondTheBoundItShouldBeBusyUntilAnswersCome() throws Exception {
    engineTakes();
    List<Future<PurchaseReply>> waiting = sendInOneTurn(crowd(PurchaseSender.MAX_OUTSTANDING));
    PurchaseBatch batch = takenBatch();

    assertThat(await(sendInOneTurn("more").get(0)).refusal()).isEqualTo(ErrorCode.BUSY);

    reply(batch, new Answer(batch.id(), 7, won(1)));
    await(waiting.get(7));
    Future<PurchaseReply> room = sendInOneTurn("room").get(0);
    Future<PurchaseReply> none = sendInOneTurn("none").get(0);
    assertThat(await(none).refusal()).isEqualTo(ErrorCode.BUSY);
    assertThat(room.isComplete()).isFalse();
  }

  @Test
  void aCallerThatThrowsShouldNotCostItsNeighboursTheirAnswers() throws Exception {
    engineTakes();
    List<Throwable> reported = new ArrayList<>();
    loop.exceptionHandler(reported::add);
    List<Future<PurchaseReply>> answers =
        onLoop(
            () -> {
              List<Future<PurchaseReply>> sent =
                  send(List.of(purchase("a", BUDGET_MS), purchase("b", BUDGET_MS)));
              sent.get(0)
                  .onSuccess(
                      reply -> {
                        throw new IllegalStateException("of the caller");
                      });
              return sent;
            });
    PurchaseBatch batch = takenBatch();

    reply(batch, new Answer(batch.id(), 0, won(1)), new Answer(batch.id(), 1, won(2)));

    assertThat(await(answers.get(1)).remaining()).isEqualTo(2);
    onLoop(() -> null);
    assertThat(reported).singleElement().isInstanceOf(IllegalStateException.class);
  }

  @Test
  void itsAddressShouldEndWithItsVerticle() throws Exception {
    engineTakes();
    var verticle =
        new VerticleBase() {
          @Override
          public Future<?> start() {
            return PurchaseSender.start(vertx, GRACE_MS)
                .onSuccess(own -> own.send(purchase("a", BUDGET_MS)));
          }
        };
    String deployment = await(vertx.deployVerticle(verticle));
    PurchaseBatch batch = takenBatch();

    await(vertx.undeploy(deployment));

    Throwable gone =
        await(
            vertx
                .eventBus()
                .request(batch.replyTo(), new PurchaseReplies(List.of()))
                .map((Throwable) null)
                .otherwise(failure -> failure));
    assertThat(gone)
        .isInstanceOfSatisfying(
            ReplyException.class,
            failure -> assertThat(failure.failureType()).isEqualTo(ReplyFailure.NO_HANDLERS));
  }

  private void engineTakes() {
    vertx
        .eventBus()
        .consumer(
            Addresses.PURCHASE,
            (Message<PurchaseBatch> message) -> {
              taken.add(message.body());
              message.reply(new Done());
            });
  }

  private PurchaseBatch takenBatch() throws InterruptedException {
    PurchaseBatch batch = taken.poll(10, TimeUnit.SECONDS);
    assertThat(batch).isNotNull();
    return batch;
  }

  private void reply(PurchaseBatch batch, Answer... answers) {
    vertx.eventBus().send(batch.replyTo(), new PurchaseReplies(Arrays.asList(answers)));
  }

  private List<Future<PurchaseReply>> sendInOneTurn(String... users) throws Exception {
    return onLoop(() -> send(Arrays.stream(users).map(user -> purchase(user, BUDGET_MS)).toList()));
  }

  private List<Future<PurchaseReply>> send(List<PurchaseRequest> purchases) {
    return purchases.stream().map(sender::send).toList();
  }

  private static String[] crowd(int size) {
    return IntStream.range(0, size).mapToObj(i -> "u" + i).toArray(String[]::new);
  }

  private static PurchaseRequest purchase(String user, long budgetMs) {
    return new PurchaseRequest(
        new UserId(user),
        IdempotencyKey.NONE,
        List.of(new PurchaseLine(new ItemId(1), new Quantity(1))),
        budgetMs);
  }

  private static PurchaseReply won(long remaining) {
    return PurchaseReply.accepted(ORDER, remaining);
  }

  private static List<String> users(PurchaseBatch batch) {
    return batch.purchases().stream().map(purchase -> purchase.user().value()).toList();
  }

  private <T> T onLoop(Supplier<T> call) throws Exception {
    return await(Future.future(promise -> loop.runOnContext(turn -> promise.complete(call.get()))));
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
  }
}
