package io.seckill.consumer.ledger;

import static io.seckill.consumer.db.Database.run;

import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Sql;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;

/**
 * Turns items that ended long ago to ARCHIVED, so that engines make Redis forget them. Any number
 * of nodes may do it at once. Immutable, fit for all event loops.
 */
public final class ItemArchive {

  /** For the statement that looks at one item or at all. */
  private static final long ALL = 0;

  private final Database database;
  private final int region;
  private final long afterMs;

  /**
   * Makes the archive.
   *
   * @param region whose shards have to forget an item
   * @param afterMs how long after its end an item is archived
   */
  public ItemArchive(Database database, int region, long afterMs) {
    this.database = database;
    this.region = region;
    this.afterMs = afterMs;
  }

  /**
   * One round: at most 100 items, at most 100 of those that every shard has forgotten, and some of
   * those who waited for them.
   *
   * @return how many items were turned
   */
  public Future<Integer> round() {
    return database
        .query(Sql.FINISH_ARCHIVED, Tuple.of(region, region))
        .compose(done -> database.query(Sql.FIND_FORGOTTEN_WAITERS, Tuple.of(region)))
        .compose(this::deleteWaiters)
        .compose(done -> database.query(Sql.FIND_ENDED_ITEMS, due(ALL)))
        .compose(this::archive);
  }

  private Future<Void> deleteWaiters(RowSet<Row> forgotten) {
    Future<Void> chain = Future.succeededFuture();
    for (Row row : forgotten) {
      Tuple line = Tuple.of(region, row.getInteger(1), row.getLong(0));
      chain =
          chain.compose(
              done -> database.query(Sql.DELETE_FORGOTTEN_WAITERS, line).<Void>mapEmpty());
    }
    return chain;
  }

  private Tuple due(long item) {
    return Tuple.of(item, item, afterMs, afterMs);
  }

  private Future<Integer> archive(RowSet<Row> rows) {
    List<Long> items = new ArrayList<>(rows.size());
    rows.forEach(row -> items.add(row.getLong(0)));
    Future<Integer> turned = Future.succeededFuture(0);
    for (long item : items) {
      turned = turned.compose(before -> archive(item).map(more -> before + more));
    }
    return turned;
  }

  /** Looks again under the item's lock: an operator may have given it another window meanwhile. */
  private Future<Integer> archive(long item) {
    return database.inTransactionRepeating(
        connection ->
            run(connection, Sql.LOCK_ITEM, Tuple.of(item))
                .compose(locked -> run(connection, Sql.FIND_ENDED_ITEMS, due(item)))
                .compose(
                    still ->
                        still.size() == 0
                            ? Future.succeededFuture(0)
                            : run(connection, Sql.ARCHIVE_ITEM, Tuple.of(item))
                                .map(RowSet::rowCount)));
  }
}
