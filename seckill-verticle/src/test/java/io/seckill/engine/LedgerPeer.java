package io.seckill.engine;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.BusFailures;
import io.seckill.common.bus.Done;
import io.seckill.common.bus.EpochClose;
import io.seckill.common.bus.EpochClosed;
import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.ItemChanged;
import io.seckill.common.bus.ItemQuery;
import io.seckill.common.bus.ItemRecords;
import io.seckill.common.bus.RegionJoin;
import io.seckill.common.bus.RegionJoined;
import io.seckill.common.bus.Releases;
import io.seckill.common.bus.Releases.Release;
import io.seckill.common.bus.ReleasesQuery;
import io.seckill.common.bus.ReleasesWaiting;
import io.seckill.common.bus.SalesChange;
import io.seckill.common.bus.SalesQuery;
import io.seckill.common.bus.SalesRecord;
import io.seckill.common.bus.ShardClaim;
import io.seckill.common.bus.ShardClaimed;
import io.seckill.common.bus.ShardHoldings;
import io.seckill.common.bus.ShardHoldingsQuery;
import io.seckill.common.bus.ShardOpen;
import io.seckill.common.bus.ShardReceipts;
import io.seckill.common.bus.ShardReceiptsQuery;
import io.seckill.common.bus.ShardSnapshot;
import io.seckill.common.bus.ShardSnapshotQuery;
import io.seckill.common.bus.ShardWaiters;
import io.seckill.common.bus.ShardWaitersQuery;
import io.seckill.common.bus.TransferStore;
import io.seckill.common.bus.TransferStored;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemGroup;
import io.seckill.common.item.ItemRecord;
import io.seckill.common.item.ItemState;
import io.seckill.common.item.Move;
import io.seckill.common.item.Split;
import io.seckill.common.log.LogEntry;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.MessageConsumer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A ledger in memory that speaks the bus contract of the consumer role, so that the engine can be
 * tested without MySQL. Stores what a test hands it, by the rules of docs/architecture.md. Serves
 * any number of buses. Its methods may be called from any thread.
 */
final class LedgerPeer {

  private static final int MAX_WAITERS = 3;

  private final List<EventBus> buses = new ArrayList<>();
  private final List<MessageConsumer<?>> consumers = new ArrayList<>();
  private final Map<ItemId, ItemRow> items = new TreeMap<>();
  private final Map<String, Changed> requests = new HashMap<>();
  private final Map<Integer, TreeMap<EntryId, LogEntry>> stored = new HashMap<>();
  private final Map<Integer, TreeMap<EntryId, Sent>> transfers = new HashMap<>();
  private final Map<Integer, Long> epochs = new HashMap<>();
  private final Map<Integer, TreeMap<Long, Long>> closedEpochs = new HashMap<>();
  private final Map<Place, Release> outbox = new LinkedHashMap<>();
  private final Map<Place, LogEntry.Release> released = new HashMap<>();
  private SalesRecord sales = SalesRecord.UNTOUCHED;
  private long nextRelease = 1;
  private int releasedAgain;
  private boolean losesTransfers;

  private static final class ItemRow {
    ItemDefinition definition;
    ItemState state = ItemState.CREATED;
    long generation;
    long stock;
    long reserve;
    long cap = ItemRecord.NO_CAP;
    final List<Move> moves = new ArrayList<>();
  }

  /** What a request asked for: what was done at once, and the moves out that tell the rest. */
  private record Changed(long asked, long doneAtOnce, List<Move> out) {
    static final Changed NOTHING = new Changed(0, 0, List.of());
  }

  private record Sent(long units, Move move) {}

  /** Where a win stands. */
  private record Place(int shard, EntryId win) {}

  LedgerPeer(EventBus bus) {
    serve(bus);
  }

  /** Speaks on one more bus. */
  synchronized void serve(EventBus bus) {
    buses.add(bus);
    this.<RegionJoin>answer(
        bus, Addresses.LEDGER_JOIN, join -> new RegionJoined(join.shardCount()));
    this.<ShardClaim>answer(bus, Addresses.LEDGER_CLAIM_SHARD, this::claim);
    this.<EpochClose>answer(bus, Addresses.LEDGER_CLOSE_EPOCH, this::close);
    this.<ShardOpen>answer(bus, Addresses.LEDGER_OPEN_SHARD, this::open);
    this.<ItemChange>answer(bus, Addresses.LEDGER_CHANGE_ITEM, this::change);
    this.<ItemQuery>answer(bus, Addresses.LEDGER_ITEMS, this::records);
    this.<SalesChange>answer(bus, Addresses.LEDGER_CHANGE_SALES, this::changeSales);
    this.<SalesQuery>answer(bus, Addresses.LEDGER_SALES, query -> sales);
    this.<TransferStore>answer(bus, Addresses.LEDGER_STORE_TRANSFER, this::storeTransfer);
    this.<ReleasesQuery>answer(bus, Addresses.LEDGER_RELEASES, this::releases);
    this.<ShardSnapshotQuery>answer(bus, Addresses.LEDGER_SHARD_SNAPSHOT, this::snapshot);
    this.<ShardReceiptsQuery>answer(bus, Addresses.LEDGER_SHARD_RECEIPTS, this::receipts);
    this.<ShardHoldingsQuery>answer(bus, Addresses.LEDGER_SHARD_HOLDINGS, this::holdings);
    this.<ShardWaitersQuery>answer(bus, Addresses.LEDGER_SHARD_WAITERS, this::waiters);
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
  synchronized void leave() {
    consumers.forEach(MessageConsumer::unregister);
    consumers.clear();
  }

  /** Comes back with all that it had stored. */
  synchronized void comeBack() {
    List<EventBus> before = List.copyOf(buses);
    buses.clear();
    before.forEach(this::serve);
  }

  /** From now on an engine's word of a transfer is lost: as if the engine died before it. */
  synchronized void loseTransfers(boolean lose) {
    losesTransfers = lose;
  }

  synchronized void create(ItemDefinition definition, long stock) {
    ItemRow row = new ItemRow();
    row.definition = definition;
    row.stock = stock;
    items.put(definition.id(), row);
  }

  /** Takes an ended item out of the shards. */
  synchronized void archive(ItemId item) {
    turn(items.get(item), ItemState.ARCHIVED);
  }

  /**
   * Cancels the user's latest order that holds units: its release waits from now on. Nobody is told
   * of it.
   */
  synchronized void cancel(int shard, UserId user) {
    LogEntry.Win win =
        stored.getOrDefault(shard, new TreeMap<>()).descendingMap().values().stream()
            .flatMap(entry -> entry.taken().stream())
            .filter(taken -> taken.user().equals(user))
            .filter(taken -> !released.containsKey(new Place(shard, taken.id())))
            .filter(taken -> !outbox.containsKey(new Place(shard, taken.id())))
            .findFirst()
            .orElseThrow(() -> new IllegalStateException(user + " has no stored order"));
    outbox.put(
        new Place(shard, win.id()),
        new Release(
            nextRelease++,
            user,
            win.id(),
            "user",
            win.lines().stream().map(LogEntry.WinLine::item).toList()));
  }

  /** Cancels all orders of an item that hold units. */
  synchronized void cancelAll(ItemId item) {
    cancel(item, win -> true);
  }

  /** Cancels some of them. */
  synchronized void cancelSome(Random random, ItemId item) {
    cancel(item, win -> random.nextInt(8) == 0);
  }

  /** The entries of a shard that are stored, in their order. */
  synchronized List<LogEntry> log(int shard) {
    return List.copyOf(stored.getOrDefault(shard, new TreeMap<>()).values());
  }

  private void cancel(ItemId item, Predicate<LogEntry.Win> which) {
    stored.forEach(
        (shard, log) ->
            log.values().stream()
                .flatMap(entry -> entry.taken().stream())
                .filter(win -> win.lines().stream().anyMatch(line -> line.item().equals(item)))
                .filter(which)
                .filter(win -> !released.containsKey(new Place(shard, win.id())))
                .forEach(
                    win ->
                        outbox.putIfAbsent(
                            new Place(shard, win.id()),
                            new Release(
                                nextRelease++,
                                win.user(),
                                win.id(),
                                "timeout",
                                win.lines().stream().map(LogEntry.WinLine::item).toList()))));
  }

  /** Tells the engines that a shard has something to be released. */
  synchronized void tellOfReleases(int region, int shard) {
    buses.forEach(bus -> bus.publish(Addresses.RELEASES, new ReleasesWaiting(region, shard)));
  }

  /** Releases that are asked for and not stored. */
  synchronized int releasesWaiting() {
    return outbox.size();
  }

  /** Releases that are stored. */
  synchronized int releasesStored() {
    return released.size();
  }

  /** Stored entries of releases of wins that were released before: there must be none. */
  synchronized int releasedAgain() {
    return releasedAgain;
  }

  /** Closes the epoch that a shard is in, as an opener on another server does. */
  synchronized void claimBehindTheBack(int shard) {
    epochs.merge(shard, 1L, Long::sum);
  }

  /** Units that were sent and whose move is not stored as applied. */
  synchronized long travelling(ItemId item) {
    return row(item).moves.stream()
        .filter(move -> move.kind() == Move.Kind.TRANSFER && done(move).isEmpty())
        .mapToLong(Move::units)
        .sum();
  }

  /** How many transfers were ever told. */
  synchronized int transfers() {
    return transfers.values().stream().mapToInt(TreeMap::size).sum();
  }

  /** Units of the item that stored wins hold. */
  synchronized long held(ItemId item) {
    return stored.values().stream()
            .flatMap(log -> wonLines(log, item))
            .mapToLong(LogEntry.WinLine::quantity)
            .sum()
        - stored.values().stream()
            .flatMap(log -> releasedLines(log, item))
            .mapToLong(LogEntry.ReleasedLine::units)
            .sum();
  }

  /** Stores entries of a shard's log, each once and in order. */
  synchronized void store(int shard, List<LogEntry> entries) {
    for (LogEntry entry : entries) {
      boolean news = entry.id().compareTo(lastStored(shard)) > 0;
      if (!news || isBeyondEnd(shard, entry.id())) {
        continue;
      }
      stored.computeIfAbsent(shard, s -> new TreeMap<>()).put(entry.id(), entry);
      if (entry instanceof LogEntry.UnitsSent sent) {
        transfer(shard, sent.id(), sent.item(), sent.units(), sent.toShard());
      } else if (entry instanceof LogEntry.UnitsOut out) {
        ItemRow row = row(out.item());
        row.moves.stream()
            .filter(move -> move.shard() == shard && move.number() == out.move())
            .filter(move -> move.kind() == Move.Kind.HOLD_BACK)
            .forEach(move -> row.reserve += out.units());
      } else if (entry instanceof LogEntry.Release release) {
        Place place = new Place(shard, release.win());
        outbox.remove(place);
        releasedAgain += released.put(place, release) == null ? 0 : 1;
      }
    }
  }

  private Releases releases(ReleasesQuery query) {
    return new Releases(
        outbox.entrySet().stream()
            .filter(asked -> asked.getKey().shard() == query.shard())
            .map(Map.Entry::getValue)
            .filter(release -> release.id() > query.afterId())
            .limit(query.limit())
            .toList());
  }

  private EntryId lastStored(int shard) {
    TreeMap<EntryId, LogEntry> log = stored.get(shard);
    return log == null ? new EntryId(0, 0) : log.lastKey();
  }

  private boolean isBeyondEnd(int shard, EntryId entry) {
    Long end = closedEpochs.getOrDefault(shard, new TreeMap<>()).get(entry.epoch());
    return end != null && entry.seq() > end;
  }

  private TransferStored storeTransfer(TransferStore sent) {
    if (losesTransfers) {
      throw new SeckillException(ErrorCode.UNAVAILABLE, "the word is lost");
    }
    EntryId entry = new EntryId(sent.epoch(), sent.seq());
    if (isBeyondEnd(sent.shard(), entry)) {
      throw new SeckillException(ErrorCode.CONFLICT, "it never happened");
    }
    return new TransferStored(
        transfer(sent.shard(), entry, sent.item(), sent.units(), sent.toShard()));
  }

  private Move transfer(int shard, EntryId entry, ItemId item, long units, int toShard) {
    return transfers
        .computeIfAbsent(shard, s -> new TreeMap<>())
        .computeIfAbsent(
            entry, id -> new Sent(units, addMove(row(item), toShard, Move.Kind.TRANSFER, units)))
        .move();
  }

  private ShardClaimed claim(ShardClaim claim) {
    long before = epochs.getOrDefault(claim.shard(), 0L);
    long epoch = Math.max(before, claim.seenEpoch()) + 1;
    epochs.put(claim.shard(), epoch);
    return new ShardClaimed(epoch, before);
  }

  private Done open(ShardOpen open) {
    if (epochs.getOrDefault(open.shard(), 0L) != open.epoch()) {
      throw new SeckillException(ErrorCode.CONFLICT, "claimed again");
    }
    return new Done();
  }

  private EpochClosed close(EpochClose close) {
    if (epochs.get(close.shard()) != close.epoch()) {
      throw new SeckillException(ErrorCode.CONFLICT, "claimed again");
    }
    TreeMap<EntryId, LogEntry> log = stored.getOrDefault(close.shard(), new TreeMap<>());
    EntryId redisEnd = new EntryId(close.redisEpoch(), close.redisSeq());
    boolean surplus = false;
    if (close.redisEpoch() > 0) {
      TreeMap<Long, Long> closed =
          closedEpochs.computeIfAbsent(close.shard(), s -> new TreeMap<>());
      EntryId last = log.lowerKey(new EntryId(close.redisEpoch() + 1, 0));
      long storedSeq = last == null || last.epoch() != close.redisEpoch() ? 0 : last.seq();
      long end = Math.max(close.redisSeq(), storedSeq);
      Long before = closed.putIfAbsent(close.redisEpoch(), end);
      surplus = before != null && before < close.redisSeq();
    }
    boolean forgot =
        !log.tailMap(redisEnd, false).isEmpty()
            || !transfers
                .getOrDefault(close.shard(), new TreeMap<>())
                .tailMap(redisEnd, false)
                .isEmpty();
    return new EpochClosed(forgot, !log.isEmpty(), surplus, sales);
  }

  private ItemRecords records(ItemQuery query) {
    return new ItemRecords(
        items.values().stream()
            .filter(row -> query.item() == null || row.definition.id().equals(query.item()))
            .map(this::record)
            .toList());
  }

  private SalesRecord changeSales(SalesChange change) {
    if (change.stopped() != sales.stopped()) {
      sales = new SalesRecord(change.stopped(), sales.generation() + 1);
    }
    return sales;
  }

  private ItemRow row(ItemId item) {
    ItemRow row = items.get(item);
    if (row == null) {
      throw new SeckillException(ErrorCode.NOT_FOUND, "no such item");
    }
    return row;
  }

  private ItemChanged change(ItemChange change) {
    ItemRow row = row(change.item());
    Changed changed = requests.get(change.requestId());
    if (changed == null) {
      changed = apply(row, change);
      requests.put(change.requestId(), changed);
    }
    long done = changed.doneAtOnce;
    boolean settled = true;
    for (Move move : changed.out) {
      Optional<Long> really = done(move);
      done += really.orElse(0L);
      settled &= really.isPresent();
    }
    return new ItemChanged(record(row), changed.asked, done, settled);
  }

  private Changed apply(ItemRow row, ItemChange change) {
    ItemChange.Values values = change.values();
    switch (change.action()) {
      case PREHEAT -> {
        if (row.state == ItemState.CREATED) {
          row.state = ItemState.OPEN;
          row.generation = 2;
          split(row, change.shardCount(), Move.Kind.PREHEAT, row.stock);
        }
      }
      case RESTOCK -> {
        split(row, change.shardCount(), Move.Kind.RESTOCK, values.units());
        return new Changed(values.units(), values.units(), List.of());
      }
      case WITHDRAW -> {
        return takeOut(row, change, Move.Kind.WITHDRAW, values.units());
      }
      case SET_TOTAL -> {
        long difference = values.units() - granted(row) - row.reserve;
        if (difference < 0) {
          return takeOut(row, change, Move.Kind.WITHDRAW, -difference);
        }
        split(row, change.shardCount(), Move.Kind.RESTOCK, difference);
        return new Changed(difference, difference, List.of());
      }
      case CAP -> {
        return cap(row, change, values.units());
      }
      case SET_LIMIT -> redefine(row, row.definition.withLimit(values.limitPerUser()));
      case SET_WINDOW ->
          redefine(row, row.definition.withWindow(values.startsAtMs(), values.endsAtMs()));
      case PAUSE -> turn(row, ItemState.PAUSED);
      case RESUME -> turn(row, ItemState.OPEN);
      case END -> turn(row, ItemState.ENDED);
    }
    return Changed.NOTHING;
  }

  private Changed cap(ItemRow row, ItemChange change, long cap) {
    row.cap = cap;
    long granted = granted(row);
    if (cap != ItemRecord.NO_CAP && cap < granted) {
      return takeOut(row, change, Move.Kind.HOLD_BACK, granted - cap);
    }
    long room = cap == ItemRecord.NO_CAP ? row.reserve : Math.min(row.reserve, cap - granted);
    row.reserve -= room;
    split(row, change.shardCount(), Move.Kind.GRANT, room);
    return new Changed(room, room, List.of());
  }

  private static Changed takeOut(ItemRow row, ItemChange change, Move.Kind kind, long units) {
    List<Move> out = new ArrayList<>();
    long left = units;
    for (int shard = 0; shard < change.stockHint().size() && left > 0; shard++) {
      long here = Math.min(left, change.stockHint().get(shard));
      if (here > 0) {
        out.add(addMove(row, shard, kind, here));
        left -= here;
      }
    }
    return new Changed(units, 0, out);
  }

  private static void turn(ItemRow row, ItemState state) {
    if (row.state != state) {
      row.state = state;
      row.generation++;
    }
  }

  private static void redefine(ItemRow row, ItemDefinition definition) {
    row.definition = definition;
    row.generation++;
  }

  private static void split(ItemRow row, int shards, Move.Kind kind, long units) {
    long[] parts = Split.evenly(units, shards, row.moves.size());
    for (int shard = 0; shard < shards; shard++) {
      if (parts[shard] > 0 || kind == Move.Kind.PREHEAT) {
        addMove(row, shard, kind, parts[shard]);
      }
    }
  }

  private static Move addMove(ItemRow row, int shard, Move.Kind kind, long units) {
    long last =
        row.moves.stream()
            .filter(move -> move.shard() == shard)
            .mapToLong(Move::number)
            .max()
            .orElse(0);
    Move move = new Move(row.definition.id(), shard, last + 1, kind, units);
    row.moves.add(move);
    return move;
  }

  private long granted(ItemRow row) {
    return row.moves.stream()
        .filter(move -> move.kind() != Move.Kind.TRANSFER)
        .mapToLong(move -> move.kind().isIn() ? move.units() : -done(move).orElse(move.units()))
        .sum();
  }

  private ItemRecord record(ItemRow row) {
    List<Move> outstanding =
        row.moves.stream()
            .filter(move -> done(move).isEmpty())
            .sorted(Comparator.comparingInt(Move::shard).thenComparingLong(Move::number))
            .toList();
    return new ItemRecord(
        row.definition,
        row.state,
        row.generation,
        row.stock,
        granted(row),
        row.reserve,
        row.cap,
        outstanding);
  }

  /** How many units a move really moved, when its entry is stored. */
  private Optional<Long> done(Move move) {
    return stored.getOrDefault(move.shard(), new TreeMap<>()).values().stream()
        .map(entry -> units(entry, move))
        .filter(Objects::nonNull)
        .findFirst();
  }

  private static Long units(LogEntry entry, Move move) {
    if (entry instanceof LogEntry.UnitsIn in
        && in.item().equals(move.item())
        && in.move() == move.number()) {
      return in.units();
    }
    if (entry instanceof LogEntry.UnitsOut out
        && out.item().equals(move.item())
        && out.move() == move.number()) {
      return out.units();
    }
    return null;
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
      snapshot(row, query.shard(), log).ifPresent(found::add);
    }
    return new ShardSnapshot(missing, found);
  }

  private Optional<ShardSnapshot.ItemInShard> snapshot(
      ItemRow row, int shard, Map<EntryId, LogEntry> log) {
    ItemId id = row.definition.id();
    long lastMove = 0;
    long adds = 0;
    long granted = 0;
    long received = 0;
    for (Move move : row.moves) {
      Optional<Long> done = move.shard() == shard ? done(move) : Optional.empty();
      if (done.isPresent()) {
        lastMove = Math.max(lastMove, move.number());
        adds += move.kind().isIn() ? 1 : 0;
        if (move.kind() == Move.Kind.TRANSFER) {
          received += done.get();
        } else {
          granted += move.kind().isIn() ? done.get() : -done.get();
        }
      }
    }
    long sent =
        transfers.getOrDefault(shard, new TreeMap<>()).values().stream()
            .filter(one -> one.move().item().equals(id))
            .mapToLong(Sent::units)
            .sum();
    long won = wonLines(log, id).mapToLong(LogEntry.WinLine::quantity).sum();
    adds += releasedLines(log, id).filter(LogEntry.ReleasedLine::toStock).count();
    adds += log.values().stream().filter(entry -> isPromotion(entry, id)).count();
    long back = releasedLines(log, id).mapToLong(LogEntry.ReleasedLine::units).sum();
    granted -=
        releasedLines(log, id)
            .filter(line -> !line.toStock())
            .mapToLong(LogEntry.ReleasedLine::units)
            .sum();
    boolean removed =
        log.values().stream()
            .anyMatch(
                entry ->
                    entry instanceof LogEntry.ItemChanged changed
                        && changed.item().equals(id)
                        && changed.state() == ItemState.ARCHIVED);
    if (removed || (lastMove == 0 && sent == 0)) {
      return Optional.empty();
    }
    boolean unknown = lastMove == 0;
    return Optional.of(
        new ShardSnapshot.ItemInShard(
            row.definition,
            unknown ? ItemState.PREPARED : row.state,
            unknown ? 0 : row.generation,
            lastMove,
            adds,
            granted,
            sent,
            received,
            granted + received - sent - won + back));
  }

  private static Stream<LogEntry.ReleasedLine> releasedLines(
      Map<EntryId, LogEntry> log, ItemId item) {
    return log.values().stream()
        .filter(LogEntry.Release.class::isInstance)
        .flatMap(entry -> ((LogEntry.Release) entry).lines().stream())
        .filter(line -> line.item().equals(item));
  }

  private static Stream<LogEntry.WinLine> wonLines(Map<EntryId, LogEntry> log, ItemId item) {
    return log.values().stream()
        .flatMap(entry -> entry.taken().stream())
        .flatMap(win -> win.lines().stream())
        .filter(line -> line.item().equals(item));
  }

  private ShardReceipts receipts(ShardReceiptsQuery query) {
    TreeMap<String, List<String>> records = new TreeMap<>();
    TreeMap<String, Integer> held = new TreeMap<>();
    for (LogEntry entry : stored.getOrDefault(query.shard(), new TreeMap<>()).values()) {
      LogEntry.Win win = entry.taken().orElse(null);
      if (win != null) {
        for (LogEntry.WinLine line : win.lines()) {
          if (line.item().equals(query.item())) {
            boolean holds = !released.containsKey(new Place(query.shard(), win.id()));
            held.merge(win.user().value(), holds ? line.quantity() : 0, Integer::sum);
            records
                .computeIfAbsent(win.user().value(), u -> new ArrayList<>())
                .add(
                    String.join(
                        "|",
                        win.keyDigest(),
                        win.bodyDigest(),
                        win.id().toString(),
                        Integer.toString(line.quantity()),
                        holds ? "h" : "r"));
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

  private static boolean isPromotion(LogEntry entry, ItemId item) {
    return entry instanceof LogEntry.Promotion
        && entry.taken().orElseThrow().lines().get(0).item().equals(item);
  }

  /** Who waits as the log says: joined, and neither left nor got a unit since. */
  private ShardWaiters waiters(ShardWaitersQuery query) {
    Map<List<Object>, ShardWaiters.Waiter> line = new LinkedHashMap<>();
    for (LogEntry entry : stored.getOrDefault(query.shard(), new TreeMap<>()).values()) {
      if (entry instanceof LogEntry.Joined joined) {
        line.put(
            List.of(joined.item(), joined.user()),
            new ShardWaiters.Waiter(joined.item(), joined.user(), joined.id(), joined.atMs()));
      } else if (entry instanceof LogEntry.Left left) {
        line.remove(List.of(left.item(), left.user()));
      } else if (entry instanceof LogEntry.Promotion) {
        LogEntry.Win win = entry.taken().orElseThrow();
        line.remove(List.of(win.lines().get(0).item(), win.user()));
      }
    }
    List<ShardWaiters.Waiter> rest =
        line.values().stream()
            .filter(waiter -> query.after() == null || waiter.joined().compareTo(query.after()) > 0)
            .toList();
    // Pages of a few, so that tests go through several.
    int size = Math.min(rest.size(), Math.min(query.limit(), MAX_WAITERS));
    return new ShardWaiters(rest.subList(0, size), size < rest.size());
  }

  private ShardHoldings holdings(ShardHoldingsQuery query) {
    TreeMap<String, Long> held = new TreeMap<>();
    for (LogEntry entry : stored.getOrDefault(query.shard(), new TreeMap<>()).values()) {
      entry
          .taken()
          .filter(win -> !released.containsKey(new Place(query.shard(), win.id())))
          .ifPresent(
              win ->
                  win.lines().stream()
                      .filter(line -> groupOf(line.item()).equals(query.group()))
                      .forEach(
                          line ->
                              held.merge(win.user().value(), (long) line.quantity(), Long::sum)));
    }
    TreeMap<String, Long> page = new TreeMap<>();
    held.tailMap(query.afterUser(), false).entrySet().stream()
        .limit(query.limit())
        .forEach(e -> page.put(e.getKey(), e.getValue()));
    return new ShardHoldings(page);
  }

  private String groupOf(ItemId item) {
    return Optional.ofNullable(row(item).definition.group()).map(ItemGroup::id).orElse("");
  }
}
