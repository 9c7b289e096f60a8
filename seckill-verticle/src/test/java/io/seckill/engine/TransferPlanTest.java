package io.seckill.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.ItemId;
import io.seckill.engine.ItemStocks.Shard;
import io.seckill.engine.TransferPlan.Transfer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TransferPlanTest {

  private static final ItemId ITEM = new ItemId(7);

  @Test
  void onDemandShouldTakeFromTheRichestShard() {
    assertThat(onDemand(stocks(0, 3, 5), 0, 1)).containsExactly(new Transfer(2, 0, 2, 0));
  }

  @Test
  void onDemandShouldGatherSingleUnitsFromSeveralShards() {
    assertThat(onDemand(stocks(1, 1, 1, 1), 0, 1)).containsExactly(new Transfer(1, 0, 1, 0));
    assertThat(onDemand(stocks(0, 1, 1, 1), 0, 3))
        .containsExactlyInAnyOrder(
            new Transfer(1, 0, 1, 0), new Transfer(2, 0, 1, 0), new Transfer(3, 0, 1, 0));
  }

  @Test
  void onDemandShouldServeOneOfTwoShardsThatLackEachOthersUnit() {
    Map<Integer, Long> needs = new LinkedHashMap<>();
    needs.put(1, 1L);
    needs.put(0, 1L);

    assertThat(TransferPlan.onDemand(stocks(1, 1), needs, Set.of()))
        .containsExactly(new Transfer(0, 1, 1, 0));
  }

  @Test
  void onDemandShouldNeitherFeedNorEmptyAShardThatUnitsTravelTo() {
    assertThat(TransferPlan.onDemand(stocks(0, 5, 1), Map.of(0, 1L), Set.of(0))).isEmpty();
    assertThat(TransferPlan.onDemand(stocks(0, 5, 1), Map.of(0, 1L), Set.of(1)))
        .containsExactly(new Transfer(2, 0, 1, 0));
  }

  @Test
  void onDemandShouldSendMoreThanIsWaitedForOnlyWhatARichShardCanSpare() {
    // Little tells the shards apart, so each has a share of about 250: the next buyers find some.
    assertThat(onDemand(stocks(0, 1_000, 0, 0), 0, 1)).containsExactly(new Transfer(1, 0, 272, 0));
    assertThat(onDemand(stocks(0, 10, 10, 10), 0, 1))
        .containsExactly(
            new Transfer(1, 0, 3, 0), new Transfer(2, 0, 3, 0), new Transfer(3, 0, 2, 0));
  }

  @Test
  void onDemandShouldSplitWhatIsLeftAsTheShardsHaveSold() {
    ItemStocks stocks =
        new ItemStocks(
            ITEM,
            1,
            true,
            List.of(
                sold(1_000, 0), sold(300, 700), sold(300, 700), sold(300, 700), sold(100, 900)));

    List<Transfer> transfers = onDemand(stocks, 0, 1);

    // Half of all was sold here, so about half of the 3,000 that are left are sent here, and the
    // shard that sold least gives most.
    assertThat(transfers.stream().mapToLong(Transfer::units).sum()).isBetween(1_450L, 1_500L);
    assertThat(transfers.get(0).from()).isEqualTo(4);
    assertThat(transfers.get(0).units()).isBetween(740L, 760L);
  }

  @Test
  void onDemandShouldLeaveAShareToShardsOfWhichNothingIsKnown() {
    ItemStocks stocks =
        new ItemStocks(ITEM, 1, true, List.of(sold(1, 0), sold(0, 9), sold(0, 9), sold(0, 9)));

    assertThat(onDemand(stocks, 0, 1).stream().mapToLong(Transfer::units).sum()).isBetween(6L, 8L);
  }

  @Test
  void onDemandShouldGiveTheLastUnitAway() {
    assertThat(onDemand(stocks(0, 0, 1), 0, 40)).containsExactly(new Transfer(2, 0, 1, 0));
    assertThat(onDemand(stocks(0, 0, 0), 0, 1)).isEmpty();
  }

  @Test
  void onDemandShouldSkipUnreadableShardsAndTakeADebtForEmpty() {
    List<Shard> shards = new ArrayList<>(stocks(0, -4, 1).shards());
    shards.add(Shard.UNREADABLE);

    assertThat(
            TransferPlan.onDemand(new ItemStocks(ITEM, 1, true, shards), Map.of(0, 9L), Set.of()))
        .containsExactly(new Transfer(2, 0, 1, 0));
  }

  @Test
  void onDemandShouldNameWhatTheSenderHadSent() {
    ItemStocks stocks = new ItemStocks(ITEM, 1, true, List.of(shard(0, 0, 4), shard(9, 17, 2)));

    assertThat(onDemand(stocks, 0, 1).get(0).seenSent()).isEqualTo(17);
  }

  @Test
  void onDemandShouldNeverSendMoreThanAShardHas() {
    Map<Integer, Long> needs = new LinkedHashMap<>();
    needs.put(0, 30L);
    needs.put(1, 30L);
    ItemStocks stocks = stocks(0, 0, 20, 25, 1, 0, 7);

    List<Transfer> transfers = TransferPlan.onDemand(stocks, needs, Set.of());

    for (int from = 0; from < stocks.shards().size(); from++) {
      int sender = from;
      assertThat(
              transfers.stream()
                  .filter(transfer -> transfer.from() == sender)
                  .mapToLong(Transfer::units)
                  .sum())
          .isLessThanOrEqualTo(stocks.shards().get(from).left());
    }
    assertThat(transfers.stream().mapToLong(Transfer::units).sum()).isEqualTo(53);
    assertThat(transfers).allMatch(transfer -> transfer.from() != transfer.to());
  }

  @Test
  void byTrendShouldFeedAShardThatWillSoonBeDry() {
    assertThat(byTrend(stocks(10, 100, 100, 100), 50, 50, 50, 50))
        .containsExactly(
            new Transfer(1, 0, 23, 0), new Transfer(2, 0, 23, 0), new Transfer(3, 0, 21, 0));
  }

  @Test
  void byTrendShouldSplitWhatIsLeftAsTheShardsHaveSold() {
    ItemStocks poor =
        new ItemStocks(
            ITEM, 1, true, List.of(sold(3_000, 100), sold(1_000, 300), sold(1_000, 200)));
    ItemStocks fair =
        new ItemStocks(
            ITEM, 1, true, List.of(sold(3_000, 300), sold(1_000, 100), sold(1_000, 100)));

    // Each will be dry in a second; of the fair ones all at the same moment.
    assertThat(byTrend(fair, 3_000, 1_000, 1_000)).isEmpty();
    assertThat(byTrend(poor, 3_000, 1_000, 1_000).stream().mapToLong(Transfer::units).sum())
        .isBetween(255L, 260L);
  }

  @Test
  void byTrendShouldLeaveShardsThatSellAlike() {
    assertThat(byTrend(stocks(90, 100, 110, 100), 500, 500, 500, 500)).isEmpty();
  }

  @Test
  void byTrendShouldLeaveAPoorShardThatSellsNothing() {
    assertThat(byTrend(stocks(10, 100, 100, 100), 0, 50, 50, 50)).isEmpty();
  }

  @Test
  void byTrendShouldWaitWhileUnitsAreOnTheirWay() {
    ItemStocks stocks =
        new ItemStocks(ITEM, 1, true, List.of(shard(0, 0, 0), shard(100, 5, 0), shard(100, 0, 0)));

    assertThat(byTrend(stocks, 50, 50, 50)).isEmpty();
  }

  @Test
  void byTrendShouldMoveNothingOfAnItemThatIsNotOnSale() {
    ItemStocks paused = new ItemStocks(ITEM, 1, false, stocks(10, 100, 100).shards());

    assertThat(byTrend(paused, 50, 50, 50)).isEmpty();
  }

  @Test
  void byTrendShouldBeBounded() {
    double[] perSecond = new double[16];
    Arrays.fill(perSecond, 1_000);
    long[] stock = new long[16];
    stock[15] = 10_000;

    List<Transfer> transfers = TransferPlan.byTrend(stocks(stock), perSecond);

    assertThat(transfers).hasSize(TransferPlan.MAX_BY_TREND);
    assertThat(transfers).allMatch(transfer -> transfer.units() == 625);
  }

  @Test
  void toWaitersShouldSendTheOnlyUnitToTheOldestWaiter() {
    assertThat(
            TransferPlan.toWaiters(
                stocks(line(0, 5, 70), shard(1, 0, 0), line(0, 1, 60), line(0, 9, 80)), Set.of()))
        .containsExactly(new Transfer(1, 2, 1, 0));
  }

  @Test
  void toWaitersShouldGiveToAllLinesInTurnAndNotMoreThanWait() {
    List<Transfer> transfers =
        TransferPlan.toWaiters(
            stocks(line(0, 2, 70), shard(3, 0, 0), line(0, 1, 60), shard(6, 4, 0), line(0, 3, 80)),
            Set.of());

    assertThat(sentTo(transfers, 0)).isEqualTo(2);
    assertThat(sentTo(transfers, 2)).isEqualTo(1);
    assertThat(sentTo(transfers, 4)).isEqualTo(3);
    assertThat(transfers).hasSize(3).contains(new Transfer(3, 4, 3, 4));
  }

  @Test
  void toWaitersShouldGiveTheUnitsThatAreTooFewToThoseThatWaitLongest() {
    List<Transfer> transfers =
        TransferPlan.toWaiters(
            stocks(line(0, 9, 70), line(0, 9, 50), line(0, 9, 60), shard(5, 0, 0)), Set.of());

    assertThat(sentTo(transfers, 1)).isEqualTo(2);
    assertThat(sentTo(transfers, 2)).isEqualTo(2);
    assertThat(sentTo(transfers, 0)).isEqualTo(1);
  }

  @Test
  void toWaitersShouldTakeNothingFromALineAndFeedNoneThatHasUnits() {
    assertThat(TransferPlan.toWaiters(stocks(line(3, 5, 70), line(0, 5, 60)), Set.of())).isEmpty();
    assertThat(TransferPlan.toWaiters(stocks(line(3, 5, 70), shard(4, 0, 0)), Set.of())).isEmpty();
  }

  @Test
  void toWaitersShouldLeaveShardsAloneIntoWhichUnitsAreOnTheirWay() {
    ItemStocks stocks = stocks(line(0, 5, 70), shard(1, 0, 0), line(0, 1, 60));

    assertThat(TransferPlan.toWaiters(stocks, Set.of(2))).containsExactly(new Transfer(1, 0, 1, 0));
    assertThat(TransferPlan.toWaiters(stocks, Set.of(1))).isEmpty();
  }

  @Test
  void toWaitersShouldSendWhatADebtTakesToo() {
    assertThat(TransferPlan.toWaiters(stocks(line(-3, 2, 70), shard(9, 0, 0)), Set.of()))
        .containsExactly(new Transfer(1, 0, 5, 0));
  }

  @Test
  void toWaitersShouldTakeFromAFewShardsAtATime() {
    Shard[] shards = new Shard[41];
    Arrays.fill(shards, shard(1, 0, 0));
    shards[40] = line(0, 100, 5);

    assertThat(TransferPlan.toWaiters(stocks(shards), Set.of()))
        .hasSize(TransferPlan.MAX_SOURCES)
        .allMatch(transfer -> transfer.to() == 40 && transfer.units() == 1);
  }

  private static long sentTo(List<Transfer> transfers, int shard) {
    return transfers.stream()
        .filter(transfer -> transfer.to() == shard)
        .mapToLong(Transfer::units)
        .sum();
  }

  private static List<Transfer> onDemand(ItemStocks stocks, int to, long need) {
    return TransferPlan.onDemand(stocks, Map.of(to, need), Set.of());
  }

  private static List<Transfer> byTrend(ItemStocks stocks, double... perSecond) {
    return TransferPlan.byTrend(stocks, perSecond);
  }

  private static ItemStocks stocks(long... stock) {
    return new ItemStocks(
        ITEM, 1, true, Arrays.stream(stock).mapToObj(units -> shard(units, 0, 0)).toList());
  }

  /** Nothing was sold in it. */
  private static Shard shard(long stock, long sent, long received) {
    return new Shard(true, stock, sent, received, stock + sent - received, 1, 0, Shard.NOBODY);
  }

  private static Shard sold(long units, long stock) {
    return new Shard(true, stock, 0, 0, units + stock, 1, 0, Shard.NOBODY);
  }

  private static Shard line(long stock, long waiters, long oldest) {
    return new Shard(true, stock, 0, 0, 100, 1, waiters, oldest);
  }

  private static ItemStocks stocks(Shard... shards) {
    return new ItemStocks(ITEM, 1, true, List.of(shards));
  }
}
