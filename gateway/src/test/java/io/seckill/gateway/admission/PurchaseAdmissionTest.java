package io.seckill.gateway.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.bus.Backlog;
import io.seckill.common.bus.Board;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.Quantity;
import io.seckill.common.id.UserId;
import io.seckill.common.order.PurchaseLine;
import io.seckill.gateway.ManualClock;
import io.seckill.gateway.board.BoardStore;
import io.seckill.gateway.board.Boards;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PurchaseAdmissionTest {

  private static final UserId ANN = new UserId("ann");
  private static final UserId BOB = new UserId("bob");

  private final ManualClock clock = new ManualClock();
  private final BoardStore board = new BoardStore(clock);

  @BeforeEach
  void aBoard() {
    board.accept(Boards.of(1, Boards.item(1), Boards.item(2)));
  }

  @Test
  void tryEnterShouldRefuseAnUnknownItem() {
    PurchaseAdmission admission = admission(100, 100, 10);
    Refusal refusal = admission.tryEnter(ANN, lines(1, 3));
    assertThat(refusal.layer()).isEqualTo(Layer.ITEM);
    assertThat(refusal.code()).isEqualTo(ErrorCode.NOT_FOUND);
    assertThat(admission.inFlight()).isZero();
  }

  @Test
  void tryEnterShouldNotClaimToKnowWithoutABoard() {
    PurchaseAdmission admission =
        new PurchaseAdmission(new BoardStore(clock), config(100, 100, 10), clock);
    assertThat(admission.tryEnter(ANN, lines(1)).code()).isEqualTo(ErrorCode.UNAVAILABLE);
  }

  @Test
  void tryEnterShouldRefuseByTheLayerThatIsUsedUp() {
    assertThat(refusedAfter(admission(2, 100, 10), 2).layer()).isEqualTo(Layer.GLOBAL_RATE);
    assertThat(refusedAfter(admission(100, 2, 10), 2).layer()).isEqualTo(Layer.ITEM_RATE);
    assertThat(refusedAfter(admission(100, 100, 2), 2).layer()).isEqualTo(Layer.USER_WINDOW);
  }

  @Test
  void whatALaterLayerRefusesShouldCostTheEarlierOnesNothing() {
    PurchaseAdmission admission = admission(4, 4, 2);
    refusedAfter(admission, 2);
    for (int i = 0; i < 100; i++) {
      assertThat(admission.tryEnter(ANN, lines(1, 2)).layer()).isEqualTo(Layer.USER_WINDOW);
    }
    assertThat(admission.tryEnter(BOB, lines(1))).isNull();
    assertThat(admission.tryEnter(BOB, lines(1))).isNull();
    assertThat(admission.inFlight()).isEqualTo(4);
  }

  @Test
  void leaveShouldMakeRoom() {
    PurchaseAdmission admission = admission(100, 100, 10);
    assertThat(admission.tryEnter(ANN, lines(1))).isNull();
    assertThat(admission.inFlight()).isEqualTo(1);
    admission.leave(true);
    assertThat(admission.inFlight()).isZero();
  }

  @Test
  void aBacklogShouldLetInWhatMayBeStoredAndCountOnlyWhatReachesTheEngine() {
    PurchaseAdmission admission = admission(100, 100, 1);
    assertThat(admission.tryEnter(ANN, lines(1))).isNull();
    board.accept(new Board(0, 2, false, new Backlog(60_000, 0, 100), List.of(Boards.item(1))));
    clock.passMs(500);
    for (int i = 0; i < 10; i++) {
      assertThat(admission.tryEnter(ANN, lines(1)).layer()).isEqualTo(Layer.USER_WINDOW);
    }
    assertThat(admission.tryEnter(BOB, lines(1))).isNull();
    Refusal refusal = admission.tryEnter(new UserId("cat"), lines(1));
    assertThat(refusal.layer()).isEqualTo(Layer.BACKLOG);
    assertThat(refusal.code()).isEqualTo(ErrorCode.BUSY);
    assertThat(admission.inFlight()).isEqualTo(2);

    admission.leave(false);
    assertThat(admission.tryEnter(new UserId("cat"), lines(1))).isNull();
    admission.leave(true);
    assertThat(admission.tryEnter(new UserId("dan"), lines(1)).layer()).isEqualTo(Layer.BACKLOG);
  }

  private static Refusal refusedAfter(PurchaseAdmission admission, int passing) {
    for (int i = 0; i < passing; i++) {
      assertThat(admission.tryEnter(ANN, lines(1))).isNull();
    }
    Refusal refusal = admission.tryEnter(ANN, lines(1));
    assertThat(refusal.code()).isEqualTo(ErrorCode.RATE_LIMITED);
    assertThat(refusal.retryAfterMs()).isPositive();
    return refusal;
  }

  private PurchaseAdmission admission(int global, int item, int user) {
    return new PurchaseAdmission(board, config(global, item, user), clock);
  }

  private static SeckillConfig.Admission config(int global, int item, int user) {
    return new SeckillConfig.Admission(
        100, 100, 1_000, global, global, item, item, user, 1_000, 1_000, 100, 100, 30_000);
  }

  private static List<PurchaseLine> lines(long... items) {
    return java.util.Arrays.stream(items)
        .mapToObj(id -> new PurchaseLine(new ItemId(id), new Quantity(1)))
        .toList();
  }
}
