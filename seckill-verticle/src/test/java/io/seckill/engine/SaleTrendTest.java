package io.seckill.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.ItemId;
import io.seckill.engine.ItemStocks.Shard;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SaleTrendTest {

  private static final ItemId ITEM = new ItemId(7);
  private static final long SECOND = 1_000_000_000;

  private final SaleTrend trend = new SaleTrend();

  @Test
  void afterShouldTellTheRateOfSalesAndHalveThePast() {
    assertThat(after(0, shard(100, 0, 0, 100))).containsExactly(0);
    assertThat(after(1, shard(60, 0, 0, 100))).containsExactly(20);
    assertThat(after(2, shard(20, 0, 0, 100))).containsExactly(30);
    assertThat(after(3, shard(20, 0, 0, 100))).containsExactly(15);
  }

  @Test
  void afterShouldNotTakeUnitsThatTravelForSales() {
    after(0, shard(100, 0, 0, 100));

    assertThat(after(1, shard(70, 30, 0, 100))).containsExactly(0);
    assertThat(after(2, shard(75, 30, 5, 100))).containsExactly(0);
    assertThat(after(3, shard(85, 30, 5, 110))).containsExactly(0);
  }

  @Test
  void afterShouldNotGoBelowZeroWhenUnitsAreReleased() {
    after(0, shard(10, 0, 0, 100));

    assertThat(after(1, shard(90, 0, 0, 100))).containsExactly(0);
  }

  @Test
  void keepOnlyShouldForgetTheOthers() {
    after(0, shard(100, 0, 0, 100));

    trend.keepOnly(Set.of());

    assertThat(after(1, shard(0, 0, 0, 100))).containsExactly(0);
  }

  private double[] after(long second, Shard shard) {
    return trend.after(new ItemStocks(ITEM, 1, true, List.of(shard)), second * SECOND);
  }

  private static Shard shard(long stock, long sent, long received, long granted) {
    return new Shard(true, stock, sent, received, granted, 1, 0, Shard.NOBODY);
  }
}
