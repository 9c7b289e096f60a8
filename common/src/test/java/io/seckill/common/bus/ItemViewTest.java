package io.seckill.common.bus;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.bus.ItemView.ShardMark;
import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemState;
import java.util.List;
import org.junit.jupiter.api.Test;

class ItemViewTest {

  @Test
  void isOlderThanShouldGoByGenerationAndByEachShard() {
    ItemView view = view(2, new ShardMark(1, 5), new ShardMark(1, 7));
    assertThat(view.isOlderThan(view)).isFalse();
    assertThat(view.isOlderThan(view(3, new ShardMark(1, 5), new ShardMark(1, 7)))).isTrue();
    assertThat(view.isOlderThan(view(2, new ShardMark(1, 5), new ShardMark(1, 8)))).isTrue();
    assertThat(view.isOlderThan(view(2, new ShardMark(2, 0), new ShardMark(1, 7)))).isTrue();
    assertThat(view.isOlderThan(view(2, new ShardMark(1, 4), new ShardMark(1, 7)))).isFalse();
    assertThat(view.isOlderThan(view(2))).isFalse();
  }

  private static ItemView view(long generation, ShardMark... marks) {
    ItemDefinition item =
        new ItemDefinition(new ItemId(1), "a", 1, "CNY", "", 1, 0, 1_000, 900_000);
    return new ItemView(item, ItemState.OPEN, generation, 0, false, 0, List.of(marks));
  }
}
