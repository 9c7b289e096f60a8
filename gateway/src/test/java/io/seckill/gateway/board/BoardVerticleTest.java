package io.seckill.gateway.board;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.Backlog;
import io.seckill.common.bus.Board;
import io.seckill.common.bus.BoardRequest;
import io.seckill.common.bus.BusCodecs;
import io.seckill.common.bus.BusFailures;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.ItemId;
import io.seckill.gateway.ManualClock;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Gateways on a real bus that hear boards, and gateways that hear none. */
class BoardVerticleTest {

  private static final ItemId ONE = new ItemId(1);

  /** What was promised for every message lost. */
  private static final Duration WHEN_LOST = Duration.ofSeconds(3);

  private static final long POLL_MS = 5;

  private final Vertx vertx = Vertx.vertx();
  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicInteger heardThoughLost = new AtomicInteger();
  private volatile Board latest = Boards.of(1_000, Boards.item(1, 2, 5, 1));

  @BeforeEach
  void codecs() {
    BusCodecs.register(vertx.eventBus());
  }

  @AfterEach
  void close() throws Exception {
    assertThat(heardThoughLost.get()).isZero();
    vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
  }

  @Test
  void ST_09_soldOutShouldBeSetAndClearedOnEveryGatewayAlthoughEveryPublicationIsLost()
      throws Exception {
    losePublications();
    engine(message -> message.reply(latest));
    List<BoardStore> gateways = List.of(gateway(), gateway(), gateway());
    within(WHEN_LOST, () -> gateways.stream().allMatch(BoardStore::isKnown));

    turn(Boards.of(2_000, Boards.item(1, 2, 0, 1)));
    within(WHEN_LOST, () -> gateways.stream().allMatch(each -> each.find(ONE).soldOut()));
    turn(Boards.of(3_000, Boards.item(1, 2, 2, 2)));
    within(WHEN_LOST, () -> gateways.stream().noneMatch(each -> each.find(ONE).soldOut()));
    turn(Boards.of(4_000, Boards.item(1, 2, 0, 2)));
    within(WHEN_LOST, () -> gateways.stream().allMatch(each -> each.find(ONE).soldOut()));
  }

  @Test
  void ST_09_aDeadAndALostEngineShouldNotKeepAGatewayFromTheOneThatKnows() throws Exception {
    losePublications();
    engine(message -> {});
    engine(
        message ->
            BusFailures.reply(
                message, new SeckillException(ErrorCode.UNAVAILABLE, "has read nothing yet")));
    engine(message -> message.reply(latest));
    BoardStore gateway = gateway();
    within(WHEN_LOST, gateway::isKnown);

    turn(Boards.of(2_000, Boards.item(1, 2, 0, 1)));
    within(WHEN_LOST, () -> gateway.find(ONE).soldOut());
    turn(Boards.of(3_000, Boards.item(1, 2, 2, 2)));
    within(WHEN_LOST, () -> !gateway.find(ONE).soldOut());
  }

  /**
   * Their clock is the test's: what they wait for the machine is not what they wait for a board.
   */
  @Test
  void ST_09_aPublicationShouldTurnEveryGatewayAtOnceAndSaveTheAsking() throws Exception {
    engine(message -> message.reply(latest));
    ManualClock clock = new ManualClock();
    List<BoardStore> gateways = List.of(gateway(clock), gateway(clock));
    within(WHEN_LOST, () -> gateways.stream().allMatch(BoardStore::isKnown));
    int before = asked.get();
    for (int i = 1; i <= 15; i++) {
      boolean soldOut = i % 2 == 1;
      turn(Boards.of(1_000 + i * 100L, Boards.item(1, 2, soldOut ? 0 : 3, 1 + i / 2)));
      within(
          WHEN_LOST, () -> gateways.stream().allMatch(each -> each.find(ONE).soldOut() == soldOut));
      // Published as often as an engine does, and they have the time to ask if they want to.
      clock.passMs(100);
      long until = System.nanoTime() + 100_000_000L;
      within(WHEN_LOST, () -> System.nanoTime() > until);
    }
    assertThat(asked.get()).isEqualTo(before);
  }

  @Test
  void boardsOfAnotherRegionShouldSayNothing() throws Exception {
    engine(message -> message.reply(latest));
    BoardStore gateway = gateway();
    within(WHEN_LOST, gateway::isKnown);
    vertx
        .eventBus()
        .publish(
            Addresses.BOARD,
            new Board(1, 9_000, false, Backlog.NONE, List.of(Boards.item(1, 3, 0, 9))));
    turn(Boards.of(2_000, Boards.item(1, 2, 4, 1)));
    within(WHEN_LOST, () -> gateway.find(ONE).remaining() == 4);
  }

  private void turn(Board board) {
    latest = board;
    vertx.eventBus().publish(Addresses.BOARD, board);
  }

  private void losePublications() {
    vertx.eventBus().consumer(Addresses.BOARD, message -> heardThoughLost.incrementAndGet());
    vertx
        .eventBus()
        .addOutboundInterceptor(
            delivery -> {
              if (!delivery.message().address().equals(Addresses.BOARD)) {
                delivery.next();
              }
            });
  }

  private void engine(Consumer<Message<BoardRequest>> answer) {
    vertx
        .eventBus()
        .<BoardRequest>consumer(
            Addresses.BOARD_NOW,
            message -> {
              asked.incrementAndGet();
              answer.accept(message);
            });
  }

  private BoardStore gateway() throws Exception {
    return gateway(System::nanoTime);
  }

  private BoardStore gateway(LongSupplier nanoTime) throws Exception {
    BoardStore board = new BoardStore(nanoTime);
    vertx
        .deployVerticle(new BoardVerticle(board, 0))
        .toCompletionStage()
        .toCompletableFuture()
        .get(10, TimeUnit.SECONDS);
    return board;
  }

  /** The bound counts in polls: one in which the machine stands still is one like others. */
  private static void within(Duration bound, BooleanSupplier condition)
      throws InterruptedException {
    long polls = bound.toMillis() / POLL_MS;
    for (long i = 0; !condition.getAsBoolean(); i++) {
      assertThat(i).as("polls, which is %s", bound).isLessThan(polls);
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
  }
}
