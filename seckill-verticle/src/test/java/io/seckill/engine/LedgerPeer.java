package io.seckill.engine;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.BusFailures;
import io.seckill.common.bus.Done;
import io.seckill.common.bus.EpochClose;
import io.seckill.common.bus.EpochClosed;
import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.ItemQuery;
import io.seckill.common.bus.ItemRecords;
import io.seckill.common.bus.RegionJoin;
import io.seckill.common.bus.RegionJoined;
import io.seckill.common.bus.ShardClaim;
import io.seckill.common.bus.ShardClaimed;
import io.seckill.common.bus.ShardOpen;
import io.seckill.common.bus.ShardReceipts;
import io.seckill.common.bus.ShardReceiptsQuery;
import io.seckill.common.bus.ShardSnapshot;
import io.seckill.common.bus.ShardSnapshotQuery;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemRecord;
import io.seckill.common.item.ItemState;
import io.seckill.common.item.Move;
import io.seckill.common.item.Split;
import io.seckill.common.log.LogEntry;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.MessageConsumer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * A ledger in memory that speaks the bus contract of the consumer role, so that the engine can be
 * tested without MySQL. Stores what a test hands it, by the rules of docs/architecture.md. Its
 * methods may be called from any thread.
 */
final class LedgerPeer {

  private final List<MessageConsumer<?>> consumers = new ArrayList<>();
  private final Map<ItemId, ItemRow> items = new TreeMap<>();
  private final Set<String> requests = new HashSet<>();
  private final Map<Integer, TreeMap<EntryId, LogEntry>> stored = new HashMap<>();
  private final Map<Integer, Long> epochs = new HashMap<>();
  private final Map<Integer, TreeMap<Long, Long>> closedEpochs = new HashMap<>();

  private static final class ItemRow {
    ItemDefinition definition;
    ItemState state = ItemState.CREATED;
    long generation;
    long stock;
    final List<Move> moves = new ArrayList<>();
  }

  LedgerPeer(EventBus bus) {
    this.<RegionJoin>answer(
        bus, Addresses.LEDGER_JOIN, join -> new RegionJoined(join.shardCount()));
    this.<ShardClaim>answer(bus, Addresses.LEDGER_CLAIM_SHARD, this::claim);
    this.<EpochClose>answer(bus, Addresses.LEDGER_CLOSE_EPOCH, this::close);
    this.<ShardOpen>answer(bus, Addresses.LEDGER_OPEN_SHARD, open -> new Done());
    this.<ItemChange>answer(bus, Addresses.LEDGER_CHANGE_ITEM, this::change);
    this.<ItemQuery>answer(
        bus,
        Addresses.LEDGER_ITEMS,
        query -> new ItemRecords(items.values().stream().map(this::record).toList()));
    this.<ShardSnapshotQuery>answer(bus, Addresses.LEDGER_SHARD_SNAPSHOT, this::snapshot);
    this.<ShardReceiptsQuery>answer(bus, Addresses.LEDGER_SHARD_RECEIPTS, this::receipts);
  }

  private <T> void answer(EventBus bus, String address, Function<T, Object> answer) {
    consumers.add(
        bus.<T>consumer(
            address,
            message -> {
              try {
                synchronized (this) {
                  message.reply(answer.apply(message.body()));
                }
              } catch (SeckillException e) {
                BusFailures.reply(message, e);
              }
            }));
  }

  /** Goes away, as a ledger does whose process ended. */
  void leave() {
    consumers.forEach(MessageConsumer::unregister);
  }

  synchronized void create(ItemDefinition definition, long stock) {
    ItemRow row = new ItemRow();
    row.definition = definition;
    row.stock = stock;
    items.put(definition.id(), row);
  }

  /** Stores entries of a shard's log, each once. */
  synchronized void store(int shard, List<LogEntry> entries) {
    for (LogEntry entry : entries) {
      Long last = closedEpochs.getOrDefault(shard, new TreeMap<>()).get(entry.id().epoch());
      if (last == null || entry.id().seq() <= last) {
        stored.computeIfAbsent(shard, s -> new TreeMap<>()).put(entry.id(), entry);
      }
    }
  }

  private ShardClaimed claim(ShardClaim claim) {
    long before = epochs.getOrDefault(claim.shard(), 0L);
    long epoch = Math.max(before, claim.seenEpoch()) + 1;
    epochs.put(claim.shard(), epoch);
    return new ShardClaimed(epoch, before);
  }

  private EpochClosed close(EpochClose close) {
    if (epochs.get(close.shard()) != close.epoch()) {
      throw new SeckillException(ErrorCode.CONFLICT, "claimed again");
    }
    TreeMap<EntryId, LogEntry> log = stored.getOrDefault(close.shard(), new TreeMap<>());
    EntryId redisEnd = new EntryId(close.redisEpoch(), close.redisSeq());
    if (close.redisEpoch() > 0) {
      closedEpochs
          .computeIfAbsent(close.shard(), s -> new TreeMap<>())
          .putIfAbsent(close.redisEpoch(), close.redisSeq());
    }
    return new EpochClosed(!log.tailMap(redisEnd, false).isEmpty(), !log.isEmpty(), false);
  }

  private ItemRecords change(ItemChange change) {
    ItemRow row = items.get(change.item());
    if (row == null) {
      throw new SeckillException(ErrorCode.NOT_FOUND, "no such item");
    }
    if (requests.add(change.requestId())) {
      switch (change.action()) {
        case PREHEAT -> {
          if (row.state == ItemState.CREATED) {
            row.state = ItemState.OPEN;
            row.generation = 2;
            addMoves(row, change.shardCount(), Move.Kind.PREHEAT, row.stock);
          }
        }
        case RESTOCK -> addMoves(row, change.shardCount(), Move.Kind.RESTOCK, change.units());
        case PAUSE -> turn(row, ItemState.PAUSED);
        case RESUME -> turn(row, ItemState.OPEN);
        case END -> turn(row, ItemState.ENDED);
      }
    }
    return new ItemRecords(List.of(record(row)));
  }

  private static void turn(ItemRow row, ItemState state) {
    if (row.state != state) {
      row.state = state;
      row.generation++;
    }
  }

  private static void addMoves(ItemRow row, int shards, Move.Kind kind, long units) {
    long[] parts = Split.evenly(units, shards, row.moves.size());
    for (int shard = 0; shard < shards; shard++) {
      int owner = shard;
      long last = row.moves.stream().filter(move -> move.shard() == owner).count();
      if (parts[shard] > 0 || last == 0) {
        row.moves.add(new Move(row.definition.id(), shard, last + 1, kind, parts[shard]));
      }
    }
  }

  private ItemRecord record(ItemRow row) {
    long units = row.moves.stream().mapToLong(Move::units).sum();
    List<Move> outstanding =
        row.moves.stream().filter(move -> !isStored(row.definition.id(), move)).toList();
    return new ItemRecord(row.definition, row.state, row.generation, row.stock, units, outstanding);
  }

  private boolean isStored(ItemId item, Move move) {
    return stored.getOrDefault(move.shard(), new TreeMap<>()).values().stream()
        .anyMatch(
            entry ->
                entry instanceof LogEntry.UnitsIn in
                    && in.item().equals(item)
                    && in.move() == move.number());
  }

  private ShardSnapshot snapshot(ShardSnapshotQuery query) {
    TreeMap<EntryId, LogEntry> log = stored.getOrDefault(query.shard(), new TreeMap<>());
    long missing = 0;
    for (Map.Entry<Long, Long> closed :
        closedEpochs
            .getOrDefault(query.shard(), new TreeMap<>())
            .headMap(query.lastEpoch(), true)
            .entrySet()) {
      EntryId end = new EntryId(closed.getKey(), closed.getValue());
      missing += end.seq() - log.subMap(new EntryId(end.epoch(), 0), false, end, true).size();
    }
    List<ShardSnapshot.ItemInShard> found = new ArrayList<>();
    for (ItemRow row : items.values()) {
      ItemId id = row.definition.id();
      long moves = 0;
      long units = 0;
      long won = 0;
      for (LogEntry entry : log.values()) {
        if (entry instanceof LogEntry.UnitsIn in && in.item().equals(id)) {
          moves++;
          units += in.units();
        } else if (entry instanceof LogEntry.Win win) {
          won +=
              win.lines().stream()
                  .filter(line -> line.item().equals(id))
                  .mapToInt(LogEntry.WinLine::quantity)
                  .sum();
        }
      }
      if (moves > 0) {
        found.add(
            new ShardSnapshot.ItemInShard(
                row.definition, row.state, row.generation, moves, moves, units, units - won));
      }
    }
    return new ShardSnapshot(missing, found);
  }

  private ShardReceipts receipts(ShardReceiptsQuery query) {
    TreeMap<String, List<String>> records = new TreeMap<>();
    TreeMap<String, Integer> held = new TreeMap<>();
    for (LogEntry entry : stored.getOrDefault(query.shard(), new TreeMap<>()).values()) {
      if (entry instanceof LogEntry.Win win) {
        for (LogEntry.WinLine line : win.lines()) {
          if (line.item().equals(query.item())) {
            held.merge(win.user().value(), line.quantity(), Integer::sum);
            records
                .computeIfAbsent(win.user().value(), u -> new ArrayList<>())
                .add(
                    String.join(
                        "|",
                        win.keyDigest(),
                        win.bodyDigest(),
                        win.id().toString(),
                        Integer.toString(line.quantity()),
                        "h"));
          }
        }
      }
    }
    TreeMap<String, String> page = new TreeMap<>();
    records.tailMap(query.afterUser(), false).entrySet().stream()
        .limit(query.limit())
        .forEach(
            e -> page.put(e.getKey(), held.get(e.getKey()) + ";" + String.join(";", e.getValue())));
    return new ShardReceipts(page);
  }
}
