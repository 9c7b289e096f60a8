package io.seckill.gateway.board;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.bus.ItemView;
import io.seckill.common.id.ItemId;
import io.seckill.gateway.ManualClock;
import java.util.List;
import org.junit.jupiter.api.Test;

class BoardStoreTest {

  private static final ItemId ONE = new ItemId(1);

  private final ManualClock clock = new ManualClock();
  private final BoardStore board = new BoardStore(clock);

  @Test
  void acceptShouldKnowNothingBeforeTheFirstBoard() {
    assertThat(board.isKnown()).isFalse();
    assertThat(board.find(ONE)).isNull();
    assertThat(board.ageMs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void ST_09_anOlderViewShouldNeverReplaceANewerOne() {
    board.accept(Boards.of(100, Boards.item(1, 2, 5, 2)));
    board.accept(Boards.of(200, Boards.item(1, 2, 0, 1)));
    assertThat(board.find(ONE).soldOut()).isFalse();
    board.accept(Boards.of(300, Boards.item(1, 1, 0, 9)));
    assertThat(board.find(ONE).generation()).isEqualTo(2);
    board.accept(Boards.of(400, Boards.item(1, 2, 0, 2)));
    assertThat(board.find(ONE).soldOut()).isTrue();
    board.accept(Boards.of(500, Boards.item(1, 2, 1, 3)));
    assertThat(board.find(ONE).soldOut()).isFalse();
  }

  @Test
  void acceptShouldTakeOnlyBetterViewsOfALateBoardAndNoItems() {
    board.accept(Boards.of(100, Boards.item(1, 2, 5, 2), Boards.item(2, 2, 5, 2)));
    board.accept(
        Boards.of(50, Boards.item(1, 2, 9, 2), Boards.item(2, 3, 7, 2), Boards.item(3, 2, 1, 1)));
    assertThat(board.find(ONE).remaining()).isEqualTo(5);
    assertThat(board.find(new ItemId(2)).remaining()).isEqualTo(7);
    assertThat(board.find(new ItemId(3))).isNull();
  }

  @Test
  void ST_09_soldOutShouldBeSetByALateBoardAsLongAsNoUnitCameIn() {
    board.accept(Boards.of(100, Boards.item(1, 2, 5, 2)));
    board.accept(Boards.of(50, Boards.item(1, 2, 0, 2)));
    assertThat(board.find(ONE).soldOut()).isTrue();
    board.accept(Boards.of(60, Boards.item(1, 2, 5, 3)));
    assertThat(board.find(ONE).soldOut()).isFalse();
    board.accept(Boards.of(70, Boards.item(1, 2, 0, 2)));
    assertThat(board.find(ONE).soldOut()).isFalse();
  }

  @Test
  void ST_09_aLateBoardThatKnowsOfAWaiterShouldNotCloseWhatIsOnSaleAgain() {
    board.accept(Boards.of(100, Boards.item(1, 2, 5, 2)));
    board.accept(Boards.of(50, waitedFor(Boards.item(1, 2, 5, 2))));
    assertThat(board.find(ONE).soldOut()).isFalse();
    board.accept(Boards.of(60, waitedFor(Boards.item(1, 2, 5, 3))));
    assertThat(board.find(ONE).soldOut()).isTrue();
  }

  private static ItemView waitedFor(ItemView view) {
    return new ItemView(
        view.definition(),
        view.state(),
        view.generation(),
        view.remaining(),
        true,
        1,
        view.shards());
  }

  @Test
  void acceptShouldGoBackWithTheClockOfAnotherMasterButNotWithAnEngineThatIsCutOff() {
    board.accept(Boards.of(20_000, Boards.item(1, 2, 5, 2), Boards.item(2)));
    clock.passMs(400);
    board.accept(Boards.of(18_000, Boards.item(1, 2, 3, 2)));
    assertThat(board.find(ONE).remaining()).as("a message that took its time").isEqualTo(5);
    clock.passMs(200);
    board.accept(Boards.of(10_000, Boards.item(1, 2, 7, 2)));
    assertThat(board.find(ONE).remaining()).as("an engine that is cut off").isEqualTo(5);
    board.accept(Boards.of(18_200, Boards.item(1, 2, 2, 2)));
    assertThat(board.find(ONE).remaining()).as("a clock that is behind").isEqualTo(2);
    assertThat(board.serverTimeMs()).isEqualTo(18_200);
    assertThat(board.ageMs()).isZero();
  }

  @Test
  void openItemsShouldBePausedForBuyersWhileAllSalesAreStopped() {
    board.accept(Boards.of(100, Boards.item(1)));
    assertThat(board.snapshot().json(100).toString()).contains("\"state\":\"OPEN\"");
    board.accept(Boards.stopped(Boards.of(200, Boards.item(1))));
    assertThat(board.snapshot().isStopped()).isTrue();
    assertThat(board.snapshot().json(200).toString()).contains("\"state\":\"PAUSED\"");
    board.accept(Boards.of(150, Boards.item(1)));
    assertThat(board.snapshot().isStopped()).as("a late board").isTrue();
    board.accept(Boards.of(300, Boards.item(1)));
    assertThat(board.snapshot().json(300).toString()).contains("\"state\":\"OPEN\"");
  }

  @Test
  void ST_09_anItemShouldStayWhileAnEngineThatDoesNotKnowItPublishesToo() {
    board.accept(Boards.of(100, Boards.item(1, 2, 5, 2), Boards.item(2)));
    for (int i = 1; i <= 200; i++) {
      clock.passMs(125);
      board.accept(Boards.of(100 + i * 250L, Boards.item(2)));
      assertThat(board.find(ONE).remaining()).isEqualTo(5);
      assertThat(shown()).containsExactly(1L, 2L);
      clock.passMs(125);
      board.accept(Boards.of(200 + i * 250L, Boards.item(1, 2, 5, 2), Boards.item(2)));
    }
    board.accept(Boards.of(60_000, Boards.item(1, 2, 0, 1)));
    assertThat(board.find(ONE).remaining()).as("an older view of a kept item").isEqualTo(5);
    board.accept(Boards.of(60_100, Boards.item(2)));
    board.accept(Boards.of(60_050, Boards.item(1, 2, 0, 2)));
    assertThat(board.find(ONE).soldOut()).as("what a late board says of it").isTrue();
  }

  @Test
  void ST_09_theFirstBoardAfterALongSilenceShouldForgetNothing() {
    board.accept(Boards.of(100, Boards.item(1)));
    clock.passMs(600_000);
    board.accept(Boards.of(600_100));
    assertThat(shown()).containsExactly(1L);
    clock.passMs(1_000);
    board.accept(Boards.of(601_100, Boards.item(1)));
    clock.passMs(600_000);
    board.accept(Boards.of(1_201_100));
    assertThat(shown()).containsExactly(1L);
  }

  @Test
  void anArchivedItemShouldBeForgottenInTheEndAlthoughALateBoardShowsIt() {
    board.accept(Boards.of(1_000, Boards.item(1), Boards.item(2)));
    for (int i = 0; i < 15; i++) {
      board.accept(Boards.of(2_000 + i * 1_000L, Boards.item(2)));
      clock.passMs(100);
      board.accept(Boards.of(1_500 + i * 1_000L, Boards.item(1), Boards.item(2)));
      assertThat(shown()).containsExactly(1L, 2L);
      clock.passMs(900);
    }
    board.accept(Boards.of(17_000, Boards.item(2)));
    assertThat(board.find(ONE)).isNull();
    assertThat(shown()).containsExactly(2L);
    board.accept(Boards.of(16_900, Boards.item(1), Boards.item(2)));
    assertThat(board.find(ONE)).isNull();
  }

  private List<Long> shown() {
    return board.snapshot().items().stream().map(view -> view.definition().id().value()).toList();
  }

  @Test
  void serverTimeShouldBeTheBoardsClockAndGoOn() {
    board.accept(Boards.of(1_700_000_000_000L, Boards.item(1)));
    clock.passMs(2_500);
    assertThat(board.serverTimeMs()).isEqualTo(1_700_000_002_500L);
    assertThat(board.ageMs()).isEqualTo(2_500);
  }

  @Test
  void jsonShouldHaveIdsAsStringsAndTimesWithOffset() {
    board.accept(Boards.of(1_700_000_000_000L, Boards.item(9_007_199_254_740_993L)));
    assertThat(board.snapshot().json(board.serverTimeMs()).toString())
        .startsWith("{\"serverTime\":\"2023-11-14T22:13:20Z\",\"items\":[{")
        .contains("\"itemId\":\"9007199254740993\"")
        .contains("\"priceMinor\":199900")
        .contains("\"startsAt\":\"2023-11-14T22:13:20Z\"")
        .endsWith("\"remaining\":100,\"soldOut\":false,\"waiting\":0}]}");
  }
}
