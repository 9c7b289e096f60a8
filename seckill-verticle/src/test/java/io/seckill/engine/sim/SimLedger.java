package io.seckill.engine.sim;

import io.seckill.common.id.EntryId;
import io.seckill.common.item.ItemState;
import io.seckill.common.item.Move;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The ledger: each method is one transaction, by the rules of {@code ShardLedger}, {@code
 * BatchStore} and {@code ShardSnapshots}. It never fails and never forgets.
 */
final class SimLedger {

  /** An entry in its turn. What lies beyond the end of its epoch has no effect. */
  record Stored(SimEntry entry, boolean effective) {}

  /** Where an epoch ended, and the opening that lowered it, 0 for none. */
  record End(long lastSeq, long loweredBy) {}

  /** Units in effect on their way, whether or not their entry is stored in its turn. */
  record Transfer(long units, int toShard, long move) {}

  /** A win's name. */
  record WinName(int shard, EntryId place) implements Comparable<WinName> {
    @Override
    public int compareTo(WinName other) {
      return Comparator.comparingInt(WinName::shard)
          .thenComparing(WinName::place)
          .compare(this, other);
    }
  }

  static final class Order {
    final int user;
    final int key;
    final int units;
    final boolean lost;
    int held;

    Order(SimEntry.Win win, boolean lost) {
      this.user = win.user();
      this.key = win.key();
      this.units = win.units();
      this.lost = lost;
      this.held = lost ? 0 : win.units();
    }
  }

  static final class MoveRow {
    final Move.Kind kind;
    final long units;
    boolean applied;

    MoveRow(Move.Kind kind, long units) {
      this.kind = kind;
      this.units = units;
    }
  }

  static final class Shard {
    long epoch;
    boolean open;
    long closedTo;
    final TreeMap<Long, End> closed = new TreeMap<>();
    final TreeMap<EntryId, Stored> stored = new TreeMap<>();
    final TreeMap<EntryId, Transfer> transfers = new TreeMap<>();
    final TreeMap<Long, MoveRow> moves = new TreeMap<>();

    /** Who waits, the oldest first. */
    final List<Integer> line = new ArrayList<>();

    long addMove(Move.Kind kind, long units) {
      long number = moves.isEmpty() ? 1 : moves.lastKey() + 1;
      moves.put(number, new MoveRow(kind, units));
      return number;
    }

    long endOf(long atEpoch) {
      if (atEpoch > closedTo) {
        return Long.MAX_VALUE;
      }
      End end = closed.get(atEpoch);
      return end == null ? 0 : end.lastSeq();
    }

    long highestStored(long atEpoch, long upTo) {
      EntryId found = stored.floorKey(new EntryId(atEpoch, Math.min(upTo, EntryId.MAX_SEQ)));
      return found != null && found.epoch() == atEpoch ? found.seq() : 0;
    }
  }

  /** The answer of a closing. */
  record Closed(boolean forgot, boolean everStored, boolean surplus) {}

  /** What a repair writes. */
  record ItemInShard(
      ItemState state,
      long generation,
      long lastMove,
      long adds,
      long granted,
      long sent,
      long received,
      long stock) {}

  private final Set<Guard> guards;
  private final int limit;
  final Shard[] shards;
  final TreeMap<WinName, Order> orders = new TreeMap<>();
  final TreeSet<WinName> outbox = new TreeSet<>();
  private final Map<Integer, Integer> holdings = new HashMap<>();

  ItemState state = ItemState.OPEN;
  long generation = 2;
  long unitsIn;
  long unitsOut;
  long held;

  SimLedger(Set<Guard> guards, int limit, int shardCount) {
    this.guards = guards;
    this.limit = limit;
    this.shards = new Shard[shardCount];
    for (int i = 0; i < shardCount; i++) {
      shards[i] = new Shard();
    }
  }

  void bringIn(int shard, Move.Kind kind, long units) {
    shards[shard].addMove(kind, units);
    unitsIn += units;
  }

  long claim(int shard, long seenEpoch) {
    Shard row = shards[shard];
    row.epoch = Math.max(row.epoch, seenEpoch) + 1;
    row.open = false;
    return row.epoch;
  }

  /** Null when another claim came later. */
  Closed close(int shard, long epoch, long redisEpoch, long redisSeq) {
    Shard row = shards[shard];
    if (has(Guard.CLAIM_IS_A_LEASE) && (row.epoch != epoch || row.open)) {
      return null;
    }
    long closedBefore = row.closedTo;
    closeOpenEpochs(row, epoch, redisEpoch, redisSeq);
    if (has(Guard.LOWER_THE_END)) {
      lowerEnds(row, epoch, redisEpoch, redisSeq);
    }
    row.closedTo = epoch - 1;
    EntryId redis = new EntryId(redisEpoch, redisSeq);
    boolean forgot =
        row.stored.tailMap(redis, false).values().stream().anyMatch(Stored::effective)
            || (has(Guard.TRANSFERS_IN_FORGOT) && !row.transfers.tailMap(redis, false).isEmpty());
    boolean surplus = isSurplus(row, closedBefore, redisEpoch, redisSeq);
    return new Closed(
        forgot && has(Guard.FORGOT), !row.stored.isEmpty(), surplus && has(Guard.SURPLUS));
  }

  private static void closeOpenEpochs(Shard row, long epoch, long redisEpoch, long redisSeq) {
    TreeMap<Long, Long> ends = new TreeMap<>();
    for (EntryId place : row.stored.keySet()) {
      if (place.epoch() > row.closedTo && place.epoch() < epoch) {
        ends.merge(place.epoch(), place.seq(), Math::max);
      }
    }
    if (redisEpoch > row.closedTo && redisEpoch < epoch) {
      ends.merge(redisEpoch, redisSeq, Math::max);
    }
    ends.forEach((closing, end) -> row.closed.put(closing, new End(end, 0)));
  }

  private static void lowerEnds(Shard row, long epoch, long redisEpoch, long redisSeq) {
    for (Map.Entry<Long, End> closed : row.closed.entrySet()) {
      long last = closed.getValue().lastSeq();
      long stored = row.highestStored(closed.getKey(), last);
      if (closed.getKey() > epoch || stored >= last) {
        continue;
      }
      long end = closed.getKey() == redisEpoch ? Math.max(stored, redisSeq) : stored;
      if (closed.getKey() >= redisEpoch && end < last) {
        closed.setValue(new End(end, epoch));
      }
    }
  }

  private static boolean isSurplus(Shard row, long closedBefore, long redisEpoch, long redisSeq) {
    if (redisEpoch > 0 && redisEpoch <= closedBefore && !row.closed.containsKey(redisEpoch)) {
      return true;
    }
    for (Map.Entry<Long, End> closed : row.closed.entrySet()) {
      End end = closed.getValue();
      if (closed.getKey() == redisEpoch
          ? end.lastSeq() < redisSeq
          : closed.getKey() < redisEpoch && end.loweredBy() > redisEpoch) {
        return true;
      }
    }
    return false;
  }

  /** False when another claim came later. */
  boolean open(int shard, long epoch) {
    Shard row = shards[shard];
    if (row.epoch != epoch) {
      return false;
    }
    row.open = true;
    return true;
  }

  /** Whether the entry is stored now; false when it has to wait for another one. */
  boolean store(int shard, SimEntry entry) {
    Shard row = shards[shard];
    EntryId place = entry.id();
    if (row.epoch < place.epoch()) {
      return false;
    }
    Stored known = row.stored.get(place);
    if (known != null) {
      if (!known.entry().equals(entry)) {
        throw new Violation("two entries of one name: " + known.entry() + " and " + entry);
      }
      return true;
    }
    boolean effective = !has(Guard.CLOSE_AT_SEQ) || place.seq() <= row.endOf(place.epoch());
    if (effective && has(Guard.STORE_IN_ORDER) && !isNext(row, place)) {
      return false;
    }
    if (effective) {
      takeEffect(shard, row, entry);
    }
    if (!effective && entry instanceof SimEntry.Win win) {
      orders.put(new WinName(shard, place), new Order(win, true));
    } else if (!effective && entry instanceof SimEntry.Promo promo) {
      orders.put(new WinName(shard, place), new Order(promo.win(), true));
    }
    row.stored.put(place, new Stored(entry, effective));
    return true;
  }

  private static boolean isNext(Shard row, EntryId place) {
    if (place.seq() > 1) {
      return row.stored.containsKey(new EntryId(place.epoch(), place.seq() - 1));
    }
    for (Map.Entry<Long, End> before :
        row.closed.headMap(place.epoch(), false).descendingMap().entrySet()) {
      if (before.getValue().lastSeq() > 0) {
        return row.stored.containsKey(new EntryId(before.getKey(), before.getValue().lastSeq()));
      }
    }
    return true;
  }

  private void takeEffect(int shard, Shard row, SimEntry entry) {
    if (entry instanceof SimEntry.Win win) {
      if (!row.line.isEmpty()) {
        throw new Violation("user " + win.user() + " won before those who wait: " + row.line);
      }
      win(shard, win);
    } else if (entry instanceof SimEntry.Promo promo) {
      if (row.line.isEmpty() || row.line.get(0) != promo.user()) {
        throw new Violation("user " + promo.user() + " was not next in " + row.line);
      }
      row.line.remove(0);
      win(shard, promo.win());
    } else if (entry instanceof SimEntry.Join join) {
      row.line.add(join.user());
    } else if (entry instanceof SimEntry.Leave leave) {
      row.line.remove((Integer) leave.user());
    } else if (entry instanceof SimEntry.Release release) {
      release(shard, release);
    } else if (entry instanceof SimEntry.In in) {
      settle(row, in.move(), entry);
    } else if (entry instanceof SimEntry.Out out) {
      settle(row, out.move(), entry);
      checkGrant(0, out.units());
      unitsOut += out.units();
    } else if (entry instanceof SimEntry.Send send) {
      inEffect(row, send);
    }
  }

  private void win(int shard, SimEntry.Win win) {
    if (holdings.getOrDefault(win.user(), 0) + win.units() > limit) {
      throw new Violation("I2: user " + win.user() + " would hold more than " + limit);
    }
    checkGrant(win.units(), 0);
    holdings.merge(win.user(), win.units(), Integer::sum);
    held += win.units();
    orders.put(new WinName(shard, win.id()), new Order(win, false));
  }

  /**
   * The last guard of I1. A shard may hold units that another one has released and sent, and whose
   * log is not stored that far: what is on its way out of turn is allowed beyond the grant.
   */
  private void checkGrant(long moreHeld, long moreOut) {
    long room = unitsIn - unitsOut - moreOut - held - moreHeld;
    if (room < 0 && (!has(Guard.OUT_OF_TURN_IN_GRANT) || room + outOfTurn() < 0)) {
      throw new Violation("I1: orders would hold more than was granted");
    }
  }

  private long outOfTurn() {
    long units = 0;
    for (Shard row : shards) {
      for (Map.Entry<EntryId, Transfer> transfer : row.transfers.entrySet()) {
        Stored inTurn = row.stored.get(transfer.getKey());
        units += inTurn != null && inTurn.effective() ? 0 : transfer.getValue().units();
      }
    }
    return units;
  }

  private void release(int shard, SimEntry.Release release) {
    WinName name = new WinName(shard, release.win());
    Order order = orders.get(name);
    if (order == null || order.held != release.units() || order.user != release.user()) {
      throw new Violation("a release of what is not held: " + release);
    }
    order.held = 0;
    held -= release.units();
    holdings.merge(release.user(), -release.units(), Integer::sum);
    if (!release.toStock()) {
      unitsOut += release.units();
    }
    outbox.remove(name);
  }

  private static void settle(Shard row, long number, SimEntry entry) {
    MoveRow move = row.moves.get(number);
    if (move == null || move.applied) {
      throw new Violation("a move that does not wait for its entry: " + entry);
    }
    move.applied = true;
  }

  private Transfer inEffect(Shard row, SimEntry.Send send) {
    Transfer known = row.transfers.get(send.id());
    if (known != null) {
      return known;
    }
    long number = shards[send.toShard()].addMove(Move.Kind.TRANSFER, send.units());
    Transfer transfer = new Transfer(send.units(), send.toShard(), number);
    row.transfers.put(send.id(), transfer);
    return transfer;
  }

  /** Out of turn; null when the entry never happened. */
  Transfer storeTransfer(int shard, SimEntry.Send send) {
    Shard row = shards[shard];
    boolean beyond = send.id().seq() > row.endOf(send.id().epoch());
    return beyond && has(Guard.TRANSFER_WITHIN_END) ? null : inEffect(row, send);
  }

  /** Entries of closed epochs that are not stored. */
  long missing(int shard, long lastEpoch) {
    Shard row = shards[shard];
    long missing = 0;
    for (Map.Entry<Long, End> closed : row.closed.headMap(lastEpoch, true).entrySet()) {
      long last = closed.getValue().lastSeq();
      missing += last - row.highestStored(closed.getKey(), last);
    }
    return missing;
  }

  /** What the shard must hold of the item; null when it has never heard of it. */
  ItemInShard snapshot(int shard) {
    Shard row = shards[shard];
    SimEntry.State version = null;
    long lastMove = 0;
    long adds = 0;
    long granted = 0;
    long received = 0;
    long stillHeld = 0;
    for (Stored stored : row.stored.values()) {
      if (!stored.effective()) {
        continue;
      }
      SimEntry entry = stored.entry();
      if (entry instanceof SimEntry.State state1) {
        version = state1;
      } else if (entry instanceof SimEntry.In in) {
        lastMove = Math.max(lastMove, in.move());
        adds++;
        received += in.transfer() ? in.units() : 0;
        granted += in.transfer() ? 0 : in.units();
      } else if (entry instanceof SimEntry.Out out) {
        lastMove = Math.max(lastMove, out.move());
        granted -= out.units();
      } else if (entry instanceof SimEntry.Win win) {
        stillHeld += win.units();
      } else if (entry instanceof SimEntry.Promo) {
        stillHeld++;
        adds++;
      } else if (entry instanceof SimEntry.Release release) {
        stillHeld -= release.units();
        adds += release.toStock() ? 1 : 0;
        granted -= release.toStock() ? 0 : release.units();
      }
    }
    long sent = sentBy(row);
    if (version == null && (row.transfers.isEmpty() || !has(Guard.SENDERS_IN_SNAPSHOT))) {
      return null;
    }
    return new ItemInShard(
        version == null ? ItemState.PREPARED : version.state(),
        version == null ? 0 : version.generation(),
        lastMove,
        adds,
        granted,
        sent,
        received,
        granted + received - sent - stillHeld);
  }

  private long sentBy(Shard row) {
    if (has(Guard.TRANSFERS_IN_SUMS)) {
      return row.transfers.values().stream().mapToLong(Transfer::units).sum();
    }
    return row.stored.values().stream()
        .filter(stored -> stored.effective() && stored.entry() instanceof SimEntry.Send)
        .mapToLong(stored -> ((SimEntry.Send) stored.entry()).units())
        .sum();
  }

  private boolean has(Guard guard) {
    return guards.contains(guard);
  }

  /** Receipts of the next users after one. */
  Map<Integer, List<SimRedis.Held>> receipts(int shard, int afterUser, int users) {
    TreeMap<Integer, List<SimRedis.Held>> found = new TreeMap<>();
    orders.forEach(
        (name, order) -> {
          if (name.shard() == shard && !order.lost && order.user > afterUser) {
            found
                .computeIfAbsent(order.user, user -> new ArrayList<>())
                .add(new SimRedis.Held(name.place(), order.key, order.units, order.held > 0));
          }
        });
    while (found.size() > users) {
      found.pollLastEntry();
    }
    return found;
  }
}
