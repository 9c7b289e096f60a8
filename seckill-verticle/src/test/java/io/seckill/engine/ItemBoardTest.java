package io.seckill.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.bus.ItemView;
import io.seckill.common.bus.SalesRecord;
import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemState;
import io.seckill.lua.PutItem.ItemVersion;
import io.seckill.lua.ReadHead.HeadState;
import io.seckill.lua.ReadItems.Reading;
import io.seckill.lua.ReadItems.ShardItem;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ItemBoardTest {

  private static final ItemId ITEM = new ItemId(7);

  private final ItemBoard board = new ItemBoard();

  @Test
  void passShouldNotSaySoldOutWhenOnlyOnePassWasDry() {
    assertThat(pass(shard(1, 1, 0), shard(1, 1, 0)).soldOut()).isFalse();
  }

  @Test
  void passShouldSaySoldOutWhenTwoPassesWereDryWithEqualMarks() {
    pass(shard(1, 1, 0), shard(1, 1, 0));

    assertThat(pass(shard(1, 1, 0), shard(1, 1, 0)).soldOut()).isTrue();
  }

  @Test
  void passShouldNotSaySoldOutWhenUnitsCameInBetween() {
    pass(shard(1, 1, 0), shard(1, 1, 0));

    // A unit came into the first shard and was sold before the second pass: it may have been seen
    // by nobody.
    assertThat(pass(shard(1, 2, 0), shard(1, 1, 0)).soldOut()).isFalse();
    assertThat(pass(shard(1, 2, 0), shard(1, 1, 0)).soldOut()).isTrue();
  }

  @Test
  void passShouldNotSaySoldOutWhenAShardWasOpenedAgainInBetween() {
    pass(shard(1, 1, 0), shard(1, 1, 0));

    assertThat(pass(shard(2, 1, 0), shard(1, 1, 0)).soldOut()).isFalse();
  }

  @Test
  void passShouldNotTakeAnUnreadableShardForDry() {
    pass(shard(1, 1, 0), Optional.empty());

    ItemView view = pass(shard(1, 1, 0), Optional.empty());

    assertThat(view.soldOut()).isFalse();
    assertThat(view.remaining()).isZero();
  }

  @Test
  void passShouldNotTakeAFrozenShardForDry() {
    Optional<Reading> frozen =
        Optional.of(
            new Reading(
                1,
                9,
                "run",
                HeadState.FROZEN,
                1_000,
                SalesRecord.UNTOUCHED,
                List.of(Optional.of(item(1, 0, 0, 0)))));
    pass(shard(1, 1, 0), frozen);

    assertThat(pass(shard(1, 1, 0), frozen).soldOut()).isFalse();
  }

  @Test
  void passShouldClearSoldOutWhenOneShardHasAUnitAgain() {
    pass(shard(1, 1, 0), shard(1, 1, 0));
    assertThat(pass(shard(1, 1, 0), shard(1, 1, 0)).soldOut()).isTrue();

    ItemView view = pass(shard(1, 2, 1), shard(1, 1, 0));

    assertThat(view.soldOut()).isFalse();
    assertThat(view.remaining()).isEqualTo(1);
  }

  @Test
  void passShouldSumOverShardsAndShowTheNewestGeneration() {
    ItemView view = pass(shard(1, 1, 3), shard(1, 1, 4));

    assertThat(view.remaining()).isEqualTo(7);
    assertThat(view.generation()).isEqualTo(2);
    assertThat(view.state()).isEqualTo(ItemState.OPEN);
    assertThat(view.shards()).hasSize(2);
  }

  @Test
  void passShouldKeepAnItemThatNoShardCanTellOf() {
    pass(shard(1, 1, 0), shard(1, 1, 0));
    assertThat(pass(shard(1, 1, 0), shard(1, 1, 0)).soldOut()).isTrue();

    ItemView unread = pass(Optional.empty(), Optional.empty());

    assertThat(unread.state()).isEqualTo(ItemState.OPEN);
    assertThat(unread.soldOut()).isFalse();
  }

  @Test
  void lowestGenerationShouldTellThatOneShardIsBehind() {
    pass(shard(1, 1, 3), shard(1, 1, 4));
    assertThat(board.lowestGeneration(ITEM)).isEqualTo(2);

    Optional<Reading> without =
        Optional.of(
            new Reading(
                1,
                9,
                "run",
                HeadState.OPEN,
                1_000,
                SalesRecord.UNTOUCHED,
                List.of(Optional.empty())));
    pass(shard(1, 1, 3), without);
    assertThat(board.lowestGeneration(ITEM)).isZero();
  }

  @Test
  void passShouldNotSaySoldOutWhileUnitsTravel() {
    Optional<Reading> sender = shard(1, 1, 0, 1, 0);
    pass(sender, shard(1, 1, 0));

    assertThat(pass(sender, shard(1, 1, 0)).soldOut()).isFalse();
    assertThat(board.stocks(ITEM).unsold()).isEqualTo(1);

    // They arrived and were sold at once.
    Optional<Reading> receiver = shard(1, 2, 0, 0, 1);
    assertThat(pass(sender, receiver).soldOut()).isFalse();
    assertThat(pass(sender, receiver).soldOut()).isTrue();
  }

  @Test
  void lookShouldProveSoldOutToo() {
    List<Optional<Reading>> readings = List.of(shard(1, 1, 0), shard(1, 1, 0));
    board.look(List.of(ITEM), readings);
    // A pass that did not look at the item neither proves nor disproves anything.
    board.look(List.of(), readings);

    assertThat(board.look(List.of(ITEM), readings).get(ITEM).soldOut()).isTrue();
    assertThat(board.look(List.of(), readings).get(ITEM).soldOut()).isTrue();
  }

  @Test
  void isSettledShouldEndWhenAShardIsOpenedAgain() {
    Optional<Reading> ended = ended(1);
    pass(ended, ended);
    assertThat(board.isSettled(ITEM)).isTrue();

    board.pass(List.of(), List.of(ended, ended), List.of());
    assertThat(board.isSettled(ITEM)).isTrue();

    board.pass(List.of(), List.of(ended, ended(2)), List.of());
    assertThat(board.isSettled(ITEM)).isFalse();
    assertThat(board.lowestGeneration(ITEM)).isZero();
  }

  @Test
  void passShouldSaySoldOutAtOnceWhenAnybodyWaits() {
    ItemView view = pass(line(1, 0, 2), line(1, 4, 1));

    assertThat(view.soldOut()).isTrue();
    assertThat(view.waiting()).isEqualTo(3);
    assertThat(view.remaining()).isEqualTo(4);
  }

  @Test
  void passShouldClearSoldOutWhenTheLastWaiterLeft() {
    pass(line(1, 0, 2), line(1, 4, 1));

    ItemView view = pass(line(1, 0, 0), line(1, 4, 0));

    assertThat(view.soldOut()).isFalse();
    assertThat(view.waiting()).isZero();
  }

  @Test
  void passShouldBelieveThatTheyStillWaitInAShardThatCannotBeRead() {
    pass(line(1, 0, 2), line(1, 0, 0));

    ItemView half = pass(Optional.empty(), line(1, 0, 0));
    assertThat(half.soldOut()).isTrue();
    assertThat(half.waiting()).isEqualTo(2);

    ItemView unread = pass(Optional.empty(), Optional.empty());
    assertThat(unread.soldOut()).isTrue();
    assertThat(unread.waiting()).isEqualTo(2);

    assertThat(pass(line(1, 0, 0), line(1, 4, 0)).waiting()).isZero();
  }

  @Test
  void passShouldSellWhatIsLeftWhileAllWhoWaitDoSoInShardsThatCannotBeRead() {
    pass(line(1, 0, 2), line(1, 4, 0));

    ItemView half = pass(Optional.empty(), line(1, 4, 0));
    assertThat(half.soldOut()).isFalse();
    assertThat(half.waiting()).isEqualTo(2);
    assertThat(pass(Optional.empty(), Optional.empty()).soldOut()).isFalse();

    // Whoever waits where it can be read comes first, and so does everybody when it can be again.
    assertThat(pass(Optional.empty(), line(1, 4, 1)).soldOut()).isTrue();
    assertThat(pass(line(1, 0, 2), line(1, 4, 0)).soldOut()).isTrue();
  }

  @Test
  void passShouldShowNobodyWhoWaitsWhenTheSaleIsOver() {
    pass(line(1, 0, 2), line(1, 0, 0));

    ItemView view = pass(ended(1), ended(1));

    assertThat(view.state()).isEqualTo(ItemState.ENDED);
    assertThat(view.waiting()).isZero();
  }

  private static Optional<Reading> ended(long epoch) {
    ShardItem open = item(1, 0, 0, 0);
    return Optional.of(
        new Reading(
            epoch,
            9,
            "run",
            HeadState.OPEN,
            1_000,
            SalesRecord.UNTOUCHED,
            List.of(
                Optional.of(
                    new ShardItem(
                        open.definition(),
                        new ItemVersion(3, ItemState.ENDED),
                        1,
                        1,
                        0,
                        0,
                        10,
                        open.stock(),
                        3,
                        OptionalLong.of(7))))));
  }

  private ItemView pass(Optional<Reading> first, Optional<Reading> second) {
    return board.pass(List.of(ITEM), List.of(first, second), List.of()).get(ITEM);
  }

  private static Optional<Reading> shard(long epoch, long adds, long stock) {
    return shard(epoch, adds, stock, 0, 0);
  }

  private static Optional<Reading> shard(
      long epoch, long adds, long stock, long sent, long received) {
    return Optional.of(
        new Reading(
            epoch,
            9,
            "run",
            HeadState.OPEN,
            1_000,
            SalesRecord.UNTOUCHED,
            List.of(Optional.of(item(adds, stock, sent, received)))));
  }

  private static ShardItem item(long adds, long stock, long sent, long received) {
    return item(adds, stock, sent, received, 0);
  }

  private static Optional<Reading> line(long adds, long stock, long waiters) {
    return Optional.of(
        new Reading(
            1,
            9,
            "run",
            HeadState.OPEN,
            1_000,
            SalesRecord.UNTOUCHED,
            List.of(Optional.of(item(adds, stock, 0, 0, waiters)))));
  }

  private static ShardItem item(long adds, long stock, long sent, long received, long waiters) {
    ItemDefinition definition =
        new ItemDefinition(ITEM, "phone", 100, "CNY", "", 1, 0, Long.MAX_VALUE, 1_000);
    return new ShardItem(
        definition,
        new ItemVersion(2, ItemState.OPEN),
        adds,
        adds,
        sent,
        received,
        10,
        Optional.of(stock),
        waiters,
        waiters > 0 ? OptionalLong.of(7) : OptionalLong.empty());
  }
}
