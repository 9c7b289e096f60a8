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
import java.util.Arrays;
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
 * at which no unit was left anywhere. One pass would be wrong: a unit can travel past it. And while
 * anybody waits in line, the item is sold out for all others, because what comes back is his first;
 * but not when all who wait do so in shards that cannot be read while units are left in others:
 * nobody knows when they could have them, and no unit is to lie idle for that. Plain values in and
 * out; belongs to one event loop.
 */
final class ItemBoard {

  private final Map<ItemId, List<ShardMark>> dryInLastPass = new HashMap<>();
  private final Map<ItemId, Long> lowestGeneration = new HashMap<>();
  private final Map<ItemId, ItemStocks> stocks = new HashMap<>();

  /** Who waits in each shard, as it was last read: in one that cannot be read they still do. */
  private final Map<ItemId, long[]> waiters = new HashMap<>();

  private final Map<ItemId, ItemView> settled = new HashMap<>();
  private Map<ItemId, ItemView> shown = Map.of();
  private long passes;

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

  /** What the latest pass that looked at the item found; null when none has. */
  ItemStocks stocks(ItemId item) {
    return stocks.get(item);
  }

  /** The number of the latest pass. */
  long passes() {
    return passes;
  }

  /**
   * Takes one pass over all shards that looked at all items which are not settled.
   *
   * @param items what was asked for, in the order of the readings' items
   * @param readings one for each shard, in shard order; empty where the shard could not be read
   * @param ledger what the ledger knows, for items that no shard has
   * @return a view of each item, by id
   */
  Map<ItemId, ItemView> pass(
      List<ItemId> items, List<Optional<Reading>> readings, List<ItemRecord> ledger) {
    // A shard that was opened again may have forgotten the end of an item.
    settled.values().removeIf(view -> isOpenedAgain(view, readings));
    Map<ItemId, ItemView> views = new TreeMap<>();
    for (ItemRecord record : ledger) {
      ItemId id = record.definition().id();
      if (record.state() == ItemState.ARCHIVED) {
        settled.remove(id);
      } else {
        views.put(id, unread(record));
      }
    }
    views.putAll(settled);
    dryInLastPass.keySet().retainAll(items);
    lowestGeneration.keySet().retainAll(items);
    stocks.keySet().retainAll(items);
    waiters.keySet().retainAll(items);
    return look(items, readings, views);
  }

  private static boolean isOpenedAgain(ItemView view, List<Optional<Reading>> readings) {
    for (int shard = 0; shard < readings.size(); shard++) {
      long epoch = readings.get(shard).map(Reading::epoch).orElse(0L);
      if (epoch > view.shards().get(shard).epoch()) {
        return true;
      }
    }
    return false;
  }

  /** An item that no pass has looked at yet, or not since a shard was opened again. */
  private ItemView unread(ItemRecord record) {
    ItemView last = shown.get(record.definition().id());
    if (last != null && last.generation() > 0) {
      return unread(last);
    }
    return new ItemView(
        record.definition(),
        record.state() == ItemState.CREATED ? ItemState.CREATED : ItemState.PREPARED,
        0,
        0,
        false,
        0,
        List.of());
  }

  /**
   * Takes one pass over all shards that looked at some items only; the others stay as they were.
   */
  Map<ItemId, ItemView> look(List<ItemId> items, List<Optional<Reading>> readings) {
    return look(items, readings, new TreeMap<>(shown));
  }

  private Map<ItemId, ItemView> look(
      List<ItemId> items, List<Optional<Reading>> readings, Map<ItemId, ItemView> views) {
    passes++;
    for (int i = 0; i < items.size(); i++) {
      ItemId id = items.get(i);
      InShards found = collect(i, readings);
      ItemView last = shown.get(id);
      if (found.newest == null) {
        dryInLastPass.remove(id);
        lowestGeneration.remove(id);
        stocks.remove(id);
        if (last != null && last.generation() > 0) {
          views.put(id, unread(last));
        }
        continue;
      }
      ItemStocks now = new ItemStocks(id, passes, isSelling(found, readings), found.shards);
      boolean dryNow = now.everywhere() && now.left() == 0 && now.travelling() == 0;
      List<ShardMark> dryBefore =
          dryNow ? dryInLastPass.put(id, found.marks) : dryInLastPass.remove(id);
      ItemView view =
          view(
              found,
              now,
              dryNow && found.marks.equals(dryBefore),
              isOver(found, readings) ? 0 : waiting(now));
      views.put(id, view);
      stocks.put(id, now);
      lowestGeneration.put(id, found.lowestGeneration);
      boolean over =
          view.state() == ItemState.ENDED
              && now.everywhere()
              && found.lowestGeneration == view.generation();
      if (over) {
        settled.put(id, view);
      }
    }
    shown = views;
    return views;
  }

  private static boolean isSelling(InShards found, List<Optional<Reading>> readings) {
    ShardItem newest = Objects.requireNonNull(found.newest);
    return newest.version().state() == ItemState.OPEN
        && newest.definition().startsAtMs() <= atMs(readings)
        && !isOver(found, readings);
  }

  /** Nobody who waits for an item that is over gets it. */
  private static boolean isOver(InShards found, List<Optional<Reading>> readings) {
    ShardItem newest = Objects.requireNonNull(found.newest);
    return newest.version().state() == ItemState.ENDED
        || newest.definition().endsAtMs() <= atMs(readings);
  }

  private static long atMs(List<Optional<Reading>> readings) {
    return readings.stream().flatMap(Optional::stream).mapToLong(Reading::atMs).max().orElse(0);
  }

  private long waiting(ItemStocks now) {
    List<ItemStocks.Shard> shards = now.shards();
    long[] lastRead = waiters.computeIfAbsent(now.item(), item -> new long[shards.size()]);
    for (int shard = 0; shard < lastRead.length; shard++) {
      if (shards.get(shard).readable()) {
        lastRead[shard] = shards.get(shard).waiters();
      }
    }
    return Arrays.stream(lastRead).sum();
  }

  private static ItemView view(InShards found, ItemStocks now, boolean dry, long waiting) {
    ShardItem newest = Objects.requireNonNull(found.newest);
    boolean waitedFor = waiting > 0 && (now.left() == 0 || now.waiters() > 0);
    return new ItemView(
        newest.definition(),
        newest.version().state(),
        newest.version().generation(),
        now.left(),
        (dry && newest.version().state() != ItemState.PREPARED) || waitedFor,
        waiting,
        found.marks);
  }

  /**
   * While no shard can be read an item stays what it was, only not sold out, unless it was because
   * somebody waits: what cannot be read is not dry.
   */
  private static ItemView unread(ItemView last) {
    return new ItemView(
        last.definition(),
        last.state(),
        last.generation(),
        last.remaining(),
        last.soldOut() && last.waiting() > 0,
        last.waiting(),
        last.shards());
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
        found.shards.add(ItemStocks.Shard.UNREADABLE);
        found.marks.add(ShardMark.UNREADABLE);
        item.ifPresent(found::consider);
      }
    }
    return found;
  }

  /** What one item's shards say. */
  private static final class InShards {
    private final List<ShardMark> marks = new ArrayList<>();
    private final List<ItemStocks.Shard> shards = new ArrayList<>();
    private ShardItem newest;
    private long lowestGeneration = Long.MAX_VALUE;

    void add(ShardItem item, long epoch) {
      shards.add(
          new ItemStocks.Shard(
              true,
              item.stock().orElseThrow(),
              item.sent(),
              item.received(),
              item.granted(),
              item.lastMove(),
              item.waiters(),
              item.oldest().orElse(ItemStocks.Shard.NOBODY)));
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
