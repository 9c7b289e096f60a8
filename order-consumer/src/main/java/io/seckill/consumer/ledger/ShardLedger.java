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
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
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
   */
  public Future<EpochClosed> close(EpochClose close) {
    return database.inTransactionRepeating(
        connection ->
            holdClaim(connection, close)
                .compose(held -> findOpenEpochs(connection, close))
                .compose(open -> closeAll(connection, close, open))
                .compose(
                    closed ->
                        run(
                            connection,
                            Sql.MARK_CLOSED,
                            Tuple.of(close.epoch() - 1, close.region(), close.shard())))
                .compose(marked -> snapshot(connection, close)));
  }

  private static Future<Void> holdClaim(SqlConnection connection, EpochClose close) {
    // The row first: it waits for every transaction that is storing entries of this shard.
    return run(connection, Sql.FIND_SHARD_FOR_UPDATE, Tuple.of(close.region(), close.shard()))
        .compose(
            rows -> {
              boolean held = rows.size() == 1 && isClaim(rows.iterator().next(), close.epoch());
              return held ? Future.succeededFuture() : conflict("another claim came later");
            });
  }

  private static boolean isClaim(Row row, long epoch) {
    return row.getLong(0) == epoch && row.getString(1).equals("REPAIRING");
  }

  /** Epochs to close, with the last number of each. */
  private static Future<SortedMap<Long, Long>> findOpenEpochs(
      SqlConnection connection, EpochClose close) {
    Tuple arguments = Tuple.tuple();
    for (int i = 0; i < 3; i++) {
      arguments.addInteger(close.region()).addInteger(close.shard()).addLong(close.epoch());
    }
    arguments.addInteger(close.region()).addInteger(close.shard());
    return run(connection, Sql.FIND_OPEN_EPOCHS, arguments)
        .compose(
            rows -> {
              SortedMap<Long, Long> open = new TreeMap<>();
              for (Row row : rows) {
                open.put(row.getLong(0), row.getLong(1));
              }
              boolean fromRedis = close.redisEpoch() > 0 && close.redisEpoch() < close.epoch();
              if (!fromRedis) {
                return Future.succeededFuture(open);
              }
              return run(
                      connection,
                      Sql.FIND_CLOSED_EPOCH,
                      Tuple.of(close.region(), close.shard(), close.redisEpoch()))
                  .map(
                      closed -> {
                        if (closed.size() == 0) {
                          open.put(close.redisEpoch(), close.redisSeq());
                        }
                        return open;
                      });
            });
  }

  private static Future<Void> closeAll(
      SqlConnection connection, EpochClose close, SortedMap<Long, Long> open) {
    Future<Void> chain = Future.succeededFuture();
    for (var epoch : open.entrySet()) {
      chain =
          chain.compose(
              done ->
                  run(
                          connection,
                          Sql.CLOSE_EPOCH,
                          Tuple.of(close.region(), close.shard(), epoch.getKey(), epoch.getValue()))
                      .mapEmpty());
    }
    return chain;
  }

  private static Future<EpochClosed> snapshot(SqlConnection connection, EpochClose close) {
    Tuple beyond = Tuple.tuple();
    Tuple all = Tuple.tuple();
    for (int i = 0; i < 3; i++) {
      beyond
          .addInteger(close.region())
          .addInteger(close.shard())
          .addLong(close.redisEpoch())
          .addLong(close.redisEpoch())
          .addLong(close.redisSeq());
      all.addInteger(close.region()).addInteger(close.shard());
    }
    return run(connection, Sql.COUNT_STORED_BEYOND, beyond)
        .compose(
            storedBeyond ->
                run(connection, Sql.COUNT_STORED, all)
                    .map(
                        storedInAll ->
                            new EpochClosed(
                                storedBeyond.iterator().next().getLong(0),
                                storedInAll.iterator().next().getLong(0))));
  }

  /** Says that the shard sells again. Idempotent for the same claim. */
  public Future<Done> open(ShardOpen open) {
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
