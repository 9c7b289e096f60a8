package io.seckill.consumer.store;

import static io.seckill.consumer.Refusals.refuse;
import static io.seckill.consumer.db.Database.run;

import io.seckill.common.bus.OrderEvent;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.LetterId;
import io.seckill.common.id.ShardRef;
import io.seckill.common.id.WinId;
import io.seckill.common.log.LogEntry;
import io.seckill.common.order.LetterState;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Sql;
import io.seckill.consumer.db.SqlFailures;
import io.seckill.consumer.db.Tuples;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads dead letters and ends them.
 *
 * <p>An open letter ends in one of three ways, and each is one transaction: its entry is stored
 * after all, by an operator or by whoever was late; it is settled, which leaves a {@link Tombstone}
 * under its name and a release in the outbox; or it told no win, and is only closed. Whoever comes
 * second meets a key that is there, or a state that is no longer OPEN. Locks are taken in this
 * order: the shard's row in share mode, orders, items, outbox, letters. Immutable, fit for all
 * event loops.
 */
public final class LetterLedger {

  private static final long ANY_EPOCH = 0;

  private final Database database;
  private final BatchStore store;

  /**
   * Makes the ledger.
   *
   * @param store stores what is retried
   */
  public LetterLedger(Database database, BatchStore store) {
    this.database = database;
    this.store = store;
  }

  /**
   * A letter as it stands.
   *
   * @param id its name
   * @param state where it stands
   * @param letter why, and what it says
   * @param openedAtMs MySQL's clock
   * @param closedAtMs MySQL's clock when its state was last changed, 0 while it is open
   */
  public record Filed(
      LetterId id, LetterState state, Letter letter, long openedAtMs, long closedAtMs) {

    /** What its entry says; empty when nobody can read it, or no script of ours wrote it. */
    public Optional<LogEntry> entry() {
      return state == LetterState.FOREIGN
          ? Optional.empty()
          : id.place().flatMap(win -> DeadWins.entryOf(win.entry().toString(), letter.payload()));
    }

    /** The user of its win; empty when it tells none. */
    private String user() {
      return entry().flatMap(LogEntry::taken).map(win -> win.user().value()).orElse("");
    }

    /** Where it stands; only what no script of ours wrote has none, and that is never open. */
    private WinId name() {
      return id.place().orElseThrow();
    }

    private Filed saying(String payload) {
      return new Filed(
          id, state, new Letter(letter.reason(), letter.detail(), payload), openedAtMs, closedAtMs);
    }
  }

  /** A page, by name; {@code state} and {@code after} may be null. */
  public Future<List<Filed>> page(LetterState state, LetterId after, int limit) {
    String wanted = state == null ? "" : state.name();
    LetterId from = after == null ? new LetterId(-1, 0, 0, 0) : after;
    Tuple arguments =
        Tuple.of(wanted, wanted, from.region(), from.shard())
            .addString(from.epochText())
            .addString(from.seqText())
            .addInteger(limit);
    return database.query(Sql.FIND_LETTERS, arguments).map(LetterLedger::filed);
  }

  /** One letter. */
  public Future<Optional<Filed>> find(LetterId id) {
    return database
        .query(Sql.FIND_ANY_LETTER, key(id))
        .map(rows -> filed(rows).stream().findFirst());
  }

  private static Future<Filed> find(SqlConnection connection, LetterId id) {
    return run(connection, Sql.FIND_ANY_LETTER, key(id))
        .compose(
            rows ->
                rows.size() == 0
                    ? refuse(ErrorCode.NOT_FOUND)
                    : Future.succeededFuture(filed(rows).get(0)));
  }

  private static Tuple key(LetterId id) {
    return Tuple.of(id.region(), id.shard(), id.epochText(), id.seqText());
  }

  private static List<Filed> filed(Iterable<Row> rows) {
    List<Filed> letters = new ArrayList<>();
    for (Row row : rows) {
      letters.add(
          new Filed(
              new LetterId(
                  row.getInteger(0),
                  row.getInteger(1),
                  Long.parseUnsignedLong(row.getString(2)),
                  Long.parseUnsignedLong(row.getString(3))),
              LetterState.valueOf(row.getString(4)),
              new Letter(row.getString(5), row.getString(6), row.getString(7)),
              row.getLong(9),
              row.getLong(10)));
    }
    return letters;
  }

  /**
   * Stores the entry of an open letter after all.
   *
   * @param connection in a transaction that repeats
   * @return what is to be published after the commit. Fails with CONFLICT when it cannot be read,
   *     when a guard refuses it, when it comes too late to have any meaning, or when the letter
   *     ended otherwise; with BUSY while the shard is being written anew
   */
  public Future<List<OrderEvent>> retry(SqlConnection connection, LetterId id) {
    return find(connection, id)
        .compose(
            letter ->
                switch (letter.state()) {
                  case STORED -> Future.succeededFuture(List.<OrderEvent>of());
                  case OPEN -> storeAgain(connection, letter);
                  case SETTLING, RELEASED, CLOSED, LOST, FOREIGN ->
                      refuse(ErrorCode.CONFLICT, "the letter is " + letter.state());
                });
  }

  private Future<List<OrderEvent>> storeAgain(SqlConnection connection, Filed letter) {
    LogEntry entry = letter.entry().orElse(null);
    if (entry == null) {
      return refuse(ErrorCode.CONFLICT, "nobody can read what the letter says");
    }
    if (entry instanceof LogEntry.Joined || entry instanceof LogEntry.Left) {
      return refuse(ErrorCode.CONFLICT, "whoever waited then may not be waiting now");
    }
    ShardRef shard = letter.name().shard();
    return requireOpenShard(connection, letter.name(), ANY_EPOCH)
        .compose(
            open ->
                store.storeAgain(
                    connection,
                    shard,
                    Received.again(entry, DeadWins.fieldsOf(letter.letter().payload()))))
        .recover(LetterLedger::refusal);
  }

  /**
   * While a shard is written anew from stored rows, none of them may come to count otherwise.
   *
   * @param epoch that must still be the shard's; or {@link #ANY_EPOCH}
   */
  private static Future<Void> requireOpenShard(SqlConnection connection, WinId name, long epoch) {
    Tuple shard = Tuple.of(name.shard().region(), name.shard().shard());
    return EpochEnd.lock(connection, name.shard(), name.entry().epoch())
        .compose(end -> run(connection, Sql.FIND_SHARD, shard))
        .compose(
            rows -> {
              Row row = rows.iterator().next();
              boolean isOpen = row.getString(1).equals("OPEN");
              return isOpen && (epoch == ANY_EPOCH || epoch == row.getLong(0))
                  ? Future.succeededFuture()
                  : refuse(ErrorCode.BUSY, "the shard is being opened; ask again in a moment");
            });
  }

  /**
   * What a guard says to the entry is an answer to the operator, and so is what our own code fails
   * with: both have surely changed nothing.
   */
  private static <T> Future<T> refusal(Throwable failure) {
    if (failure instanceof RefusedException || SqlFailures.isData(failure)) {
      return refuse(ErrorCode.CONFLICT, "it is refused again: " + failure.getMessage());
    }
    boolean isKnown =
        failure instanceof SeckillException
            || failure instanceof StoredMeanwhileException
            || failure instanceof ShardUnknownException
            || failure instanceof EpochUnknownException;
    return SqlFailures.isUnexplained(failure) && !isKnown
        ? refuse(ErrorCode.CONFLICT, "it fails again: " + failure)
        : Future.failedFuture(failure);
  }

  /**
   * An order that a settled letter made FAILED.
   *
   * @param entry took its units
   * @param reason why
   */
  public record Failed(LogEntry entry, String reason) {}

  /**
   * What the receipts of a shard say of a win that nobody can read.
   *
   * @param epoch of the shard when they were read: they count while it is the same
   * @param payload what it took, as the payload of a letter; empty when none has it
   */
  public record Searched(long epoch, Optional<String> payload) {}

  /**
   * Gives an open letter up.
   *
   * @param connection in a transaction that repeats
   * @param searched for a letter that nobody can read; else null
   * @return the order that is FAILED by it; empty when there was no win, when its order was stored,
   *     and when the letter had ended before. Fails with CONFLICT for what can be read and is no
   *     win and no waiter: its numbers are needed, so it can only be retried; with BUSY while the
   *     shard is being written anew, or was since the search
   */
  public Future<Optional<Failed>> settle(SqlConnection connection, LetterId id, Searched searched) {
    return find(connection, id)
        .compose(
            letter ->
                letter.state() == LetterState.OPEN
                    ? settle(connection, letter, searched)
                    : Future.succeededFuture(Optional.empty()));
  }

  private static Future<Optional<Failed>> settle(
      SqlConnection connection, Filed letter, Searched searched) {
    WinId name = letter.name();
    if (letter.entry().isEmpty()) {
      if (searched == null) {
        return refuse(ErrorCode.BUSY, "the letter is being changed; ask again in a moment");
      }
      return requireOpenShard(connection, name, searched.epoch())
          .compose(
              open -> settle(connection, searched.payload().map(letter::saying).orElse(letter)));
    }
    return EpochEnd.lock(connection, name.shard(), name.entry().epoch())
        .compose(locked -> settle(connection, letter));
  }

  private static Future<Optional<Failed>> settle(SqlConnection connection, Filed letter) {
    LogEntry entry = letter.entry().orElse(null);
    if (entry == null || entry instanceof LogEntry.Joined || entry instanceof LogEntry.Left) {
      return end(connection, letter, LetterState.CLOSED).map(Optional.empty());
    }
    return entry.taken().isPresent()
        ? fail(connection, letter, entry)
        // The sums of the shard need it.
        : refuse(ErrorCode.CONFLICT, "it moves units or says how an item stands: retry it");
  }

  private static Future<Optional<Failed>> fail(
      SqlConnection connection, Filed letter, LogEntry entry) {
    WinId name = letter.name();
    String reason = letter.letter().reason();
    return run(connection, Sql.FIND_ORDER_FOR_UPDATE, Tuples.of(name))
        .compose(
            orders ->
                orders.size() > 0
                    ? end(connection, letter, LetterState.STORED).map(Optional.<Failed>empty())
                    : Tombstone.write(connection, name.shard(), entry, reason)
                        .compose(done -> release(connection, letter))
                        .map(Optional.of(new Failed(entry, reason))));
  }

  /**
   * Items first: one that is being archived must see the release, or be seen as archived by it. Of
   * an archived item nothing can go back. A basket goes back as a whole or not at all, so one with
   * such an item and another one stays as it is, held everywhere.
   */
  private static Future<Void> release(SqlConnection connection, Filed letter) {
    return run(connection, Sql.LOCK_ORDER_ITEMS, Tuples.of(letter.name()))
        .compose(
            items ->
                run(connection, Sql.INSERT_LETTER_RELEASE, Tuples.of(letter.name()))
                    .map(inserted -> inserted.rowCount() == 0 && areArchived(items)))
        .compose(
            over -> end(connection, letter, over ? LetterState.RELEASED : LetterState.SETTLING))
        .compose(
            ended ->
                ended
                    ? Future.succeededFuture()
                    : refuse(ErrorCode.BUSY, "the letter is being changed; ask again in a moment"));
  }

  private static boolean areArchived(Iterable<Row> items) {
    for (Row item : items) {
      if (!item.getString(1).equals("ARCHIVED")) {
        return false;
      }
    }
    return true;
  }

  /** False when somebody else had ended it. */
  private static Future<Boolean> end(SqlConnection connection, Filed letter, LetterState state) {
    Tuple arguments = Tuple.of(state.name(), letter.letter().payload(), letter.user());
    Tuple name = Tuples.of(letter.name());
    for (int i = 0; i < name.size(); i++) {
      arguments.addValue(name.getValue(i));
    }
    return run(connection, Sql.END_LETTER, arguments).map(ended -> ended.rowCount() == 1);
  }
}
