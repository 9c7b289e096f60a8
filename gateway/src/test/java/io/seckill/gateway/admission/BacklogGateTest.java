package io.seckill.gateway.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.seckill.common.bus.Backlog;
import io.seckill.common.bus.Board;
import io.seckill.common.error.ErrorCode;
import io.seckill.gateway.ManualClock;
import io.seckill.gateway.board.BoardStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BacklogGateTest {

  private static final long MAX_DRAIN_MS = 30_000;

  private final ManualClock clock = new ManualClock();
  private final BoardStore board = new BoardStore(clock);
  private final BacklogGate gate = new BacklogGate(board, MAX_DRAIN_MS, clock);
  private long atMs = 1;

  private void tell(long drainMs, long storedPerSecond, int fullPerMille) {
    Backlog backlog = new Backlog(drainMs, storedPerSecond, fullPerMille);
    board.accept(new Board(0, atMs++, false, backlog, List.of()));
  }

  /** How many pass in so many seconds, when a thousand times a second somebody tries. */
  private int passing(int seconds) {
    int passed = 0;
    for (int i = 0; i < seconds * 1_000; i++) {
      clock.passMs(1);
      for (int tries = 0; tries < 20; tries++) {
        passed += gate.tryPass() == null ? 1 : 0;
      }
    }
    return passed;
  }

  @Test
  void everybodyShouldPassWithoutABoardAndUpToTheBound() {
    assertThat(passing(1)).isEqualTo(20_000);
    tell(MAX_DRAIN_MS, 1, 900);
    assertThat(passing(1)).isEqualTo(20_000);
  }

  @ParameterizedTest
  @CsvSource({"30001,5000", "33000,4500", "45000,2500", "57000,500"})
  void beyondTheBoundPurchasesShouldFollowWhatIsStored(long drainMs, int expectedPerSecond) {
    tell(drainMs, 5_000, 10);
    passing(1);
    assertThat(passing(10) / 10.0).isCloseTo(expectedPerSecond, within(expectedPerSecond / 50.0));
  }

  @ParameterizedTest
  @CsvSource({"30001,0", "60000,5000", "90000,5000", "9223372036854775807,0"})
  void whateverHappensOneASecondShouldPass(long drainMs, long storedPerSecond) {
    tell(drainMs, storedPerSecond, 10);
    passing(1);
    assertThat(passing(10)).isBetween(9, 11);
    Refusal refusal = gate.tryPass();
    assertThat(refusal.layer()).isEqualTo(Layer.BACKLOG);
    assertThat(refusal.code()).isEqualTo(ErrorCode.BUSY);
  }

  @Test
  void theRateShouldFollowEachBoard() {
    tell(40_000, 0, 10);
    passing(1);
    tell(31_000, 10_000, 10);
    passing(1);
    assertThat(passing(1)).isCloseTo(9_667, within(300));
    tell(40_000, 0, 10);
    assertThat(passing(5)).isBetween(4, 6);
    tell(29_000, 10_000, 10);
    assertThat(passing(1)).isEqualTo(20_000);
  }

  @Test
  void aFullLogShouldStopEverybodyHoweverFastItIsStored() {
    tell(0, 1_000_000, 901);
    assertThat(passing(1)).isZero();
    assertThat(gate.tryPass().code()).isEqualTo(ErrorCode.UNAVAILABLE);
    tell(0, 1_000_000, 900);
    assertThat(passing(1)).isEqualTo(20_000);
  }

  @Test
  void thoseWhoAreRefusedShouldBeToldToComeAtDifferentTimes() {
    tell(60_000, 0, 10);
    passing(1);
    Map<Long, Integer> times = new HashMap<>();
    for (int i = 0; i < 5_000; i++) {
      times.merge(gate.tryPass().retryAfterMs(), 1, Integer::sum);
    }
    assertThat(times.keySet()).containsExactlyInAnyOrder(1_000L, 2_000L, 3_000L, 4_000L, 5_000L);
    assertThat(times.values()).allSatisfy(count -> assertThat(count).isGreaterThan(700));
  }

  @Test
  void whoWinsNothingShouldTakeNobodysPlace() {
    tell(60_000, 0, 10);
    clock.passMs(2_000);
    for (int i = 0; i < 1_000; i++) {
      assertThat(gate.tryPass()).isNull();
      gate.giveBack();
    }
    assertThat(gate.tryPass()).isNull();
    assertThat(gate.tryPass()).isNotNull();
  }

  @Test
  void whatWasNotTakenShouldNotBeGivenBack() {
    for (int i = 0; i < 1_000; i++) {
      assertThat(gate.tryPass()).isNull();
    }
    tell(60_000, 0, 10);
    for (int i = 0; i < 1_000; i++) {
      gate.giveBack();
    }
    assertThat(passing(10)).isBetween(9, 11);
  }
}
