package io.seckill.consumer.ledger;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ShardRef;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Sql;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.function.Consumer;

/**
 * Asks something of what a shard's log left in MySQL page by page, in the order of the log: of all
 * rows of a great sale in one statement it would take too long. Every page is a statement of its
 * own and sees its own moment: right only where no row up to the end comes or changes meanwhile.
 * Immutable, fit for all event loops.
 */
public final class LogPages {

  /** Rows that one statement looks at: well below a second, whatever the sale's size. */
  public static final int ROWS_AT_ONCE = 10_000;

  /** Behind every entry. */
  public static final EntryId END = new EntryId(EntryId.MAX_EPOCH, EntryId.MAX_SEQ);

  private final Database database;
  private final int numbersAtOnce;

  /**
   * Makes the reader.
   *
   * @param numbersAtOnce how long a page is, 1 or more
   */
  public LogPages(Database database, int numbersAtOnce) {
    this.database = database;
    this.numbersAtOnce = numbersAtOnce;
  }

  /**
   * Asks of a shard's orders.
   *
   * @param question its arguments are region, shard, epoch, and the numbers behind which and up to
   *     which it asks. Never BETWEEN: of one row, known by its key, MySQL 8 reads no JSON_TABLE
   * @param upTo the last place
   * @param answer gets each row of each page
   */
  public Future<Void> orders(Sql question, ShardRef shard, EntryId upTo, Consumer<Row> answer) {
    return ask(new Question(Sql.NEXT_ORDER, question, shard, upTo, answer));
  }

  /** Asks of a shard's entries that are not wins; otherwise as {@link #orders}. */
  public Future<Void> log(Sql question, ShardRef shard, EntryId upTo, Consumer<Row> answer) {
    return ask(new Question(Sql.NEXT_LOG_ENTRY, question, shard, upTo, answer));
  }

  private record Question(Sql next, Sql text, ShardRef shard, EntryId upTo, Consumer<Row> answer) {}

  private Future<Void> ask(Question question) {
    Promise<Void> answered = Promise.promise();
    from(question, new EntryId(0, 0), answered);
    return answered.future();
  }

  /** Not a chain of futures, which would grow with the pages. */
  private void from(Question question, EntryId after, Promise<Void> answered) {
    step(question, after)
        .onFailure(answered::fail)
        .onSuccess(
            last -> {
              if (last.compareTo(question.upTo()) < 0) {
                from(question, last, answered);
              } else {
                answered.complete();
              }
            });
  }

  /** Asks the next page, or goes on to the next epoch; tells how far it came. */
  private Future<EntryId> step(Question question, EntryId after) {
    Tuple behind =
        Tuple.of(question.shard().region(), question.shard().shard())
            .addLong(after.epoch())
            .addLong(after.seq())
            .addInteger(question.shard().region())
            .addInteger(question.shard().shard())
            .addLong(after.epoch());
    return database
        .query(question.next(), behind)
        .compose(
            rows -> {
              Row next = rows.iterator().next();
              if (next.getLong(0) != null) {
                return page(question, new EntryId(after.epoch(), next.getLong(0)));
              }
              Long epoch = next.getLong(1);
              return Future.succeededFuture(
                  epoch == null ? question.upTo() : new EntryId(epoch, 0));
            });
  }

  private Future<EntryId> page(Question question, EntryId first) {
    EntryId full =
        new EntryId(first.epoch(), Math.min(EntryId.MAX_SEQ, first.seq() + numbersAtOnce - 1));
    EntryId last = full.compareTo(question.upTo()) < 0 ? full : question.upTo();
    if (last.compareTo(first) < 0) {
      return Future.succeededFuture(last);
    }
    Tuple numbers =
        Tuple.of(question.shard().region(), question.shard().shard())
            .addLong(first.epoch())
            .addLong(first.seq() - 1)
            .addLong(last.seq());
    return database
        .query(question.text(), numbers)
        .map(
            found -> {
              found.forEach(question.answer());
              return last;
            });
  }
}
