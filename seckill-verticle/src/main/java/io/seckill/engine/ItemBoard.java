package io.seckill.engine;

import io.seckill.common.bus.ItemView;
import io.seckill.common.bus.ItemView.ShardMark;
import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemRecord;
import io.seckill.common.item.ItemState;
import io.seckill.lua.ReadHead.HeadState;
import io.seckill.lua.ReadItems.Reading;
import io.seckill.lua.ReadItems.ShardItem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Makes the views of all items out of readings of all shards, and decides what is sold out: in two
 * passes one after the other every shard of the item is readable and dry, as much was received as
 * was sent, and each shard has the same (epoch, adds). Then between the passes there was an instant
 * at which no unit was left anywhere. One pass would be wrong: a unit can travel past it. Plain
 * values in and out; belongs to one event loop.
 */
final class ItemBoard {

  private Map<ItemId, List<ShardMark>> dryInLastPass = Map.of();
  private Map<ItemId, Long> lowestGeneration = Map.of();
  private Map<ItemId, ItemView> shown = Map.of();
  private final Map<ItemId, ItemView> settled = new HashMap<>();

  /**
   * The generation that every readable shard has at least, as of the latest pass; 0 when one of
   * them does not know the item. Whatever is below the ledger's generation has still to be brought
   * there.
   */
  long lowestGeneration(ItemId item) {
    ItemView over = settled.get(item);
    return over != null ? over.generation() : lowestGeneration.getOrDefault(item, 0L);
  }

  /**
   * Whether the item is over in every shard, so that nothing about it changes any more and it need
   * not be read again.
   */
  boolean isSettled(ItemId item) {
    return settled.containsKey(item);
  }

  /**
   * Takes one pass over all shards.
   *
   * @param items what was asked for, in the order of the readings' items
   * @param readings one for each shard, in shard order; empty where the shard could not be read
   * @param ledger what the ledger knows, for items that no shard has
   * @return a view of each item, by id
   */
  Map<ItemId, ItemView> pass(
      List<ItemId> items, List<Optional<Reading>> readings, List<ItemRecord> ledger) {
    Map<ItemId, ItemView> views = new TreeMap<>(settled);
    for (ItemRecord record : ledger) {
      views.putIfAbsent(
          record.definition().id(),
          new ItemView(
              record.definition(),
              record.state() == ItemState.CREATED ? ItemState.CREATED : ItemState.PREPARED,
              0,
              0,
              false,
              List.of()));
    }
    Map<ItemId, List<ShardMark>> dry = new HashMap<>();
    Map<ItemId, Long> lowest = new HashMap<>();
    for (int i = 0; i < items.size(); i++) {
      InShards found = collect(i, readings);
      if (found.newest != null) {
        ItemId id = items.get(i);
        boolean dryNow = found.everywhere && found.stock == 0 && found.sent == found.received;
        if (dryNow) {
          dry.put(id, found.marks);
        }
        boolean soldOut = dryNow && found.marks.equals(dryInLastPass.get(id));
        ItemView view = view(found, soldOut);
        views.put(id, view);
        lowest.put(id, found.lowestGeneration);
        boolean over =
            view.state() == ItemState.ENDED
                && found.everywhere
                && found.lowestGeneration == view.generation();
        if (over) {
          settled.put(id, view);
        }
      } else {
        ItemView last = shown.get(items.get(i));
        if (last != null && last.generation() > 0) {
          views.put(items.get(i), unread(last));
        }
      }
    }
    dryInLastPass = dry;
    lowestGeneration = lowest;
    shown = views;
    return views;
  }

  private static ItemView view(InShards found, boolean soldOut) {
    ShardItem newest = Objects.requireNonNull(found.newest);
    return new ItemView(
        newest.definition(),
        newest.version().state(),
        newest.version().generation(),
        found.stock,
        soldOut && newest.version().state() != ItemState.PREPARED,
        found.marks);
  }

  /**
   * While no shard can be read an item stays what it was, only not sold out: what cannot be read is
   * not dry.
   */
  private static ItemView unread(ItemView last) {
    return new ItemView(
        last.definition(), last.state(), last.generation(), last.remaining(), false, last.shards());
  }

  private static InShards collect(int index, List<Optional<Reading>> readings) {
    InShards found = new InShards();
    for (Optional<Reading> reading : readings) {
      Optional<ShardItem> item = reading.flatMap(r -> r.items().get(index));
      boolean open = reading.isPresent() && reading.get().state() == HeadState.OPEN;
      if (open) {
        found.lowestGeneration =
            Math.min(found.lowestGeneration, item.map(i -> i.version().generation()).orElse(0L));
      }
      if (item.isPresent() && item.get().stock().isPresent() && open) {
        found.add(item.get(), reading.get().epoch());
      } else {
        found.everywhere = false;
        found.marks.add(ShardMark.UNREADABLE);
        item.ifPresent(found::consider);
      }
    }
    return found;
  }

  /** Sums over the shards of one item. */
  private static final class InShards {
    private final List<ShardMark> marks = new ArrayList<>();
    private ShardItem newest;
    private boolean everywhere = true;
    private long lowestGeneration = Long.MAX_VALUE;
    private long stock;
    private long sent;
    private long received;

    void add(ShardItem item, long epoch) {
      // Below 0 it is a debt of this shard, not less for the others.
      stock += Math.max(0, item.stock().orElseThrow());
      sent += item.sent();
      received += item.received();
      marks.add(new ShardMark(epoch, item.adds()));
      consider(item);
    }

    void consider(ShardItem item) {
      if (newest == null || newest.version().generation() < item.version().generation()) {
        newest = item;
      }
    }
  }
}
