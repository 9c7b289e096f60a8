package io.seckill.consumer.store;

import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.item.ItemState;
import io.seckill.common.item.Move;
import io.seckill.common.log.LogEntry;
import io.seckill.common.order.OrderStatus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a run of entries changes in MySQL, worked out before the first write. Pure; knows nothing of
 * the database. Rows come out sorted by key, so that two transactions lock in the same order.
 */
final class BatchPlan {

  /** The reason of orders that a closed epoch does not know. */
  static final String LOST = "LOST";

  /** No win in the run: nothing to hold against a limit. */
  private static final int NO_LIMIT = Integer.MAX_VALUE;

  private final List<OrderRow> orders = new ArrayList<>();
  private final JsonRows log = new JsonRows();
  private final List<Received> letters = new ArrayList<>();
  private final List<LogEntry.UnitsIn> movesIn = new ArrayList<>();
  private final List<LogEntry.UnitsOut> movesOut = new ArrayList<>();
  private final List<LogEntry.UnitsSent> sent = new ArrayList<>();
  private final List<ItemId> removed = new ArrayList<>();
  private final List<LogEntry.Release> releases = new ArrayList<>();
  private final TreeMap<HoldingKey, Holding> holdings = new TreeMap<>();
  private final TreeMap<HoldingKey, LogEntry> waits = new TreeMap<>();
  private final TreeMap<ItemId, ItemUnits> items = new TreeMap<>();
  private int lost;

  /** Whose units of what. */
  record HoldingKey(ItemId item, UserId user) implements Comparable<HoldingKey> {
    @Override
    public int compareTo(HoldingKey other) {
      int byItem = item.compareTo(other.item);
      return byItem != 0 ? byItem : user.compareTo(other.user);
    }
  }

  /**
   * A change of what a user holds.
   *
   * @param units more or, when negative, fewer
   * @param limit the limit of his last win in the run
   */
  record Holding(int units, int limit) {}

  /**
   * A change of an item's counters.
   *
   * @param held units held by orders
   * @param out units that left all shards or went off the grant
   * @param reserved those of them that are in the item's reserve now
   */
  record ItemUnits(long held, long out, long reserved) {

    /** Nothing, for an item whose row is only to be locked. */
    static final ItemUnits NONE = new ItemUnits(0, 0, 0);

    private ItemUnits plus(ItemUnits more) {
      return new ItemUnits(held + more.held, out + more.out, reserved + more.reserved);
    }
  }

  private BatchPlan() {}

  /**
   * Plans a run.
   *
   * @param fresh entries of one epoch that are not stored, in order
   * @param lastSeq what lies beyond it never happened; the largest number for an open epoch
   * @throws ArithmeticException when a price overflows
   * @throws RefusedException when an entry contradicts itself
   */
  static BatchPlan of(List<Received> fresh, long lastSeq) {
    BatchPlan plan = new BatchPlan();
    for (Received received : fresh) {
      boolean happened = received.place().seq() <= lastSeq;
      if (received.letter() != null) {
        plan.letters.add(received);
        received.letterEntry().filter(entry -> happened).ifPresent(plan::endWait);
      } else {
        plan.add(received.entry(), happened);
      }
    }
    return plan;
  }

  private void add(LogEntry entry, boolean happened) {
    if (entry instanceof LogEntry.Win win) {
      addWin(win, happened, false);
    } else if (entry instanceof LogEntry.Promotion promotion) {
      addWin(promotion.win(), happened, true);
      if (happened) {
        endWait(promotion);
      }
    } else if (entry instanceof LogEntry.Release release) {
      addRelease(release, happened);
    } else if (entry instanceof LogEntry.UnitsIn in) {
      addLog(in, "in", happened, LogRow.of(in.item(), in.units(), in.move()));
      if (happened) {
        movesIn.add(in);
      }
    } else if (entry instanceof LogEntry.UnitsOut out) {
      addLog(out, "out", happened, LogRow.of(out.item(), out.units(), out.move()));
      if (happened) {
        movesOut.add(out);
      }
    } else if (entry instanceof LogEntry.UnitsSent units) {
      addLog(units, "send", happened, LogRow.of(units.item(), units.units(), 0));
      if (happened) {
        sent.add(units);
      }
    } else if (entry instanceof LogEntry.SalesSwitched sales) {
      addLog(sales, "sales", happened, LogRow.OF_NO_ITEM);
    } else if (entry instanceof LogEntry.Joined joined) {
      addLog(joined, "join", happened, LogRow.of(joined.item(), joined.user()));
      if (happened) {
        waits.put(new HoldingKey(joined.item(), joined.user()), joined);
      }
    } else if (entry instanceof LogEntry.Left left) {
      addLog(left, "leave", happened, LogRow.of(left.item(), left.user()));
      if (happened) {
        endWait(left);
      }
    } else if (entry instanceof LogEntry.ItemChanged change) {
      addLog(change, "state", happened, LogRow.of(change.item(), 0, 0));
      if (happened && change.state() == ItemState.ARCHIVED) {
        removed.add(change.item());
      }
    } else {
      // A new kind that nobody stores must not pass for stored.
      throw new IllegalStateException("no way to store " + entry.getClass().getSimpleName());
    }
  }

  private void addWin(LogEntry.Win win, boolean happened, boolean promoted) {
    long total = 0;
    int quantity = 0;
    long payWithinMs = Long.MAX_VALUE;
    String currency = win.lines().get(0).currency();
    for (LogEntry.WinLine line : win.lines()) {
      if (!line.currency().equals(currency)) {
        throw new RefusedException("CURRENCY", "the lines of a win have several currencies");
      }
      total = Math.addExact(total, Math.multiplyExact(line.priceMinor(), (long) line.quantity()));
      quantity = Math.addExact(quantity, line.quantity());
      payWithinMs = Math.min(payWithinMs, line.payWithinMs());
      if (happened) {
        hold(
            new HoldingKey(line.item(), win.user()),
            new Holding(line.quantity(), line.limitPerUser()));
        count(line.item(), new ItemUnits(line.quantity(), 0, 0));
      }
    }
    lost += happened ? 0 : 1;
    orders.add(
        new OrderRow(
            win,
            happened ? OrderStatus.PENDING_PAYMENT : OrderStatus.FAILED,
            happened ? "" : LOST,
            happened ? quantity : 0,
            quantity,
            total,
            currency,
            payWithinMs,
            promoted));
  }

  /** Also of a dead letter: in Redis he waits no longer. */
  private void endWait(LogEntry entry) {
    if (entry instanceof LogEntry.Left left) {
      waits.put(new HoldingKey(left.item(), left.user()), left);
    } else if (entry instanceof LogEntry.Promotion promotion) {
      LogEntry.Win win = promotion.win();
      win.lines().forEach(line -> waits.put(new HoldingKey(line.item(), win.user()), promotion));
    }
  }

  private void addRelease(LogEntry.Release release, boolean happened) {
    JsonArray told = new JsonArray();
    long units = 0;
    for (LogEntry.ReleasedLine line : release.lines()) {
      told.add(
          new JsonArray().add(line.item().value()).add(line.units()).add(line.toStock() ? 1 : 0));
      units += line.units();
    }
    String payload = new JsonObject().put("reason", release.reason()).put("lines", told).encode();
    log.row()
        .add(release.id().seq())
        .add("rel")
        .add(happened ? 1 : 0)
        .add(0)
        .add(units)
        .add(0)
        .add(release.user().value())
        .add(release.win().epoch())
        .add(release.win().seq())
        .add(release.atMs())
        .add(payload)
        .end();
    if (happened) {
      releases.add(release);
    }
  }

  private record LogRow(long item, long units, long move, String user) {

    static final LogRow OF_NO_ITEM = new LogRow(0, 0, 0, "");

    static LogRow of(ItemId item, long units, long move) {
      return new LogRow(item.value(), units, move, "");
    }

    static LogRow of(ItemId item, UserId user) {
      return new LogRow(item.value(), 0, 0, user.value());
    }
  }

  private void addLog(LogEntry entry, String kind, boolean happened, LogRow row) {
    JsonObject payload = new JsonObject();
    if (entry instanceof LogEntry.ItemChanged change) {
      payload.put("generation", change.generation()).put("state", change.state().name());
    } else if (entry instanceof LogEntry.UnitsSent units) {
      payload.put("toShard", units.toShard());
    } else if (entry instanceof LogEntry.SalesSwitched sales) {
      payload.put("generation", sales.generation()).put("stopped", sales.stopped());
    }
    log.row()
        .add(entry.id().seq())
        .add(kind)
        .add(happened ? 1 : 0)
        .add(row.item())
        .add(row.units())
        .add(row.move())
        .add(row.user())
        .add(0)
        .add(0)
        .add(entry.atMs())
        .add(payload.encode())
        .end();
  }

  /** Takes a release that was held against its order into the sums. */
  void settle(LogEntry.Release release) {
    for (LogEntry.ReleasedLine line : release.lines()) {
      hold(new HoldingKey(line.item(), release.user()), new Holding(-line.units(), NO_LIMIT));
      count(line.item(), new ItemUnits(-line.units(), line.toStock() ? 0 : line.units(), 0));
    }
  }

  /** Takes a release of a dead letter into the sums: nothing was counted as held for it. */
  void settleLetter(LogEntry.Release release) {
    for (LogEntry.ReleasedLine line : release.lines()) {
      count(line.item(), new ItemUnits(0, line.toStock() ? 0 : line.units(), 0));
    }
  }

  /** Takes a move out that was found in the ledger into the sums. */
  void settle(LogEntry.UnitsOut out, Move.Kind kind) {
    long reserved = kind == Move.Kind.HOLD_BACK ? out.units() : 0;
    count(out.item(), new ItemUnits(0, out.units(), reserved));
  }

  private void hold(HoldingKey key, Holding change) {
    holdings.merge(
        key,
        change,
        (old, add) ->
            new Holding(
                Math.addExact(old.units(), add.units()),
                add.limit() == NO_LIMIT ? old.limit() : add.limit()));
  }

  private void count(ItemId item, ItemUnits change) {
    items.merge(item, change, ItemUnits::plus);
  }

  List<OrderRow> orders() {
    return orders;
  }

  JsonRows log() {
    return log;
  }

  List<Received> letters() {
    return letters;
  }

  List<LogEntry.UnitsIn> movesIn() {
    return movesIn;
  }

  List<LogEntry.UnitsOut> movesOut() {
    return movesOut;
  }

  /** Units sent to other shards. */
  List<LogEntry.UnitsSent> sent() {
    return sent;
  }

  /** Items that the shard has forgotten. */
  List<ItemId> removed() {
    return removed;
  }

  List<LogEntry.Release> releases() {
    return releases;
  }

  /** Who waits after the run and did not before: rows [item, user, seq, ms of joining]. */
  JsonRows joined() {
    JsonRows rows = new JsonRows();
    waits.forEach(
        (key, last) -> {
          if (last instanceof LogEntry.Joined) {
            rows.row()
                .add(key.item().value())
                .add(key.user().value())
                .add(last.id().seq())
                .add(last.atMs())
                .end();
          }
        });
    return rows;
  }

  /** Who does not wait after the run: rows [item, user, seq of the entry that ended it]. */
  JsonRows left() {
    JsonRows rows = new JsonRows();
    waits.forEach(
        (key, last) -> {
          if (!(last instanceof LogEntry.Joined)) {
            rows.row().add(key.item().value()).add(key.user().value()).add(last.id().seq()).end();
          }
        });
    return rows;
  }

  /** Orders among the plan's that are FAILED(LOST). */
  int lost() {
    return lost;
  }

  /** The changes of holdings as rows [item, user, units, limit], without those that cancel out. */
  JsonRows holdings() {
    JsonRows rows = new JsonRows();
    holdings.forEach(
        (key, change) -> {
          if (change.units() != 0) {
            rows.row()
                .add(key.item().value())
                .add(key.user().value())
                .add(change.units())
                .add(change.limit())
                .end();
          }
        });
    return rows;
  }

  /**
   * Whether every change of a holding is within its limit and above 0 when the user held nothing
   * before.
   */
  boolean fitsFromNothing() {
    return holdings.values().stream()
        .allMatch(change -> change.units() >= 0 && change.units() <= change.limit());
  }

  /** The changes of items' counters, by item id, without those that cancel out. */
  Map<ItemId, ItemUnits> items() {
    TreeMap<ItemId, ItemUnits> changed = new TreeMap<>(items);
    changed.values().removeIf(ItemUnits.NONE::equals);
    return changed;
  }
}
