package io.seckill.consumer.store;

import static io.seckill.consumer.db.Database.run;

import io.seckill.common.bus.OrderEvent;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.ShardRef;
import io.seckill.common.id.UserId;
import io.seckill.common.id.WinId;
import io.seckill.common.item.Move;
import io.seckill.common.log.LogEntry;
import io.seckill.common.order.LetterState;
import io.seckill.common.order.OrderStatus;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Sql;
import io.seckill.consumer.db.Tuples;
import io.seckill.consumer.notify.OrderNews;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Writes a run of log entries in one transaction, once. Immutable, fit for all event loops.
 *
 * <p>The order of locks is the same for all writers: the shard's row in share mode (so closing an
 * epoch waits), then rows that only this shard has, then holdings by key, and the items' counters
 * last, because those rows are hot.
 *
 * <p>Entries of a shard are stored in the order of its log: a run waits until the entry before it
 * is stored. So every guard judges exactly the state that the log describes, and a refusal is never
 * an accident of timing.
 */
public final class BatchStore {

  private final Database database;
  private final OrderNews news;

  /**
   * Makes the store.
   *
   * @param news tells of orders that are new
   */
  public BatchStore(Database database, OrderNews news) {
    this.database = database;
    this.news = news;
  }

  /**
   * Stores a run: all of it, or nothing.
   *
   * @param shard whose log
   * @param run 1 or more entries of one epoch whose numbers follow each other without a gap; or one
   *     entry without a place
   * @return what became of it; fails with {@link RefusedException} when a guard says no, and as the
   *     client fails otherwise. After any failure but a refusal the outcome is open, and storing it
   *     again is safe
   */
  Future<Outcome> store(ShardRef shard, List<Received> run) {
    if (run.get(0).place() == null) {
      return database.inTransaction(
          connection ->
              new Work(connection, shard, run).storeForeign().map(stored -> (Outcome) stored));
    }
    return database
        .inTransaction(
            connection -> {
              Work work = new Work(connection, shard, run);
              return work.store().map(outcome -> new OrderNews.Told<>(outcome, work.events));
            })
        .map(
            told -> {
              news.publish(told.events());
              return told.result();
            });
  }

  /**
   * Whether an entry could be stored, wherever it stands: its transaction is rolled back. A guard
   * that says no is an answer as well.
   *
   * @return fails when that is not known
   */
  Future<Boolean> canStore(ShardRef shard, Received entry) {
    return database
        .<Boolean>inTransaction(
            connection ->
                storeAgain(connection, shard, entry)
                    .compose(done -> Future.failedFuture(new TriedException())))
        .recover(
            failure ->
                failure instanceof TriedException || failure instanceof RefusedException
                    ? Future.succeededFuture(true)
                    : Future.failedFuture(failure));
  }

  /** Ends a transaction that was only to be tried. */
  private static final class TriedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    TriedException() {
      super("tried", null, false, false);
    }
  }

  /**
   * Stores what a dead letter says, past the same guards as the first time, and ends the letter.
   *
   * @param connection in a transaction that repeats
   * @return what is to be published after the commit; fails as {@link #store} does
   */
  Future<List<OrderEvent>> storeAgain(SqlConnection connection, ShardRef shard, Received entry) {
    Work work = new Work(connection, shard, List.of(entry));
    return work.storeAgain().map(done -> work.events);
  }

  /**
   * The entries that have to come before an entry and are not stored: from the first after the
   * highest stored one of the epoch, to the entry itself.
   *
   * @return the first missing number in the epoch of {@code last}
   */
  public Future<Long> firstMissing(ShardRef shard, EntryId last) {
    Tuple key = Tuple.of(shard.region(), shard.shard(), last.epoch(), last.seq());
    return database
        .query(Sql.FIND_HIGHEST_STORED, Tuples.repeat(key, 3))
        .map(rows -> rows.iterator().next().getLong(0) + 1);
  }

  /**
   * Entries of one epoch that are not stored.
   *
   * @param first the first of them
   * @param last the last number that the epoch gave out
   */
  public record Gap(EntryId first, EntryId last) {}

  /**
   * The oldest entries of a shard that are not stored: of a closed epoch up to its end, or of the
   * open one up to its head.
   *
   * @param head the last entry of the open epoch; its number is 0 before the first
   */
  public Future<Optional<Gap>> firstGap(ShardRef shard, EntryId head) {
    return database
        .query(Sql.FIND_TAILS, Tuple.of(shard.region(), shard.shard(), head.epoch()))
        .compose(
            tails -> {
              if (tails.size() > 0) {
                Row tail = tails.iterator().next();
                long epoch = tail.getLong(0);
                return Future.succeededFuture(
                    Optional.of(
                        new Gap(
                            new EntryId(epoch, tail.getLong(2) + 1),
                            new EntryId(epoch, tail.getLong(1)))));
              }
              return firstMissing(shard, head)
                  .map(
                      first ->
                          first > head.seq()
                              ? Optional.empty()
                              : Optional.of(new Gap(new EntryId(head.epoch(), first), head)));
            });
  }

  /** One transaction. */
  private final class Work {

    private final SqlConnection connection;
    private final ShardRef shard;
    private final List<Received> run;
    private final long epoch;
    private final long firstSeq;

    private EpochEnd end;
    private List<Received> fresh = List.of();
    private BatchPlan plan;
    private final List<OrderEvent> events = new ArrayList<>();
    private int repeated;

    Work(SqlConnection connection, ShardRef shard, List<Received> run) {
      this.connection = connection;
      this.shard = shard;
      this.run = run;
      EntryId first = run.get(0).place();
      this.epoch = first == null ? 0 : first.epoch();
      this.firstSeq = first == null ? 0 : first.seq();
    }

    Future<Outcome> store() {
      return lockShard()
          .compose(done -> readStored(epoch, firstSeq - 1, firstSeq + run.size() - 1))
          .compose(this::storeFresh);
    }

    /** What a letter says, past the same guards as the first time; the letter ends as STORED. */
    Future<Void> storeAgain() {
      return lockShard()
          .compose(
              done -> {
                fresh = run;
                plan = BatchPlan.of(fresh, end.lastSeq());
                return writeAll();
              });
    }

    Future<Outcome.Stored> storeForeign() {
      Received foreign = run.get(0);
      return lockShard()
          .compose(
              done ->
                  run(
                      connection,
                      Sql.FIND_DEAD_LETTER,
                      key().addString(foreign.epochText()).addString(foreign.seqText())))
          .compose(
              found ->
                  found.size() > 0
                      ? Future.succeededFuture(new Outcome.Stored(0, 0, 0, 1))
                      : insertLetter(foreign).map(new Outcome.Stored(0, 0, 1, 0)));
    }

    private Future<Outcome> storeFresh(Set<Long> stored) {
      fresh = new ArrayList<>(run.size());
      for (Received received : run) {
        if (!stored.contains(received.place().seq())) {
          fresh.add(received);
        }
      }
      repeated = run.size() - fresh.size();
      if (fresh.isEmpty()) {
        return Future.succeededFuture(new Outcome.Stored(0, 0, 0, repeated));
      }
      return missingBefore(fresh.get(0).place(), stored)
          .compose(
              missing -> {
                if (missing != null) {
                  return Future.succeededFuture(new Outcome.Early(missing));
                }
                plan = BatchPlan.of(fresh, end.lastSeq());
                return writeAll()
                    .map(
                        done ->
                            new Outcome.Stored(
                                plan.orders().size(),
                                plan.lost(),
                                plan.letters().size(),
                                repeated));
              });
    }

    private Future<Void> writeAll() {
      return new NewOrders(connection, shard, epoch)
          .insert(plan.orders())
          .compose(done -> insert(Sql.INSERT_SHARD_LOG, plan.log()))
          .compose(done -> closeLetters())
          .compose(done -> each(plan.letters(), this::insertLetter))
          .compose(done -> each(plan.movesIn(), this::applyMove))
          .compose(done -> each(plan.movesOut(), this::settleMove))
          .compose(done -> each(plan.removed(), this::noteRemoved))
          .compose(done -> changeWaitlist())
          .compose(done -> release())
          .compose(done -> tell())
          .compose(done -> addHoldings())
          .compose(done -> new Transfers(connection, shard).missing(plan.sent()))
          .compose(this::changeItems);
    }

    /** What was new comes before what ended. */
    private Future<Void> tell() {
      List<OrderEvent> stored = new ArrayList<>(plan.orders().size());
      for (OrderRow order : plan.orders()) {
        LogEntry.Win win = order.win();
        stored.add(event(win.id(), win.user(), order.status(), order.reason(), order.promoted()));
      }
      events.addAll(0, stored);
      return news.write(connection, events);
    }

    private OrderEvent event(
        EntryId win, UserId user, OrderStatus status, String reason, boolean promoted) {
      return news.event(new WinId(shard, win), user, status, reason, promoted);
    }

    private Future<Void> lockShard() {
      return EpochEnd.lock(connection, shard, epoch)
          .map(
              known -> {
                end = known;
                return null;
              });
    }

    private Future<Set<Long>> readStored(long inEpoch, long from, long to) {
      Tuple range = key().addLong(inEpoch).addLong(from).addLong(to);
      return run(connection, Sql.FIND_STORED, Tuples.repeat(range, 3))
          .map(
              rows -> {
                Set<Long> stored = new HashSet<>(rows.size() * 2);
                for (Row row : rows) {
                  stored.add(row.getLong(0));
                }
                return stored;
              });
    }

    /** The entry that has to be stored before this one and is not, else null. */
    private Future<EntryId> missingBefore(EntryId first, Set<Long> stored) {
      boolean neverHappened = !end.knows(first.seq());
      boolean inRun = first.seq() > firstSeq;
      if (neverHappened || inRun) {
        return Future.succeededFuture();
      }
      if (first.seq() > 1) {
        return Future.succeededFuture(
            stored.contains(first.seq() - 1) ? null : new EntryId(epoch, first.seq() - 1));
      }
      EntryId previous = end.previous();
      if (previous == null) {
        return Future.succeededFuture();
      }
      return readStored(previous.epoch(), previous.seq(), previous.seq())
          .map(found -> found.isEmpty() ? previous : null);
    }

    private Future<Void> insert(Sql statement, JsonRows rows) {
      if (rows.isEmpty()) {
        return Future.succeededFuture();
      }
      return run(connection, statement, key().addLong(epoch).addString(rows.json()))
          .compose(
              inserted ->
                  inserted.rowCount() == rows.rows()
                      ? Future.succeededFuture()
                      : Future.failedFuture(
                          new IllegalStateException(
                              statement + " wrote " + inserted.rowCount() + " rows")));
    }

    /**
     * Another consumer may have given up what is being stored here, since this transaction looked:
     * it was in vain. A letter that was settled meanwhile stands, and this transaction fails.
     */
    private Future<Void> closeLetters() {
      Tuple range = key().addLong(epoch).addLong(firstSeq).addLong(firstSeq + run.size() - 1);
      return run(connection, Sql.FIND_LETTERS_IN, range)
          .compose(
              found -> {
                Future<Void> chain = Future.succeededFuture();
                for (Row letter : found) {
                  if (isBeingStored(letter.getLong(0))) {
                    chain = chain.compose(done -> closeAsStored(letter));
                  }
                }
                return chain;
              });
    }

    private boolean isBeingStored(long seq) {
      return fresh.stream()
          .anyMatch(received -> received.letter() == null && received.place().seq() == seq);
    }

    private Future<Void> closeAsStored(Row letter) {
      Tuple end =
          Tuple.of(LetterState.STORED.name(), letter.getString(2), letter.getString(3))
              .addInteger(shard.region())
              .addInteger(shard.shard())
              .addLong(epoch)
              .addLong(letter.getLong(0));
      return run(connection, Sql.END_LETTER, end)
          .compose(
              closed ->
                  closed.rowCount() == 1
                      ? Future.succeededFuture()
                      : Future.failedFuture(new StoredMeanwhileException(shard)));
    }

    private Future<Void> insertLetter(Received received) {
      LetterState state;
      if (received.place() == null) {
        state = LetterState.FOREIGN;
      } else {
        state = end.knows(received.place().seq()) ? LetterState.OPEN : LetterState.LOST;
      }
      return run(
              connection,
              Sql.INSERT_DEAD_LETTERS,
              key()
                  .addString(received.epochText())
                  .addString(received.seqText())
                  .addString(received.letter().reason())
                  .addString(received.letter().detail())
                  .addString(received.letter().payload())
                  .addString(received.letterUser())
                  .addString(state.name()))
          .compose(
              done ->
                  received.place() == null
                      ? Future.succeededFuture()
                      : notStored(received.place().seq()));
    }

    /** Whoever is storing the same number this moment comes first. */
    private Future<Void> notStored(long seq) {
      return run(connection, Sql.LOCK_STORED_ORDER, key().addLong(epoch).addLong(seq))
          .compose(
              orders ->
                  orders.size() > 0
                      ? Future.succeededFuture(orders)
                      : run(connection, Sql.LOCK_STORED_ENTRY, key().addLong(epoch).addLong(seq)))
          .compose(
              stored ->
                  stored.size() == 0
                      ? Future.succeededFuture()
                      : Future.failedFuture(new StoredMeanwhileException(shard)));
    }

    private Future<Void> applyMove(LogEntry.UnitsIn in) {
      Tuple arguments =
          Tuple.of(in.id().epoch(), in.id().seq(), in.item().value(), shard.region(), shard.shard())
              .addLong(in.move())
              .addLong(in.units());
      return run(connection, Sql.APPLY_MOVE, arguments)
          .compose(updated -> updated.rowCount() == 1 ? Future.succeededFuture() : noSuchMove());
    }

    /** What really went out may be less than what was to go. */
    private Future<Void> settleMove(LogEntry.UnitsOut out) {
      Tuple move = Tuple.of(out.item().value(), shard.region(), shard.shard(), out.move());
      return run(connection, Sql.FIND_MOVE_OUT, move)
          .compose(
              found -> {
                if (found.size() == 0) {
                  return noSuchMove();
                }
                plan.settle(out, Move.Kind.valueOf(found.iterator().next().getString(0)));
                Tuple arguments =
                    Tuple.of(out.units(), out.id().epoch(), out.id().seq(), out.item().value())
                        .addInteger(shard.region())
                        .addInteger(shard.shard())
                        .addLong(out.move())
                        .addLong(out.units());
                return run(connection, Sql.SETTLE_MOVE_OUT, arguments)
                    .compose(
                        updated ->
                            updated.rowCount() == 1 ? Future.succeededFuture() : noSuchMove());
              });
    }

    private static Future<Void> noSuchMove() {
      return Future.failedFuture(
          new RefusedException("MOVE", "the ledger has no such move that waits for its entry"));
    }

    private Future<Void> noteRemoved(ItemId item) {
      return run(
              connection,
              Sql.INSERT_REMOVED_ITEM,
              Tuple.of(shard.region(), item.value(), shard.shard()))
          .mapEmpty();
    }

    private Future<Void> changeWaitlist() {
      JsonRows left = plan.left();
      JsonRows joined = plan.joined();
      Tuple leaving =
          Tuple.of(left.json(), shard.region(), shard.shard()).addLong(epoch).addLong(epoch);
      return (left.isEmpty()
              ? Future.<Void>succeededFuture()
              : run(connection, Sql.DELETE_WAITERS, leaving).<Void>mapEmpty())
          .compose(
              done ->
                  joined.isEmpty()
                      ? Future.succeededFuture()
                      : run(
                              connection,
                              Sql.INSERT_WAITERS,
                              key().addLong(epoch).addString(joined.json()))
                          .mapEmpty());
    }

    private Future<Void> release() {
      if (plan.releases().isEmpty()) {
        return Future.succeededFuture();
      }
      JsonRows wins = new JsonRows();
      for (LogEntry.Release release : plan.releases()) {
        wins.row().add(release.win().epoch()).add(release.win().seq()).end();
      }
      return run(
              connection,
              Sql.FIND_RELEASED_ORDERS,
              Tuple.of(wins.json(), shard.region(), shard.shard()))
          .compose(
              rows -> {
                Map<EntryId, WonOrder> orders = new HashMap<>();
                for (Row row : rows) {
                  orders
                      .computeIfAbsent(
                          new EntryId(row.getLong(0), row.getLong(1)),
                          place ->
                              new WonOrder(
                                  row.getString(2),
                                  row.getString(5).equals(OrderStatus.PENDING_PAYMENT.name()),
                                  row.getInteger(6) == 1,
                                  new TreeMap<>()))
                      .lines()
                      .put(new ItemId(row.getLong(3)), row.getInteger(4));
                }
                return releaseOrders(orders)
                    .compose(
                        done ->
                            each(
                                plan.releases().stream()
                                    .filter(release -> !orders.containsKey(release.win()))
                                    .toList(),
                                this::releaseLetter));
              });
    }

    /** An order as a release finds it. */
    private record WonOrder(
        String user, boolean waited, boolean promoted, TreeMap<ItemId, Integer> lines) {

      boolean isWhatIsReleasedBy(LogEntry.Release release) {
        TreeMap<ItemId, Integer> told = new TreeMap<>();
        release.lines().forEach(line -> told.merge(line.item(), line.units(), Integer::sum));
        return user.equals(release.user().value()) && lines.equals(told);
      }
    }

    /** All at once: thousands of orders may end in the same second. */
    private Future<Void> releaseOrders(Map<EntryId, WonOrder> orders) {
      JsonRows rows = new JsonRows();
      for (LogEntry.Release release : plan.releases()) {
        WonOrder order = orders.get(release.win());
        if (order == null) {
          continue;
        }
        if (!order.isWhatIsReleasedBy(release)) {
          return Future.failedFuture(
              new RefusedException("RELEASE", "the release says other units than its order"));
        }
        rows.row().add(release.win().epoch()).add(release.win().seq()).add(release.reason()).end();
      }
      if (rows.isEmpty()) {
        return Future.succeededFuture();
      }
      Tuple arguments = Tuple.of(rows.json(), shard.region(), shard.shard());
      return run(connection, Sql.RELEASE_ORDERS, arguments)
          .compose(
              updated -> {
                if (updated.rowCount() != rows.rows()) {
                  return Future.failedFuture(
                      new RefusedException("RELEASE", "the order holds nothing any more"));
                }
                plan.releases().stream()
                    .filter(release -> orders.containsKey(release.win()))
                    .forEach(release -> settle(release, orders.get(release.win())));
                return run(connection, Sql.FINISH_RELEASES, arguments);
              })
          .mapEmpty();
    }

    /** Nobody had ended an order that still waited for its money: its release did. */
    private void settle(LogEntry.Release release, WonOrder order) {
      plan.settle(release);
      if (order.waited()) {
        events.add(
            event(
                release.win(),
                release.user(),
                OrderStatus.CANCELLED,
                release.reason(),
                order.promoted()));
      }
    }

    /**
     * A win that became a dead letter is released like an order, and closes the letter. A letter
     * whose content is gone learns from the release what it had won: the sums of the shard need
     * both.
     */
    private Future<Void> releaseLetter(LogEntry.Release release) {
      Tuple place = key().addLong(release.win().epoch()).addLong(release.win().seq());
      return run(connection, Sql.FIND_LETTER, place)
          .compose(
              letters -> {
                if (letters.size() == 0) {
                  return nothingToRelease();
                }
                Row letter = letters.iterator().next();
                String payload =
                    DeadWins.winOf(letter)
                        .map(win -> letter.getString(3))
                        .orElseGet(() -> DeadWins.payloadOf(release));
                Tuple close = Tuple.of(payload, release.user().value());
                for (int i = 0; i < place.size(); i++) {
                  close.addValue(place.getValue(i));
                }
                boolean isSettled =
                    LetterState.valueOf(letter.getString(2)) == LetterState.SETTLING;
                return run(connection, Sql.CLOSE_DEAD_LETTER, close)
                    .compose(
                        closed -> {
                          if (closed.rowCount() != 1) {
                            return nothingToRelease();
                          }
                          plan.settleLetter(release);
                          return isSettled
                              ? run(connection, Sql.FINISH_OUTBOX, place).<Void>mapEmpty()
                              : bury(release, payload, letter.getString(4));
                        });
              });
    }

    /** Nobody had settled it: then its order ends here. */
    private Future<Void> bury(LogEntry.Release release, String payload, String reason) {
      LogEntry entry = DeadWins.entryOf(release.win().toString(), payload).orElseThrow();
      events.add(
          event(
              release.win(),
              release.user(),
              OrderStatus.FAILED,
              reason,
              entry instanceof LogEntry.Promotion));
      return Tombstone.write(connection, shard, entry, reason);
    }

    private static Future<Void> nothingToRelease() {
      return Future.failedFuture(new RefusedException("RELEASE", "there is no order to release"));
    }

    private Future<Void> addHoldings() {
      JsonRows rows = plan.holdings();
      if (rows.isEmpty()) {
        return Future.succeededFuture();
      }
      return run(connection, Sql.ADD_HOLDINGS, Tuple.of(rows.json()))
          .compose(
              written -> {
                // One affected row for each key: all were new. Two for a key that was there.
                boolean allNew = written.rowCount() == rows.rows();
                return allNew && plan.fitsFromNothing()
                    ? Future.succeededFuture()
                    : checkHoldings(rows);
              });
    }

    private Future<Void> checkHoldings(JsonRows rows) {
      return run(connection, Sql.FIND_WRONG_HOLDINGS, Tuple.of(rows.json()))
          .compose(
              wrong -> {
                if (wrong.size() == 0) {
                  return Future.succeededFuture();
                }
                Row first = wrong.iterator().next();
                return Future.failedFuture(
                    new RefusedException(
                        "LIMIT",
                        "user "
                            + first.getString(1)
                            + " would hold "
                            + first.getInteger(2)
                            + " units of item "
                            + first.getLong(0)));
              });
    }

    /**
     * Every change of an item's row, by item id: the numbers of moves to other shards are given
     * under its lock.
     */
    private Future<Void> changeItems(List<LogEntry.UnitsSent> unstored) {
      TreeMap<ItemId, BatchPlan.ItemUnits> changes = new TreeMap<>(plan.items());
      unstored.forEach(sent -> changes.putIfAbsent(sent.item(), BatchPlan.ItemUnits.NONE));
      Transfers transfers = new Transfers(connection, shard);
      return each(
          List.copyOf(changes.entrySet()),
          change ->
              each(
                      unstored.stream()
                          .filter(sent -> sent.item().equals(change.getKey()))
                          .toList(),
                      sent -> transfers.store(sent).mapEmpty())
                  .compose(done -> addItemUnits(change.getKey(), change.getValue())));
    }

    private Future<Void> addItemUnits(ItemId item, BatchPlan.ItemUnits change) {
      if (change.equals(BatchPlan.ItemUnits.NONE)) {
        return Future.succeededFuture();
      }
      return run(connection, Sql.ADD_ITEM_UNITS, unitsOf(item, change))
          .compose(
              updated ->
                  updated.rowCount() == 1
                      ? Future.succeededFuture(updated)
                      : addInTransit(item, change))
          .compose(
              updated ->
                  updated.rowCount() == 1
                      ? Future.succeededFuture()
                      : Future.failedFuture(
                          new RefusedException(
                              "GRANT",
                              "item "
                                  + item
                                  + " is unknown, or orders would hold more of it than moves"
                                  + " brought in")));
    }

    /** Rare, and the sum costs: so only when the item's own row says no. */
    private Future<RowSet<Row>> addInTransit(ItemId item, BatchPlan.ItemUnits change) {
      return run(
          connection,
          Sql.ADD_ITEM_UNITS_IN_TRANSIT,
          unitsOf(item, change).addInteger(shard.region()));
    }

    private static Tuple unitsOf(ItemId item, BatchPlan.ItemUnits change) {
      long held = change.held();
      long out = change.out();
      return Tuple.of(held, out, change.reserved(), item.value(), held, held).addLong(out);
    }

    private Tuple key() {
      return Tuple.of(shard.region(), shard.shard());
    }

    /** One after the other; lists here are short: letters, moves, releases, items of one run. */
    private static <T> Future<Void> each(List<T> list, Function<T, Future<Void>> step) {
      Future<Void> chain = Future.succeededFuture();
      for (T element : list) {
        chain = chain.compose(done -> step.apply(element));
      }
      return chain;
    }
  }
}
