package io.seckill.consumer.store;

import static io.seckill.consumer.db.Database.run;

import io.seckill.common.id.ItemId;
import io.seckill.common.id.ShardRef;
import io.seckill.common.item.Move;
import io.seckill.common.log.LogEntry;
import io.seckill.consumer.db.Sql;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The rows of units that one shard sent to another, each written together with the move by which
 * the other shard lets them in. Steps of a transaction that holds the sending shard's row; like
 * every lock of an item's row they come after all that only the shard has, and after holdings.
 */
final class Transfers {

  /** No operator asked for it. */
  private static final String NO_REQUEST = "";

  private final SqlConnection connection;
  private final ShardRef from;

  Transfers(SqlConnection connection, ShardRef from) {
    this.connection = connection;
    this.from = from;
  }

  /** Those of a run of one epoch for which there is no row that says the same. */
  Future<List<LogEntry.UnitsSent>> missing(List<LogEntry.UnitsSent> run) {
    if (run.isEmpty()) {
      return Future.succeededFuture(run);
    }
    long first = run.get(0).id().seq();
    long last = run.get(run.size() - 1).id().seq();
    return run(connection, Sql.FIND_TRANSFERS, key(run.get(0), first, last))
        .map(
            rows -> {
              Map<Long, Row> known = new HashMap<>();
              rows.forEach(row -> known.put(row.getLong(0), row));
              return run.stream()
                  .filter(sent -> !isSame(sent, known.get(sent.id().seq())))
                  .toList();
            });
  }

  /**
   * A transfer that has its row.
   *
   * @param move by which the other shard lets the units in
   * @param isNew whether this transaction wrote it
   */
  record Stored(Move move, boolean isNew) {}

  /**
   * Finds or writes the row and its move.
   *
   * @return the transfer; fails with {@link RefusedException} when the item is unknown, the
   *     receiving shard is none, or the row says something else
   */
  Future<Stored> store(LogEntry.UnitsSent sent) {
    return find(sent)
        .compose(
            known ->
                known != null
                    ? Future.succeededFuture(known)
                    // Another transaction may write it until the item's row is ours.
                    : lockItem(sent)
                        .compose(locked -> find(sent))
                        .compose(
                            raced -> raced != null ? Future.succeededFuture(raced) : insert(sent)));
  }

  private Future<Stored> find(LogEntry.UnitsSent sent) {
    long seq = sent.id().seq();
    return run(connection, Sql.FIND_TRANSFERS, key(sent, seq, seq))
        .compose(
            rows -> {
              if (rows.size() == 0) {
                return Future.succeededFuture();
              }
              Row row = rows.iterator().next();
              return isSame(sent, row)
                  ? Future.succeededFuture(new Stored(moveOf(sent, row.getLong(4)), false))
                  : refused("the entry is stored with other content");
            });
  }

  private static boolean isSame(LogEntry.UnitsSent sent, Row row) {
    return row != null
        && row.getLong(1) == sent.item().value()
        && row.getLong(2) == sent.units()
        && row.getInteger(3) == sent.toShard();
  }

  private Future<Void> lockItem(LogEntry.UnitsSent sent) {
    return run(connection, Sql.LOCK_ITEM, Tuple.of(sent.item().value()))
        .compose(
            rows ->
                rows.size() == 1
                    ? Future.succeededFuture()
                    : refused("there is no item " + sent.item()));
  }

  private Future<Stored> insert(LogEntry.UnitsSent sent) {
    ItemId item = sent.item();
    return checkShard(sent)
        .compose(
            done ->
                run(
                    connection,
                    Sql.FIND_LAST_MOVE,
                    Tuple.of(item.value(), from.region(), sent.toShard())))
        .compose(
            rows -> {
              Move move = moveOf(sent, rows.iterator().next().getLong(0) + 1);
              Tuple row =
                  Tuple.of(from.region(), from.shard(), sent.id().epoch(), sent.id().seq())
                      .addLong(item.value())
                      .addLong(sent.units())
                      .addInteger(sent.toShard())
                      .addLong(move.number())
                      .addLong(sent.atMs());
              return run(connection, Sql.INSERT_TRANSFER, row)
                  .compose(
                      done ->
                          run(
                              connection,
                              Sql.INSERT_MOVE,
                              Tuple.of(item.value(), from.region(), move.shard(), move.number())
                                  .addString(move.kind().name())
                                  .addLong(move.units())
                                  .addString(NO_REQUEST)))
                  .map(new Stored(move, true));
            });
  }

  private Future<Void> checkShard(LogEntry.UnitsSent sent) {
    return run(connection, Sql.FIND_REGION, Tuple.of(from.region()))
        .compose(
            rows -> {
              int shards = rows.size() == 0 ? 0 : rows.iterator().next().getInteger(0);
              return sent.toShard() != from.shard() && sent.toShard() < shards
                  ? Future.succeededFuture()
                  : refused("no shard " + sent.toShard() + " takes units of shard " + from);
            });
  }

  private static Move moveOf(LogEntry.UnitsSent sent, long number) {
    return new Move(sent.item(), sent.toShard(), number, Move.Kind.TRANSFER, sent.units());
  }

  private Tuple key(LogEntry.UnitsSent sent, long first, long last) {
    return Tuple.of(from.region(), from.shard(), sent.id().epoch(), first, last);
  }

  private static <T> Future<T> refused(String detail) {
    return Future.failedFuture(new RefusedException("TRANSFER", detail));
  }
}
