package io.seckill.lua;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemState;
import io.seckill.common.item.Move;
import io.seckill.common.log.LogEntry;
import io.seckill.common.order.PurchaseLine;
import io.seckill.lua.DecidePurchases.Decision;
import io.seckill.lua.DecidePurchases.Purchase;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The rules of a shard in plain Java, one step after the other, without any cleverness. Its log has
 * no times, its clock stands within every item's window.
 */
final class ShardModel {

  private static final int KEPT_RELEASED = 32;
  private static final int LET_IN_AT_ONCE = 64;
  private static final String REASON = "timeout";

  private final long epoch;
  private final Map<ItemId, Item> items = new LinkedHashMap<>();
  private final List<Win> wins = new ArrayList<>();
  private final List<LogEntry> log = new ArrayList<>();
  private long salesGeneration;
  private boolean stopped;

  static final class Item {
    final ItemDefinition definition;
    ItemState state;
    long generation;
    long move;
    long adds;
    long sent;
    long received;
    long granted;
    long stock;
    final Map<String, List<Entry>> receipts = new TreeMap<>();

    /** Those who wait, in their order. */
    final List<String> line = new ArrayList<>();

    Item(ItemDefinition definition) {
      this.definition = definition;
    }

    String group() {
      return definition.group() == null ? "" : definition.group().id();
    }

    int held(String user) {
      return receipts.getOrDefault(user, List.of()).stream()
          .filter(record -> record.held)
          .mapToInt(record -> record.quantity)
          .sum();
    }

    long held() {
      return receipts.keySet().stream().mapToLong(this::held).sum();
    }

    /** The latest win that is held, or null. */
    EntryId latestHeld(String user) {
      EntryId latest = null;
      for (Entry record : receipts.getOrDefault(user, List.of())) {
        latest = record.held ? record.entry : latest;
      }
      return latest;
    }

    /** The receipt as the script writes it; null without one. */
    String receipt(String user) {
      if (!receipts.containsKey(user)) {
        return null;
      }
      StringBuilder text = new StringBuilder().append(held(user));
      for (Entry record : receipts.get(user)) {
        text.append(';').append(record.key).append('|').append(record.body).append('|');
        text.append(record.entry).append('|').append(record.quantity).append('|');
        text.append(record.held ? 'h' : 'r');
      }
      return text.toString();
    }
  }

  static final class Entry {
    final String key;
    final String body;
    final EntryId entry;
    final int quantity;
    boolean held = true;

    Entry(Purchase purchase, EntryId entry, int quantity) {
      this.key = purchase.keyDigest();
      this.body = purchase.bodyDigest();
      this.entry = entry;
      this.quantity = quantity;
    }
  }

  /** A win that was ever made. */
  record Win(String user, EntryId entry, List<ItemId> items) {}

  ShardModel(long epoch) {
    this.epoch = epoch;
  }

  Map<ItemId, Item> items() {
    return items;
  }

  List<Win> wins() {
    return wins;
  }

  List<LogEntry> log() {
    return log;
  }

  long seq() {
    return log.size();
  }

  /** Entries of units of each item that is wanted and known. */
  Map<ItemId, Long> addsOf(List<Purchase> batch) {
    Map<ItemId, Long> adds = new TreeMap<>();
    for (Purchase purchase : batch) {
      for (PurchaseLine line : purchase.lines()) {
        Item item = items.get(line.item());
        if (item != null) {
          adds.put(line.item(), item.adds);
        }
      }
    }
    return adds;
  }

  /** Units that a user holds of a group, in this shard. */
  int heldOf(String group, String user) {
    return items.values().stream()
        .filter(item -> item.group().equals(group))
        .mapToInt(item -> item.held(user))
        .sum();
  }

  private EntryId nextPlace() {
    return new EntryId(epoch, log.size() + 1L);
  }

  private Item item(PurchaseLine line) {
    return items.get(line.item());
  }

  // Items and units

  StepResult.Status put(ItemDefinition definition, long generation, ItemState state) {
    Item item = items.computeIfAbsent(definition.id(), id -> new Item(definition));
    if (generation == item.generation) {
      return StepResult.Status.ALREADY;
    }
    if (generation < item.generation) {
      return StepResult.Status.STALE;
    }
    item.generation = generation;
    item.state = state;
    log.add(new LogEntry.ItemChanged(nextPlace(), 0, definition.id(), generation, state));
    return StepResult.Status.OK;
  }

  StepResult.Status move(Move move) {
    Item item = items.get(move.item());
    if (move.number() <= item.move) {
      return StepResult.Status.ALREADY;
    }
    if (move.number() > item.move + 1) {
      return StepResult.Status.GAP;
    }
    item.move = move.number();
    if (move.kind().isIn()) {
      log.add(new LogEntry.UnitsIn(nextPlace(), 0, move.item(), move.number(), move.units()));
      item.adds++;
      item.stock += move.units();
      if (move.kind() == Move.Kind.TRANSFER) {
        item.received += move.units();
      } else {
        item.granted += move.units();
      }
      letIn(item, LET_IN_AT_ONCE);
    } else {
      long units = Math.min(move.units(), item.stock);
      log.add(new LogEntry.UnitsOut(nextPlace(), 0, move.item(), move.number(), units));
      item.stock -= units;
      item.granted -= units;
    }
    return StepResult.Status.OK;
  }

  SendUnits.Result send(ItemId id, long wanted, int toShard, OptionalLong seenSent) {
    Item item = items.get(id);
    if (item.state == ItemState.ENDED) {
      return new SendUnits.NotSent(SendUnits.Reason.ENDED);
    }
    if (seenSent.isPresent() && seenSent.getAsLong() != item.sent) {
      return new SendUnits.NotSent(SendUnits.Reason.MOVED_ON);
    }
    if (item.stock == 0) {
      return new SendUnits.NotSent(SendUnits.Reason.EMPTY);
    }
    long units = Math.min(wanted, item.stock);
    EntryId place = nextPlace();
    log.add(new LogEntry.UnitsSent(place, 0, id, units, toShard));
    item.stock -= units;
    item.sent += units;
    return new SendUnits.Sent(place, units, item.stock, 0);
  }

  StepResult.Status switchSales(boolean stop, long generation) {
    if (generation == salesGeneration) {
      return StepResult.Status.ALREADY;
    }
    if (generation < salesGeneration) {
      return StepResult.Status.STALE;
    }
    log.add(new LogEntry.SalesSwitched(nextPlace(), 0, generation, stop));
    salesGeneration = generation;
    stopped = stop;
    return StepResult.Status.OK;
  }

  // Purchases

  Decision decide(Purchase purchase) {
    String user = purchase.user().value();
    EntryId earlier = null;
    for (PurchaseLine line : purchase.lines()) {
      boolean isAnother = false;
      EntryId same = null;
      for (Entry record : item(line).receipts.getOrDefault(user, List.of())) {
        boolean keyless = record.key.equals("-");
        if (record.key.equals(purchase.keyDigest()) && (record.held || !keyless)) {
          if (record.body.equals(purchase.bodyDigest())
              && record.quantity == line.quantity().value()) {
            same = record.entry;
          } else {
            isAnother = true;
          }
        }
      }
      if (same == null && isAnother) {
        return new Decision(PurchaseStatus.CONFLICT, null, 0);
      }
      earlier = same == null ? earlier : same;
    }
    if (earlier != null) {
      return new Decision(PurchaseStatus.REPLAY, earlier, 0);
    }
    for (PurchaseLine line : purchase.lines()) {
      if (item(line).state == ItemState.ENDED) {
        return new Decision(PurchaseStatus.ENDED, null, 0);
      }
      if (item(line).state == ItemState.PAUSED || stopped) {
        return new Decision(PurchaseStatus.PAUSED, null, 0);
      }
    }
    for (PurchaseLine line : purchase.lines()) {
      Item item = item(line);
      if (item.held(user) + line.quantity().value() > item.definition.limitPerUser()) {
        return new Decision(PurchaseStatus.LIMIT, item.latestHeld(user), 0);
      }
    }
    if (exceedsAGroup(purchase)) {
      EntryId held = null;
      for (PurchaseLine line : purchase.lines()) {
        held = held == null ? item(line).latestHeld(user) : held;
      }
      return new Decision(PurchaseStatus.LIMIT, held, 0);
    }
    for (PurchaseLine line : purchase.lines()) {
      if (!item(line).line.isEmpty()) {
        return new Decision(PurchaseStatus.LINE, null, 0);
      }
    }
    for (PurchaseLine line : purchase.lines()) {
      if (item(line).stock < line.quantity().value()) {
        return new Decision(PurchaseStatus.DRY, null, item(line).stock);
      }
    }
    return win(purchase);
  }

  private boolean exceedsAGroup(Purchase purchase) {
    for (PurchaseLine line : purchase.lines()) {
      Item item = item(line);
      if (!item.group().isEmpty()) {
        int wanted =
            purchase.lines().stream()
                .filter(other -> item(other).group().equals(item.group()))
                .mapToInt(other -> other.quantity().value())
                .sum();
        int held = heldOf(item.group(), purchase.user().value());
        if (held + wanted > item.definition.group().limitPerUser()) {
          return true;
        }
      }
    }
    return false;
  }

  private Decision win(Purchase purchase) {
    LogEntry.Win win = take(purchase);
    log.add(win);
    PurchaseLine last = purchase.lines().get(purchase.lines().size() - 1);
    return new Decision(PurchaseStatus.WIN, win.id(), item(last).stock);
  }

  /** Takes the units; the entry is the caller's to write. */
  private LogEntry.Win take(Purchase purchase) {
    EntryId entry = nextPlace();
    List<LogEntry.WinLine> told = new ArrayList<>();
    for (PurchaseLine line : purchase.lines()) {
      Item item = item(line);
      int quantity = line.quantity().value();
      item.stock -= quantity;
      item.receipts
          .computeIfAbsent(purchase.user().value(), u -> new ArrayList<>())
          .add(new Entry(purchase, entry, quantity));
      ItemDefinition definition = item.definition;
      told.add(
          new LogEntry.WinLine(
              line.item(),
              quantity,
              definition.priceMinor(),
              definition.currency(),
              item.generation,
              definition.limitPerUser(),
              definition.payWithinMs()));
    }
    wins.add(
        new Win(
            purchase.user().value(),
            entry,
            purchase.lines().stream().map(PurchaseLine::item).toList()));
    return new LogEntry.Win(
        entry, 0, purchase.user(), purchase.keyDigest(), purchase.bodyDigest(), told);
  }

  // Waiting

  JoinWaitlist.Result join(String user, ItemId id, long maxWaiters) {
    Item item = items.get(id);
    if (item.state == ItemState.ENDED) {
      return new JoinWaitlist.NotInLine(JoinWaitlist.Reason.ENDED);
    }
    if (item.line.contains(user)) {
      return new JoinWaitlist.InLine(0, item.line.size(), false);
    }
    if (item.state == ItemState.PAUSED || stopped) {
      return new JoinWaitlist.NotInLine(JoinWaitlist.Reason.PAUSED);
    }
    if (isAtLimit(item, user)) {
      return new JoinWaitlist.NotInLine(JoinWaitlist.Reason.LIMIT);
    }
    if (item.stock > 0 && item.line.isEmpty()) {
      return new JoinWaitlist.NotInLine(JoinWaitlist.Reason.STOCK);
    }
    if (item.line.size() >= maxWaiters) {
      return new JoinWaitlist.NotInLine(JoinWaitlist.Reason.FULL);
    }
    log.add(new LogEntry.Joined(nextPlace(), 0, id, new UserId(user)));
    item.line.add(user);
    return new JoinWaitlist.InLine(0, item.line.size(), true);
  }

  StepResult.Status leave(String user, ItemId id) {
    if (!items.get(id).line.remove(user)) {
      return StepResult.Status.ALREADY;
    }
    log.add(new LogEntry.Left(nextPlace(), 0, id, new UserId(user)));
    return StepResult.Status.OK;
  }

  PromoteWaiters.Result promote(ItemId id, int most) {
    Item item = items.get(id);
    long stock = item.stock;
    int waiters = item.line.size();
    if (letIn(item, most) == 0) {
      return new PromoteWaiters.NotPromoted(PromoteWaiters.Reason.IDLE);
    }
    long promoted = stock - item.stock;
    return new PromoteWaiters.Promoted(
        promoted, waiters - item.line.size() - promoted, item.stock, item.line.size());
  }

  private boolean isAtLimit(Item item, String user) {
    return item.held(user) >= item.definition.limitPerUser()
        || (!item.group().isEmpty()
            && heldOf(item.group(), user) >= item.definition.group().limitPerUser());
  }

  /** Units in stock go to the oldest waiters; tells how many left the line. */
  private int letIn(Item item, int most) {
    int gone = 0;
    while (item.state == ItemState.OPEN
        && !stopped
        && item.stock > 0
        && !item.line.isEmpty()
        && gone < most) {
      String user = item.line.remove(0);
      ItemId id = item.definition.id();
      gone++;
      if (isAtLimit(item, user)) {
        log.add(new LogEntry.Left(nextPlace(), 0, id, new UserId(user)));
      } else {
        log.add(new LogEntry.Promotion(take(TestShard.buy(user, null, id, 1))));
        item.adds++;
      }
    }
    return gone;
  }

  // Releases

  /** OK, ALREADY, or NOT_FOUND when the record has been dropped since. */
  StepResult.Status release(Win win) {
    for (ItemId id : win.items()) {
      Entry record = record(win, id);
      if (record == null) {
        return StepResult.Status.NOT_FOUND;
      }
      if (!record.held) {
        return StepResult.Status.ALREADY;
      }
    }
    EntryId place = nextPlace();
    List<LogEntry.ReleasedLine> told = new ArrayList<>();
    for (ItemId id : win.items()) {
      Item item = items.get(id);
      Entry record = record(win, id);
      record.held = false;
      boolean toStock = item.state != ItemState.ENDED;
      if (toStock) {
        item.stock += record.quantity;
        item.adds++;
      } else {
        item.granted -= record.quantity;
      }
      told.add(new LogEntry.ReleasedLine(id, record.quantity, toStock));
      List<Entry> records = item.receipts.get(win.user());
      while (records.stream().filter(kept -> !kept.held).count() > KEPT_RELEASED) {
        records.remove(records.stream().filter(kept -> !kept.held).findFirst().orElseThrow());
      }
    }
    log.add(new LogEntry.Release(place, 0, new UserId(win.user()), win.entry(), REASON, told));
    int most = LET_IN_AT_ONCE;
    for (LogEntry.ReleasedLine line : told) {
      most -= line.toStock() ? letIn(items.get(line.item()), most) : 0;
    }
    return StepResult.Status.OK;
  }

  private Entry record(Win win, ItemId id) {
    return items.get(id).receipts.getOrDefault(win.user(), List.of()).stream()
        .filter(record -> record.entry.equals(win.entry()))
        .findFirst()
        .orElse(null);
  }

  // Comparing

  /** The same entry without its time, as the model tells it. */
  static LogEntry timeless(LogEntry entry) {
    if (entry instanceof LogEntry.Win e) {
      return new LogEntry.Win(e.id(), 0, e.user(), e.keyDigest(), e.bodyDigest(), e.lines());
    } else if (entry instanceof LogEntry.Release e) {
      return new LogEntry.Release(e.id(), 0, e.user(), e.win(), e.reason(), e.lines());
    } else if (entry instanceof LogEntry.Promotion e) {
      return new LogEntry.Promotion((LogEntry.Win) timeless(e.win()));
    } else if (entry instanceof LogEntry.Joined e) {
      return new LogEntry.Joined(e.id(), 0, e.item(), e.user());
    } else if (entry instanceof LogEntry.Left e) {
      return new LogEntry.Left(e.id(), 0, e.item(), e.user());
    } else if (entry instanceof LogEntry.UnitsIn e) {
      return new LogEntry.UnitsIn(e.id(), 0, e.item(), e.move(), e.units());
    } else if (entry instanceof LogEntry.UnitsOut e) {
      return new LogEntry.UnitsOut(e.id(), 0, e.item(), e.move(), e.units());
    } else if (entry instanceof LogEntry.UnitsSent e) {
      return new LogEntry.UnitsSent(e.id(), 0, e.item(), e.units(), e.toShard());
    } else if (entry instanceof LogEntry.SalesSwitched e) {
      return new LogEntry.SalesSwitched(e.id(), 0, e.generation(), e.stopped());
    } else if (entry instanceof LogEntry.ItemChanged e) {
      return new LogEntry.ItemChanged(e.id(), 0, e.item(), e.generation(), e.state());
    }
    throw new IllegalArgumentException("no script writes " + entry);
  }
}
