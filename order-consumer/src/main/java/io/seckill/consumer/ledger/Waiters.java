package io.seckill.consumer.ledger;

import io.seckill.common.bus.ShardWaiters;
import io.seckill.common.bus.ShardWaitersQuery;
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
 * Who waits in a shard, from stored rows alone. Every page sees its own moment: whole and in order
 * only for a shard that is being written anew, of which nothing is left to be stored. Immutable,
 * fit for all event loops.
 */
final class Waiters {

  private static final int MAX_PAGE = 5_000;

  /** Before every entry. */
  private static final EntryId START = new EntryId(0, 0);

  private final Database database;

  Waiters(Database database) {
    this.database = database;
  }

  /** A page; see {@link ShardWaiters}. */
  Future<ShardWaiters> page(ShardWaitersQuery query) {
    if (query.limit() < 1 || query.limit() > MAX_PAGE) {
      return Future.failedFuture(
          new SeckillException(ErrorCode.INVALID_REQUEST, "a page has 1 to " + MAX_PAGE));
    }
    EntryId after = query.after() == null ? START : query.after();
    Tuple arguments =
        Tuple.of(query.region(), query.shard())
            .addLong(after.epoch())
            .addLong(after.epoch())
            .addLong(after.seq())
            .addInteger(query.limit() + 1);
    return database
        .query(Sql.FIND_WAITERS, arguments)
        .map(
            rows -> {
              List<ShardWaiters.Waiter> waiters = new ArrayList<>(rows.size());
              for (Row row : rows) {
                waiters.add(
                    new ShardWaiters.Waiter(
                        new ItemId(row.getLong(0)),
                        new UserId(row.getString(1)),
                        new EntryId(row.getLong(2), row.getLong(3)),
                        row.getLong(4)));
              }
              boolean more = waiters.size() > query.limit();
              return new ShardWaiters(more ? waiters.subList(0, query.limit()) : waiters, more);
            });
  }
}
