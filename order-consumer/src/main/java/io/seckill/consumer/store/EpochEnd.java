package io.seckill.consumer.store;

import static io.seckill.consumer.db.Database.run;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ShardRef;
import io.seckill.consumer.db.Sql;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;

/**
 * Where an epoch ends, as known to a transaction that holds the shard's row in share mode: closing
 * an epoch waits for it.
 *
 * @param lastSeq what lies beyond it never happened; the largest number for an open epoch
 * @param previous the last entry of the epoch before that decided anything, null when there is none
 */
record EpochEnd(long lastSeq, EntryId previous) {

  /**
   * Locks the shard's row and reads.
   *
   * @return fails with {@link ShardUnknownException}, and with {@link EpochUnknownException} for an
   *     epoch that nobody has claimed yet
   */
  static Future<EpochEnd> lock(SqlConnection connection, ShardRef shard, long epoch) {
    Tuple key = Tuple.of(shard.region(), shard.shard());
    return run(connection, Sql.LOCK_SHARD_SHARE, key)
        .compose(
            rows -> {
              if (rows.size() == 0) {
                return Future.failedFuture(new ShardUnknownException(shard));
              }
              Row row = rows.iterator().next();
              if (row.getLong(0) < epoch) {
                return Future.failedFuture(new EpochUnknownException(shard, epoch));
              }
              // An epoch that is over decided nothing that counts, unless a row says otherwise.
              long lastSeq = epoch <= row.getLong(1) ? 0 : Long.MAX_VALUE;
              return run(
                      connection,
                      Sql.FIND_CLOSED_EPOCHS,
                      Tuple.of(shard.region(), shard.shard(), epoch, epoch))
                  .map(closed -> read(closed, epoch, lastSeq));
            });
  }

  private static EpochEnd read(RowSet<Row> closed, long epoch, long unlessClosed) {
    long lastSeq = unlessClosed;
    EntryId previous = null;
    for (Row row : closed) {
      if (row.getLong(0) == epoch) {
        lastSeq = row.getLong(1);
      } else if (previous == null) {
        previous = new EntryId(row.getLong(0), row.getLong(1));
      }
    }
    return new EpochEnd(lastSeq, previous);
  }

  /** Whether an entry of the epoch counts. */
  boolean knows(long seq) {
    return seq <= lastSeq;
  }

  /** Whether no further entry of the epoch can come to count. */
  boolean isClosed() {
    return lastSeq != Long.MAX_VALUE;
  }
}
