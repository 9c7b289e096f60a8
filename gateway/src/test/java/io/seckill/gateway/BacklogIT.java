package io.seckill.gateway;

import static io.seckill.gateway.GatewayIT.problem;
import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.bus.Backlog;
import io.seckill.common.bus.Board;
import io.seckill.common.bus.PurchaseReply;
import io.seckill.common.error.ErrorCode;
import io.seckill.gateway.RawHttp.Response;
import io.seckill.gateway.board.Boards;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What buyers hear while orders are not stored as fast as they are sold. */
class BacklogIT {

  private static final long FIRST_BOARD_MS = 1_800_000_000_000L;

  private static final AtomicLong boards = new AtomicLong();
  private static final AtomicLong buyers = new AtomicLong();
  private RunningGateway gateway;
  private FakeLedger ledger;

  @BeforeEach
  void start() throws Exception {
    gateway = RunningGateway.start();
    ledger = new FakeLedger(gateway.vertx());
  }

  @AfterEach
  void stop() {
    gateway.close();
  }

  /** A board as engines publish it, and the wait until this process shows it. */
  private void tell(Backlog backlog) throws InterruptedException {
    long number = boards.incrementAndGet();
    gateway.publish(
        new Board(
            0,
            FIRST_BOARD_MS + 10_000 * number,
            false,
            backlog,
            List.of(Boards.item(1, 2, number, 1))));
    String shown = "\"remaining\":" + number + ",";
    RunningGateway.await(() -> item().body().contains(shown));
  }

  private Response item() {
    try {
      return RawHttp.once(gateway.publicPort(), RunningGateway.get("/api/v1/items/1", ""));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Response join(String user) throws IOException {
    String bearer = "Authorization: Bearer " + gateway.token(user) + "\r\n";
    return RawHttp.once(
        gateway.publicPort(), RunningGateway.post("/api/v1/items/1/waitlist", bearer, ""));
  }

  private Response buy() throws IOException {
    return RawHttp.once(
        gateway.publicPort(),
        gateway.purchase("buyer-" + buyers.incrementAndGet(), "", "{\"quantity\":1}"));
  }

  @Test
  void beyondTheBoundPurchasesShouldBeBusyUntilItIsOver() throws Exception {
    gateway.engine(request -> PurchaseReply.refused(ErrorCode.SOLD_OUT));
    tell(new Backlog(90_000, 0, 500));
    int refusedBefore = (int) gateway.refused("backlog", ErrorCode.BUSY);
    // Whoever wins nothing takes nobody's place.
    for (int i = 0; i < 5; i++) {
      problem(buy(), ErrorCode.SOLD_OUT);
    }

    gateway.engine(request -> PurchaseReply.refused(ErrorCode.OUTCOME_UNKNOWN));
    problem(buy(), ErrorCode.OUTCOME_UNKNOWN);
    int reached = gateway.purchases().size();
    Response refused = buy();
    problem(refused, ErrorCode.BUSY);
    assertThat(Integer.parseInt(refused.header("retry-after"))).isBetween(1, 5);
    assertThat(gateway.purchases()).hasSize(reached);
    assertThat(gateway.refused("backlog", ErrorCode.BUSY)).isEqualTo(refusedBefore + 1);
    assertThat(gateway.gauge("seckill.gateway.purchases.in.flight")).isZero();

    tell(Backlog.NONE);
    for (int i = 0; i < 5; i++) {
      problem(buy(), ErrorCode.OUTCOME_UNKNOWN);
    }
  }

  @Test
  void SC_06_aNearlyFullLogShouldStopPurchasesUntilItIsEmptier() throws Exception {
    gateway.engine(request -> PurchaseReply.refused(ErrorCode.SOLD_OUT));
    tell(new Backlog(0, 50_000, 901));
    int reached = gateway.purchases().size();
    Response refused = buy();
    problem(refused, ErrorCode.UNAVAILABLE);
    assertThat(Integer.parseInt(refused.header("retry-after"))).isBetween(1, 5);
    assertThat(gateway.purchases()).hasSize(reached);
    assertThat(gateway.refused("backlog", ErrorCode.UNAVAILABLE)).isPositive();

    tell(new Backlog(0, 50_000, 899));
    problem(buy(), ErrorCode.SOLD_OUT);
  }

  @Test
  void whoJoinsALineShouldPassAsAPurchaseDoes() throws Exception {
    ledger.line("ann");
    tell(new Backlog(90_000, 0, 500));
    int refusedBefore = (int) gateway.refused("backlog", ErrorCode.BUSY);
    for (int i = 0; i < 5; i++) {
      assertThat(join("ann").status()).as("he was there").isEqualTo(200);
    }
    ledger.refuse(ErrorCode.LIMIT_REACHED);
    problem(join("bob"), ErrorCode.LIMIT_REACHED);
    ledger.refuse(null);
    assertThat(join("bob").status()).isEqualTo(201);
    Response refused = join("cat");
    problem(refused, ErrorCode.BUSY);
    assertThat(Integer.parseInt(refused.header("retry-after"))).isBetween(1, 5);
    assertThat(gateway.refused("backlog", ErrorCode.BUSY)).isEqualTo(refusedBefore + 1);

    int full = (int) gateway.refused("backlog", ErrorCode.UNAVAILABLE);
    tell(new Backlog(0, 50_000, 901));
    problem(join("cat"), ErrorCode.UNAVAILABLE);
    assertThat(gateway.refused("backlog", ErrorCode.UNAVAILABLE)).isEqualTo(full + 1);
    tell(Backlog.NONE);
    assertThat(join("cat").status()).isEqualTo(201);
  }

  @Test
  void whoJoinsTooOftenShouldBeStoppedByHisOwnRateFirst() throws Exception {
    gateway.close();
    gateway = RunningGateway.start(TestConfigs.gateway(), TestConfigs.polls(1, 5));
    tell(new Backlog(0, 50_000, 901));
    int limited = 0;
    for (int i = 0; i < 20; i++) {
      limited += join("ann").status() == 429 ? 1 : 0;
    }
    assertThat(limited).isPositive();
    assertThat(gateway.refused("poll_rate", ErrorCode.RATE_LIMITED)).isEqualTo(limited);
    assertThat(gateway.refused("backlog", ErrorCode.UNAVAILABLE)).isEqualTo(20 - limited);
  }
}
