package io.seckill.gateway.board;

import io.seckill.common.bus.Board;
import io.seckill.common.bus.ItemView;
import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemState;
import java.util.List;

/** Boards for tests. */
public final class Boards {

  private Boards() {}

  /** A board of region 0 at a moment. */
  public static Board of(long atMs, ItemView... items) {
    return new Board(0, atMs, List.of(items));
  }

  /** An open item with 100 units. */
  public static ItemView item(long id) {
    return item(id, 2, 100, 1);
  }

  /** An open item on one shard. */
  public static ItemView item(long id, long generation, long remaining, long adds) {
    ItemDefinition definition =
        new ItemDefinition(
            new ItemId(id),
            "Phone \"P\" <1> 手机",
            199_900,
            "CNY",
            "",
            1,
            1_700_000_000_000L,
            4_000_000_000_000L,
            900_000);
    return new ItemView(
        definition,
        ItemState.OPEN,
        generation,
        remaining,
        remaining == 0,
        List.of(new ItemView.ShardMark(1, adds)));
  }
}
