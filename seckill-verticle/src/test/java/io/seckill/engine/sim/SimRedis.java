package io.seckill.engine.sim;

import io.seckill.common.id.EntryId;
import io.seckill.common.item.ItemState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * One Redis server with one shard, and the scripts that change it, each as its file in {@code
 * lua/scripts} does. A server remembers what it held before its latest writes, so that it can be
 * brought back with less.
 */
final class SimRedis {

  private static final int REMEMBERED = 10;

  /** Waiters that one call lets in: so few that something is left for the next one. */
  private static final int LET_IN = 2;

  enum HeadState {
    OPEN,
    REPAIRING,
    FROZEN
  }

  /** What a call carries first. */
  record Fence(long epoch, long runId) {}

  /** What a script answers; number and entry where it has them. */
  record Reply(String status, EntryId entry, long number) {

    static Reply of(String status) {
      return new Reply(status, null, 0);
    }

    boolean is(String word) {
      return status.equals(word);
    }
  }

  /** A record of a receipt. */
  record Held(EntryId win, int key, int units, boolean held) {}

  /** The answer of freeze_shard. */
  record Frozen(long lastEpoch, long lastSeq, boolean headFound, boolean damaged) {}

  /** What the server holds. */
  static final class Data {
    boolean headFound;
    long epoch;
    long seq;
    long runId;
    HeadState state = HeadState.FROZEN;
    long lastEpoch;
    long lastSeq;
    boolean damaged;
    ItemState item;
    long generation;
    Long stock;
    long move;
    long adds;
    long sent;
    long received;
    long granted;
    final List<SimEntry> log = new ArrayList<>();
    final Map<Integer, List<Held>> receipts = new TreeMap<>();

    /** Who waits, the oldest first. */
    final List<Integer> line = new ArrayList<>();

    Data copy() {
      Data copy = new Data();
      copy.headFound = headFound;
      copy.epoch = epoch;
      copy.seq = seq;
      copy.runId = runId;
      copy.state = state;
      copy.lastEpoch = lastEpoch;
      copy.lastSeq = lastSeq;
      copy.damaged = damaged;
      copy.item = item;
      copy.generation = generation;
      copy.stock = stock;
      copy.move = move;
      copy.adds = adds;
      copy.sent = sent;
      copy.received = received;
      copy.granted = granted;
      copy.log.addAll(log);
      copy.receipts.putAll(receipts);
      copy.line.addAll(line);
      return copy;
    }

    boolean isOpenOn(long server) {
      return headFound && state == HeadState.OPEN && runId == server;
    }
  }

  final int shard;
  private final Set<Guard> guards;
  private final Deque<Data> before = new ArrayDeque<>();

  Data data;
  long runId;
  boolean alive = true;

  SimRedis(int shard, Set<Guard> guards, long runId, Data data) {
    this.shard = shard;
    this.guards = guards;
    this.runId = runId;
    this.data = data;
  }

  /** What the server held some writes ago; the oldest remembered when there were not so many. */
  Data ago(int writes) {
    Data found = data;
    int left = writes;
    for (Data older : before) {
      if (left-- == 0) {
        break;
      }
      found = older;
    }
    return found.copy();
  }

  /** Comes back after its end, with what it has kept. */
  void restart(Data kept, long newRunId) {
    data = kept;
    runId = newRunId;
    before.clear();
  }

  private void remember() {
    before.addFirst(data.copy());
    if (before.size() > REMEMBERED) {
      before.removeLast();
    }
  }

  private String refusal(Fence fence, HeadState expected) {
    boolean epoch = guards.contains(Guard.FENCE_ON_EPOCH) && data.epoch != fence.epoch;
    boolean server = guards.contains(Guard.FENCE_ON_RUN_ID) && data.runId != fence.runId;
    if (!data.headFound || epoch || server) {
      return "FENCED";
    }
    return data.state == expected ? null : "FROZEN";
  }

  private EntryId nextPlace(Fence fence) {
    return new EntryId(fence.epoch, data.seq + 1);
  }

  /** Redis refuses an id that is not above the last one. */
  private boolean append(SimEntry entry) {
    List<SimEntry> log = data.log;
    if (!log.isEmpty() && log.get(log.size() - 1).id().compareTo(entry.id()) >= 0) {
      return false;
    }
    remember();
    log.add(entry);
    data.seq = entry.id().seq();
    return true;
  }

  private Reply freezeLost() {
    remember();
    data.state = HeadState.FROZEN;
    return Reply.of("LOST");
  }

  Reply decide(Fence fence, int user, int key, int units, int limit) {
    String refusal = refusal(fence, HeadState.OPEN);
    if (refusal != null) {
      return Reply.of(refusal);
    }
    List<Held> receipt = data.receipts.getOrDefault(user, List.of());
    for (Held record : receipt) {
      // Without a key of its own a purchase replays only what is held.
      if (record.key == key && (key > 0 || record.held)) {
        return record.units == units ? new Reply("REPLAY", record.win, 0) : Reply.of("CONFLICT");
      }
    }
    if (data.item == null ? data.stock != null : lostStock()) {
      return freezeLost();
    }
    if (data.item == null || data.item == ItemState.PREPARED) {
      return Reply.of("NOT_READY");
    }
    if (data.item == ItemState.ENDED) {
      return Reply.of("ENDED");
    }
    if (heldUnits(user) + units > limit) {
      return Reply.of("LIMIT");
    }
    if (guards.contains(Guard.LINE_COMES_FIRST) && !data.line.isEmpty()) {
      return Reply.of("LINE");
    }
    if (data.stock < units) {
      return new Reply("DRY", null, data.stock);
    }
    EntryId place = nextPlace(fence);
    if (!append(new SimEntry.Win(place, user, key, units))) {
      return Reply.of("NOT_WRITTEN");
    }
    data.stock -= units;
    data.receipts.put(user, with(receipt, new Held(place, key, units, true)));
    return new Reply("WIN", place, data.stock);
  }

  private int heldUnits(int user) {
    return data.receipts.getOrDefault(user, List.of()).stream()
        .filter(Held::held)
        .mapToInt(Held::units)
        .sum();
  }

  Reply join(Fence fence, int user, int limit) {
    String refusal = refusal(fence, HeadState.OPEN);
    if (refusal != null) {
      return Reply.of(refusal);
    }
    if (data.item == null ? data.stock != null : lostStock()) {
      return freezeLost();
    }
    if (data.item != ItemState.OPEN) {
      return Reply.of("NOT_NOW");
    }
    if (data.line.contains(user)) {
      return Reply.of("ALREADY");
    }
    if (heldUnits(user) >= limit) {
      return Reply.of("LIMIT");
    }
    if (data.stock > 0 && data.line.isEmpty()) {
      return Reply.of("STOCK");
    }
    if (!append(new SimEntry.Join(nextPlace(fence), user))) {
      return Reply.of("NOT_WRITTEN");
    }
    data.line.add(user);
    return Reply.of("OK");
  }

  Reply leave(Fence fence, int user) {
    String refusal = refusal(fence, HeadState.OPEN);
    if (refusal != null) {
      return Reply.of(refusal);
    }
    if (!data.line.contains(user)) {
      return Reply.of("ALREADY");
    }
    if (!append(new SimEntry.Leave(nextPlace(fence), user))) {
      return Reply.of("NOT_WRITTEN");
    }
    data.line.remove((Integer) user);
    return Reply.of("OK");
  }

  Reply promote(Fence fence, int limit) {
    String refusal = refusal(fence, HeadState.OPEN);
    if (refusal != null) {
      return Reply.of(refusal);
    }
    if (data.item == null ? data.stock != null : lostStock()) {
      return freezeLost();
    }
    letWaitersIn(fence, limit);
    return Reply.of("OK");
  }

  /** The routine of waitlist.lua. */
  private void letWaitersIn(Fence fence, int limit) {
    for (int i = 0; i < LET_IN; i++) {
      if (data.item != ItemState.OPEN || data.stock <= 0 || data.line.isEmpty()) {
        return;
      }
      int place = guards.contains(Guard.OLDEST_WAITER) ? 0 : data.line.size() - 1;
      int user = data.line.get(place);
      EntryId next = nextPlace(fence);
      boolean isAtLimit = heldUnits(user) >= limit;
      if (!append(isAtLimit ? new SimEntry.Leave(next, user) : new SimEntry.Promo(next, user))) {
        return;
      }
      data.line.remove(place);
      if (!isAtLimit) {
        data.stock--;
        data.adds++;
        data.receipts.put(
            user, with(data.receipts.getOrDefault(user, List.of()), new Held(next, 0, 1, true)));
      }
    }
  }

  private boolean lostStock() {
    return data.stock == null && data.item != ItemState.PREPARED;
  }

  private static List<Held> with(List<Held> receipt, Held more) {
    List<Held> longer = new ArrayList<>(receipt);
    longer.add(more);
    return List.copyOf(longer);
  }

  Reply release(Fence fence, int user, EntryId win, int limit) {
    String refusal = refusal(fence, HeadState.OPEN);
    if (refusal != null) {
      return Reply.of(refusal);
    }
    List<Held> receipt = data.receipts.get(user);
    if (data.item == null && data.stock == null && receipt == null) {
      return Reply.of("NOT_FOUND");
    }
    if (data.item == null || data.stock == null) {
      return freezeLost();
    }
    Held record =
        receipt == null
            ? null
            : receipt.stream().filter(one -> one.win.equals(win)).findFirst().orElse(null);
    if (record == null) {
      return Reply.of("NOT_FOUND");
    }
    if (!record.held && guards.contains(Guard.RELEASE_ONCE)) {
      return Reply.of("ALREADY");
    }
    // A debt is paid first, also after the end.
    boolean toStock = data.item != ItemState.ENDED || data.stock < 0;
    EntryId place = nextPlace(fence);
    if (!append(new SimEntry.Release(place, user, win, record.units, toStock))) {
      return Reply.of("NOT_WRITTEN");
    }
    List<Held> changed = new ArrayList<>(receipt);
    changed.set(receipt.indexOf(record), new Held(win, record.key, record.units, false));
    data.receipts.put(user, List.copyOf(changed));
    if (toStock) {
      data.stock += record.units;
      data.adds++;
    } else {
      data.granted -= record.units;
    }
    letWaitersIn(fence, limit);
    return Reply.of("OK");
  }

  Reply applyMove(Fence fence, long number, long units, boolean transfer, int limit) {
    String refusal = refusal(fence, HeadState.OPEN);
    if (refusal != null) {
      return Reply.of(refusal);
    }
    Reply notNow = moveCannotApply(number);
    if (notNow != null) {
      return notNow;
    }
    if (!append(new SimEntry.In(nextPlace(fence), number, units, transfer))) {
      return Reply.of("NOT_WRITTEN");
    }
    data.move = number;
    data.adds++;
    if (transfer) {
      data.received += units;
    } else {
      data.granted += units;
    }
    data.stock = (data.stock == null ? 0 : data.stock) + units;
    letWaitersIn(fence, limit);
    return Reply.of("OK");
  }

  Reply takeUnits(Fence fence, long number, long units) {
    String refusal = refusal(fence, HeadState.OPEN);
    if (refusal != null) {
      return Reply.of(refusal);
    }
    Reply notNow = moveCannotApply(number);
    if (notNow != null) {
      return notNow;
    }
    long stock = data.stock == null ? 0 : data.stock;
    long taken = Math.min(units, Math.max(0, stock));
    if (!append(new SimEntry.Out(nextPlace(fence), number, taken))) {
      return Reply.of("NOT_WRITTEN");
    }
    data.move = number;
    data.granted -= taken;
    data.stock = stock - taken;
    return Reply.of("OK");
  }

  private Reply moveCannotApply(long number) {
    if (data.item == null) {
      return Reply.of("NOT_READY");
    }
    // A sender that was written anew has a debt before its first move.
    boolean firstOfAll = data.move == 0 && data.sent == 0 && data.stock == null;
    if (!firstOfAll && data.stock == null) {
      return freezeLost();
    }
    if (guards.contains(Guard.MOVES_IN_TURN) && number <= data.move) {
      return Reply.of("ALREADY");
    }
    if (guards.contains(Guard.MOVES_IN_TURN) && number != data.move + 1) {
      return Reply.of("GAP");
    }
    return null;
  }

  Reply sendUnits(Fence fence, long wanted, int toShard) {
    String refusal = refusal(fence, HeadState.OPEN);
    if (refusal != null) {
      return Reply.of(refusal);
    }
    if (data.item == null || data.item == ItemState.PREPARED) {
      return Reply.of("NOT_READY");
    }
    if (data.item == ItemState.ENDED) {
      return Reply.of("ENDED");
    }
    if (data.stock == null) {
      return freezeLost();
    }
    if (data.stock <= 0) {
      return Reply.of("EMPTY");
    }
    long units = Math.min(wanted, data.stock);
    EntryId place = nextPlace(fence);
    if (!append(new SimEntry.Send(place, units, toShard))) {
      return Reply.of("NOT_WRITTEN");
    }
    data.stock -= units;
    data.sent += units;
    return new Reply("OK", place, units);
  }

  Reply putItem(Fence fence, long generation, ItemState state) {
    String refusal = refusal(fence, HeadState.OPEN);
    if (refusal != null) {
      return Reply.of(refusal);
    }
    if (data.item != null) {
      if (data.generation >= generation) {
        return Reply.of("ALREADY");
      }
      if (data.move > 0 && data.stock == null) {
        return freezeLost();
      }
      if (data.move == 0 && state != ItemState.PREPARED) {
        return Reply.of("NOT_READY");
      }
    } else if (data.stock != null) {
      return freezeLost();
    } else if (state != ItemState.PREPARED) {
      return Reply.of("NOT_READY");
    }
    if (!append(new SimEntry.State(nextPlace(fence), generation, state))) {
      return Reply.of("NOT_WRITTEN");
    }
    data.item = state;
    data.generation = generation;
    return Reply.of("OK");
  }

  /** Null when the head is of the same or a later epoch. */
  Frozen freeze(Fence fence) {
    if (data.headFound && data.epoch >= fence.epoch) {
      return null;
    }
    remember();
    boolean again = data.state == HeadState.REPAIRING;
    Frozen frozen =
        new Frozen(
            again ? data.lastEpoch : data.epoch,
            again ? data.lastSeq : data.seq,
            data.headFound,
            data.headFound && (data.state == HeadState.FROZEN || data.damaged));
    data.headFound = true;
    data.epoch = fence.epoch;
    data.seq = 0;
    data.runId = fence.runId;
    data.state = HeadState.REPAIRING;
    data.lastEpoch = frozen.lastEpoch;
    data.lastSeq = frozen.lastSeq;
    data.damaged = frozen.damaged;
    return frozen;
  }

  Reply forgetItem(Fence fence) {
    String refusal = refusal(fence, HeadState.REPAIRING);
    if (refusal != null) {
      return Reply.of(refusal);
    }
    clear();
    return Reply.of("OK");
  }

  private void clear() {
    remember();
    data.damaged = guards.contains(Guard.DAMAGED);
    data.item = null;
    data.generation = 0;
    data.stock = null;
    data.move = 0;
    data.adds = 0;
    data.sent = 0;
    data.received = 0;
    data.granted = 0;
    data.receipts.clear();
    data.line.clear();
  }

  Reply restoreItem(Fence fence, SimLedger.ItemInShard item) {
    String refusal = refusal(fence, HeadState.REPAIRING);
    if (refusal != null) {
      return Reply.of(refusal);
    }
    clear();
    data.item = item.state();
    data.generation = item.generation();
    data.move = item.lastMove();
    data.adds = item.adds();
    data.sent = item.sent();
    data.received = item.received();
    data.granted = item.granted();
    data.stock = item.stock();
    return Reply.of("OK");
  }

  Reply restoreReceipts(Fence fence, Map<Integer, List<Held>> page) {
    String refusal = refusal(fence, HeadState.REPAIRING);
    if (refusal != null) {
      return Reply.of(refusal);
    }
    remember();
    data.receipts.putAll(page);
    return Reply.of("OK");
  }

  Reply restoreLine(Fence fence, List<Integer> users) {
    String refusal = refusal(fence, HeadState.REPAIRING);
    if (refusal != null) {
      return Reply.of(refusal);
    }
    remember();
    data.line.addAll(users);
    return Reply.of("OK");
  }

  Reply open(Fence fence) {
    String refusal = refusal(fence, HeadState.REPAIRING);
    if (refusal != null) {
      return Reply.of(refusal);
    }
    remember();
    data.state = HeadState.OPEN;
    data.seq = 0;
    data.lastEpoch = 0;
    data.lastSeq = 0;
    data.damaged = false;
    return Reply.of("OK");
  }
}
