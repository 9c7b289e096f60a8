package io.seckill.consumer.ledger;

import static io.seckill.consumer.db.Database.run;

import io.seckill.common.bus.Done;
import io.seckill.common.bus.EpochClose;
import io.seckill.common.bus.EpochClosed;
import io.seckill.common.bus.RegionJoin;
import io.seckill.common.bus.RegionJoined;
import io.seckill.common.bus.ShardClaim;
import io.seckill.common.bus.ShardClaimed;
import io.seckill.common.bus.ShardOpen;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.EntryId;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Sql;
import io.seckill.consumer.db.Tuples;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.SortedMap;
import java.util.TreeMap;

/** Who may open a shard, and where each epoch ended. Immutable, fit for all event loops. */
public final class ShardLedger {

  private final Database database;

  /** Makes the ledger. */
  public ShardLedger(Database database) {
    this.database = database;
  }

  /** Fixes S at the first join; later ones must agree. */
  public Future<RegionJoined> join(RegionJoin join) {
    return database.inTransactionRepeating(
        connection ->
            run(connection, Sql.FIND_REGION, Tuple.of(join.region()))
                .compose(
                    rows -> {
                      if (rows.size() == 0) {
                        return run(
                                connection,
                                Sql.INSERT_REGION,
                                Tuple.of(join.region(), join.shardCount()))
                            .map(new RegionJoined(join.shardCount()));
                      }
                      int known = rows.iterator().next().getInteger(0);
                      return known == join.shardCount()
                          ? Future.succeededFuture(new RegionJoined(known))
                          : conflict(
                              "region "
                                  + join.region()
                                  + " has "
                                  + known
                                  + " shards in the ledger, this node is configured for "
                                  + join.shardCount());
                    }));
  }

  /** Claims a shard under an epoch above all that anybody knows. */
  public Future<ShardClaimed> claim(ShardClaim claim) {
    return database.inTransactionRepeating(
        connection ->
            run(connection, Sql.FIND_SHARD_FOR_UPDATE, Tuple.of(claim.region(), claim.shard()))
                .compose(
                    rows -> {
                      boolean known = rows.size() > 0;
                      long before = known ? rows.iterator().next().getLong(0) : 0;
                      long next = Math.max(before, claim.seenEpoch()) + 1;
                      if (next > EntryId.MAX_EPOCH) {
                        return conflict("the epochs of the shard are used up");
                      }
                      Tuple arguments =
                          known
                              ? Tuple.of(next, claim.node(), claim.region(), claim.shard(), before)
                              : Tuple.of(claim.region(), claim.shard(), next, claim.node());
                      return run(connection, known ? Sql.CLAIM_SHARD : Sql.INSERT_SHARD, arguments)
                          .map(new ShardClaimed(next, before));
                    }));
  }

  /**
   * Closes every epoch before the claimed one. What a consumer brings of them later, beyond their
   * last numbers, is FAILED(LOST).
   *
   * <p>An epoch ends at Redis' own number, or at the highest stored one when Redis has not reached
   * it. An epoch that was closed before keeps its end, unless Redis came back with less: then its
   * end is lowered to what Redis still has or what is stored, because the rest is nowhere.
   */
  public Future<EpochClosed> close(EpochClose close) {
    return database.inTransactionRepeating(connection -> new Closing(connection, close).run());
  }

  /** One transaction that closes epochs. */
  private static final class Closing {

    private final SqlConnection connection;
    private final EpochClose close;
    private long closedTo;

    Closing(SqlConnection connection, EpochClose close) {
      this.connection = connection;
      this.close = close;
    }

    Future<EpochClosed> run() {
      return holdClaim()
          .compose(done -> findOpenEpochs())
          .compose(this::closeAll)
          .compose(done -> Database.run(connection, Sql.FIND_TAILS, key().addLong(close.epoch())))
          .compose(this::lowerAll)
          .compose(
              done ->
                  Database.run(
                      connection,
                      Sql.MARK_CLOSED,
                      Tuple.of(close.epoch() - 1, close.region(), close.shard())))
          .compose(marked -> snapshot());
    }

    private Tuple key() {
      return Tuple.of(close.region(), close.shard());
    }

    private Future<Void> holdClaim() {
      // The row first: it waits for every transaction that is storing entries of this shard.
      return Database.run(connection, Sql.FIND_SHARD_FOR_UPDATE, key())
          .compose(
              rows -> {
                Row row = rows.size() == 1 ? rows.iterator().next() : null;
                if (row == null || !isClaim(row, close.epoch())) {
                  return conflict("another claim came later");
                }
                closedTo = row.getLong(2);
                return Future.succeededFuture();
              });
    }

    private static boolean isClaim(Row row, long epoch) {
      return row.getLong(0) == epoch && row.getString(1).equals("REPAIRING");
    }

    /** Epochs to close, with the last number of each. */
    private Future<SortedMap<Long, Long>> findOpenEpochs() {
      Tuple range = key().addLong(closedTo).addLong(close.epoch());
      return Database.run(connection, Sql.FIND_OPEN_EPOCHS, Tuples.repeat(range, 3))
          .map(
              rows -> {
                SortedMap<Long, Long> open = new TreeMap<>();
                for (Row row : rows) {
                  open.put(row.getLong(0), row.getLong(1));
                }
                if (close.redisEpoch() > closedTo && close.redisEpoch() < close.epoch()) {
                  open.merge(close.redisEpoch(), close.redisSeq(), Math::max);
                }
                return open;
              });
    }

    private Future<Void> closeAll(SortedMap<Long, Long> open) {
      Future<Void> chain = Future.succeededFuture();
      for (var epoch : open.entrySet()) {
        Tuple row = key().addLong(epoch.getKey()).addLong(epoch.getValue());
        chain = chain.compose(done -> Database.run(connection, Sql.CLOSE_EPOCH, row).mapEmpty());
      }
      return chain;
    }

    /**
     * Lowers the ends that neither the rows nor Redis reach. Redis knows an epoch before its own to
     * the end, its own up to its number, and nothing of a later one.
     */
    private Future<Void> lowerAll(RowSet<Row> tails) {
      Future<Void> chain = Future.succeededFuture();
      for (Row tail : tails) {
        long epoch = tail.getLong(0);
        long stored = tail.getLong(2);
        long end = epoch == close.redisEpoch() ? Math.max(stored, close.redisSeq()) : stored;
        if (epoch >= close.redisEpoch() && end < tail.getLong(1)) {
          Tuple lower = Tuple.of(end, close.epoch(), close.region(), close.shard()).addLong(epoch);
          chain =
              chain.compose(done -> Database.run(connection, Sql.LOWER_EPOCH, lower).mapEmpty());
        }
      }
      return chain;
    }

    private Future<EpochClosed> snapshot() {
      Tuple beyond =
          key().addLong(close.redisEpoch()).addLong(close.redisEpoch()).addLong(close.redisSeq());
      return yes(Sql.IS_STORED_BEYOND, Tuples.repeat(beyond, 4))
          .compose(
              forgot ->
                  yes(Sql.IS_ANYTHING_STORED, Tuples.repeat(key(), 4))
                      .compose(
                          stored -> surplus().compose(surplus -> told(forgot, stored, surplus))));
    }

    private Future<EpochClosed> told(boolean forgot, boolean stored, boolean surplus) {
      return SalesLedger.read(connection, close.region())
          .map(sales -> new EpochClosed(forgot, stored, surplus, sales));
    }

    private Future<Boolean> surplus() {
      return Database.run(connection, Sql.FIND_CLOSED_EPOCH, key().addLong(close.redisEpoch()))
          .compose(
              rows -> {
                boolean over = close.redisEpoch() > 0 && close.redisEpoch() <= closedTo;
                if (over && rows.size() == 0) {
                  // The epoch ended before it decided anything that counts.
                  return Future.succeededFuture(true);
                }
                return yes(
                    Sql.FIND_SURPLUS,
                    key()
                        .addLong(close.redisEpoch())
                        .addLong(close.redisSeq())
                        .addLong(close.redisEpoch())
                        .addLong(close.redisEpoch()));
              });
    }

    private Future<Boolean> yes(Sql question, Tuple arguments) {
      return Database.run(connection, question, arguments)
          .map(rows -> rows.iterator().next().getLong(0) > 0);
    }
  }

  /**
   * Says that the shard sells again. Idempotent for the same claim. Every engine repeats it all the
   * time, and storing waits for whoever locks the row: so it is locked only where there is
   * something to write.
   */
  public Future<Done> open(ShardOpen open) {
    return database
        .query(Sql.FIND_SHARD, Tuple.of(open.region(), open.shard()))
        .compose(
            rows -> {
              Row row = rows.size() == 1 ? rows.iterator().next() : null;
              if (row == null || row.getLong(0) != open.epoch()) {
                return conflict("another claim came later");
              }
              return row.getString(1).equals("OPEN")
                  ? Future.succeededFuture(new Done())
                  : openClaimed(open);
            });
  }

  private Future<Done> openClaimed(ShardOpen open) {
    return database.inTransactionRepeating(
        connection ->
            run(connection, Sql.FIND_SHARD_FOR_UPDATE, Tuple.of(open.region(), open.shard()))
                .compose(
                    rows -> {
                      Row row = rows.size() == 1 ? rows.iterator().next() : null;
                      if (row == null || row.getLong(0) != open.epoch()) {
                        return conflict("another claim came later");
                      }
                      return run(
                              connection,
                              Sql.OPEN_SHARD,
                              Tuple.of(open.region(), open.shard(), open.epoch()))
                          .map(new Done());
                    }));
  }

  private static <T> Future<T> conflict(String detail) {
    return Future.failedFuture(new SeckillException(ErrorCode.CONFLICT, detail));
  }
}
