package io.seckill.consumer.store;

import static io.seckill.consumer.db.Database.run;

import io.seckill.common.bus.TransferStore;
import io.seckill.common.bus.TransferStored;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.ShardRef;
import io.seckill.common.log.LogEntry;
import io.seckill.consumer.ConsumerMetrics;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Sql;
import io.seckill.consumer.db.Tuples;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.List;

/**
 * Stores the entry of units that one shard sent to another out of the log's turn: only its row in
 * {@code transfers} and the move; the log row comes in its turn. Fit for all event loops.
 */
public final class TransferLedger {

  private final Database database;
  private final ConsumerMetrics metrics;

  /** Makes the ledger. */
  public TransferLedger(Database database, ConsumerMetrics metrics) {
    this.database = database;
    this.metrics = metrics;
  }

  /**
   * Stores it, once; see {@link TransferStore}.
   *
   * @return the move; fails with CONFLICT when the entry never happened or is another one
   */
  public Future<TransferStored> store(TransferStore request) {
    boolean valid =
        request.units() > 0
            && request.epoch() > 0
            && request.epoch() <= EntryId.MAX_EPOCH
            && request.seq() > 0
            && request.seq() <= EntryId.MAX_SEQ
            && request.toShard() >= 0;
    if (!valid) {
      return failed(ErrorCode.INVALID_REQUEST, "a transfer is of 1 or more units by an entry");
    }
    ShardRef shard = new ShardRef(request.region(), request.shard());
    LogEntry.UnitsSent sent =
        new LogEntry.UnitsSent(
            new EntryId(request.epoch(), request.seq()),
            request.atMs(),
            request.item(),
            request.units(),
            request.toShard());
    return database
        .inTransactionRepeating(connection -> store(connection, shard, sent))
        .map(
            stored -> {
              if (stored.isNew()) {
                metrics.transferred();
              }
              return new TransferStored(stored.move());
            })
        .recover(TransferLedger::translated);
  }

  private static Future<Transfers.Stored> store(
      SqlConnection connection, ShardRef shard, LogEntry.UnitsSent sent) {
    Transfers transfers = new Transfers(connection, shard);
    return EpochEnd.lock(connection, shard, sent.id().epoch())
        .compose(
            end ->
                end.isClosed()
                    ? transfers
                        .missing(List.of(sent))
                        .compose(
                            missing ->
                                missing.isEmpty()
                                    ? Future.succeededFuture()
                                    : checkHappens(connection, shard, sent.id(), end))
                    : Future.<Void>succeededFuture())
        .compose(done -> transfers.store(sent));
  }

  /**
   * Of a closed epoch only an entry that is still to be stored may get its row: what the shard must
   * hold is told when everything is stored, and nothing may come after that.
   */
  private static Future<Void> checkHappens(
      SqlConnection connection, ShardRef shard, EntryId entry, EpochEnd end) {
    if (!end.knows(entry.seq())) {
      return failed(ErrorCode.CONFLICT, "the entry lies beyond the end of its epoch");
    }
    Tuple range = Tuple.of(shard.region(), shard.shard(), entry.epoch(), entry.seq(), entry.seq());
    return run(connection, Sql.FIND_STORED, Tuples.repeat(range, 3))
        .compose(
            rows ->
                rows.size() == 0
                    ? Future.succeededFuture()
                    : failed(ErrorCode.CONFLICT, "the entry is stored as something else"));
  }

  private static Future<TransferStored> translated(Throwable failure) {
    boolean contradicts =
        failure instanceof RefusedException
            || failure instanceof EpochUnknownException
            || failure instanceof ShardUnknownException;
    return contradicts
        ? failed(ErrorCode.CONFLICT, failure.getMessage())
        : Future.failedFuture(failure);
  }

  private static <T> Future<T> failed(ErrorCode code, String detail) {
    return Future.failedFuture(new SeckillException(code, detail));
  }
}
