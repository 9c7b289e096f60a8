package io.seckill.gateway.board;

import io.seckill.common.bus.Backlog;
import io.seckill.common.bus.Board;
import io.seckill.common.bus.ItemView;
import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemGroup;
import io.seckill.common.item.ItemState;
import java.util.List;

/** Boards for tests. */
public final class Boards {

  private Boards() {}

  /** A board of region 0 at a moment. */
  public static Board of(long atMs, ItemView... items) {
    return new Board(0, atMs, false, Backlog.NONE, List.of(items));
  }

  /** The same board while all sales are stopped. */
  public static Board stopped(Board board) {
    return new Board(board.region(), board.atMs(), true, board.backlog(), board.items());
  }

  /** An open item with 100 units. */
  public static ItemView item(long id) {
    return item(id, 2, 100, 1);
  }

  /** An open item with 100 units that belongs to a group. */
  public static ItemView inGroup(long id, ItemGroup group) {
    return view(definition(id, group), 2, 100, 1);
  }

  /** An open item on one shard. */
  public static ItemView item(long id, long generation, long remaining, long adds) {
    return view(definition(id, null), generation, remaining, adds);
  }

  private static ItemDefinition definition(long id, ItemGroup group) {
    return new ItemDefinition(
        new ItemId(id),
        "Phone \"P\" <1> 手机",
        199_900,
        "CNY",
        "",
        1,
        1_700_000_000_000L,
        4_000_000_000_000L,
        900_000,
        group);
  }

  private static ItemView view(
      ItemDefinition definition, long generation, long remaining, long adds) {
    return new ItemView(
        definition,
        ItemState.OPEN,
        generation,
        remaining,
        remaining == 0,
        0,
        List.of(new ItemView.ShardMark(1, adds)));
  }
}
