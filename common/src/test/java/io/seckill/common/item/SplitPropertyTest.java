package io.seckill.common.item;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

class SplitPropertyTest {

  @Property
  void ST_01_evenlyShouldLoseNoRemainder(
      @ForAll @LongRange(min = 0, max = 1_000_000_000_000L) long units,
      @ForAll @IntRange(min = 1, max = 1023) int shards,
      @ForAll int firstExtra) {
    long[] parts = Split.evenly(units, shards, firstExtra);
    assertThat(parts).hasSize(shards);
    assertThat(Arrays.stream(parts).sum()).isEqualTo(units);
    long least = Arrays.stream(parts).min().orElseThrow();
    long most = Arrays.stream(parts).max().orElseThrow();
    assertThat(least).isNotNegative();
    assertThat(most - least).isLessThanOrEqualTo(1);
  }

  @Property
  void ST_14_byStockShouldNotAskForMoreThanAShardHas(
      @ForAll @LongRange(min = 0, max = 1_000_000_000) long units,
      @ForAll @Size(min = 1, max = 64) List<@LongRange(min = -5, max = 1_000_000_000) Long> stock) {
    long[] parts = Split.byStock(units, stock);

    assertThat(Arrays.stream(parts).sum()).isEqualTo(units);
    long all = stock.stream().mapToLong(left -> Math.max(0, left)).sum();
    for (int i = 0; i < parts.length; i++) {
      long has = Math.max(0, stock.get(i));
      if (units <= all) {
        assertThat(parts[i]).isBetween(0L, has);
      } else {
        assertThat(parts[i]).isGreaterThanOrEqualTo(has);
      }
    }
  }

  @Example
  void ST_14_byStockShouldSplitTheKnownCases() {
    assertThat(Split.byStock(31, List.of(10L, 0L, 10L, 20L))).containsExactly(8, 0, 8, 15);
    assertThat(Split.byStock(3, List.of(-4L, 3L, 0L))).containsExactly(0, 3, 0);
    assertThat(Split.byStock(6, List.of(-4L, 3L, 0L))).containsExactly(1, 4, 1);
  }

  @Property
  void ST_01_oneUnitShouldGoRoundTheShards(
      @ForAll @IntRange(min = 1, max = 64) int shards, @ForAll @IntRange(min = 0) int first) {
    long[] sum = new long[shards];
    for (int i = 0; i < shards; i++) {
      long[] part = Split.evenly(1, shards, Math.floorMod(first, shards) + i);
      for (int s = 0; s < shards; s++) {
        sum[s] += part[s];
      }
    }
    assertThat(sum).containsOnly(1);
  }

  @Example
  void ST_01_evenlyShouldSplitTheKnownCases() {
    assertThat(Split.evenly(7, 16, 0))
        .containsExactly(1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    assertThat(Split.evenly(7, 3, 2)).containsExactly(2, 2, 3);
    assertThat(Split.evenly(0, 2, 1)).containsExactly(0, 0);
    assertThat(Split.evenly(1000, 1, 5)).containsExactly(1000);
  }
}
