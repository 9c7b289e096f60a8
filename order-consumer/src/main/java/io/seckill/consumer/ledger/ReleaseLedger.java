package io.seckill.consumer.ledger;

import io.seckill.common.bus.Releases;
import io.seckill.common.bus.ReleasesQuery;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Sql;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;

/**
 * Tells engines what is to be released. Whoever changes an order writes the request, and whoever
 * stores the entry of the release ends it: here it is only read. Immutable, fit for all event
 * loops.
 */
public final class ReleaseLedger {

  private final Database database;

  /** Makes the reader. */
  public ReleaseLedger(Database database) {
    this.database = database;
  }

  /** A page; see {@link Releases}. */
  public Future<Releases> page(ReleasesQuery query) {
    if (query.limit() < 1 || query.limit() > ReleasesQuery.MAX_LIMIT) {
      return Future.failedFuture(
          new SeckillException(
              ErrorCode.INVALID_REQUEST, "a page has 1 to " + ReleasesQuery.MAX_LIMIT));
    }
    return database
        .query(
            Sql.FIND_RELEASES,
            Tuple.of(query.region(), query.shard(), query.afterId(), query.limit()))
        .map(ReleaseLedger::read);
  }

  /** A row for each line; the lines of a release follow each other. */
  private static Releases read(Iterable<Row> rows) {
    List<Releases.Release> releases = new ArrayList<>();
    List<ItemId> items = new ArrayList<>();
    Row first = null;
    for (Row row : rows) {
      if (first != null && !first.getLong(0).equals(row.getLong(0))) {
        releases.add(release(first, items));
        items.clear();
        first = null;
      }
      first = first == null ? row : first;
      items.add(new ItemId(row.getLong(5)));
    }
    if (first != null) {
      releases.add(release(first, items));
    }
    return new Releases(releases);
  }

  private static Releases.Release release(Row row, List<ItemId> items) {
    return new Releases.Release(
        row.getLong(0),
        new UserId(row.getString(4)),
        new EntryId(row.getLong(1), row.getLong(2)),
        row.getString(3),
        items);
  }
}
