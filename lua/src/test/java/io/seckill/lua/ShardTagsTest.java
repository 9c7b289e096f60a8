package io.seckill.lua;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShardTagsTest {

  private static final int MASTERS = 3;

  /** The check value of CRC16/XMODEM, and slots that CLUSTER KEYSLOT gives. */
  @ParameterizedTest
  @CsvSource({"123456789, 12739", "foo, 12182", "bar, 5061", "somekey, 11058", "'', 0"})
  void slotOfShouldBeTheSlotOfTheClusterSpecification(String tag, int slot) {
    assertThat(ShardTags.slotOf(tag)).isEqualTo(slot);
  }

  @Test
  void slotOfShouldBeTheCheckValueOfXmodemWhenItIsBelowTheSlots() {
    assertThat(0x31C3).isLessThan(ShardTags.SLOTS);
    assertThat(ShardTags.slotOf("123456789")).isEqualTo(0x31C3);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 6, 12, 16})
  void tagsShouldSpreadEvenlyOverThreeMasters(int shardCount) {
    int[] shards = new int[MASTERS];
    for (String tag : ShardTags.of(shardCount)) {
      shards[(int) ((long) ShardTags.slotOf(tag) * MASTERS / ShardTags.SLOTS)]++;
    }
    for (int ofMaster : shards) {
      assertThat(ofMaster).isBetween(shardCount / MASTERS, (shardCount + MASTERS - 1) / MASTERS);
    }
  }

  @Test
  void tagsShouldNeverChange() {
    assertThat(List.of(ShardTags.of(1))).containsExactly("0.0");
    assertThat(List.of(ShardTags.of(3))).containsExactly("0.1", "1.0", "2.0");
  }

  @Property
  void tagShouldLieInItsSlice(@ForAll @IntRange(min = 1, max = 1023) int shardCount) {
    String[] tags = ShardTags.of(shardCount);
    Set<String> distinct = new HashSet<>(List.of(tags));
    assertThat(distinct).hasSize(shardCount);
    for (int shard = 0; shard < shardCount; shard++) {
      assertThat(ShardTags.slotOf(tags[shard]))
          .isGreaterThanOrEqualTo((int) ((long) shard * ShardTags.SLOTS / shardCount))
          .isLessThan((int) ((long) (shard + 1) * ShardTags.SLOTS / shardCount));
    }
  }
}
