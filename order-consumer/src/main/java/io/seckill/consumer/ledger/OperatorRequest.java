package io.seckill.consumer.ledger;

import static io.seckill.consumer.db.Database.run;

import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.consumer.db.Sql;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.Supplier;

/**
 * What an operator asks for, as the audit log keeps it: its unique request id makes it happen once.
 *
 * @param id idempotency of the request
 * @param actor who asks
 * @param action a bounded word
 * @param item the item's id; 0 for what concerns all
 * @param content all that matters of it: the same id with other content is a contradiction
 */
public record OperatorRequest(String id, String actor, String action, long item, String content) {

  /**
   * What a request did to an item's units at once, without what its moves out will have done.
   *
   * @param asked units that it was to move
   * @param done how many of them moved
   * @param reserved how many went into the reserve; below 0: came out of it
   */
  public record Units(long asked, long done, long reserved) {

    /** It moved none. */
    public static final Units NONE = new Units(0, 0, 0);
  }

  /**
   * Does the work unless the same request was done before. Looks under the item's lock, so that of
   * two copies at once the later one finds what the first has done. Copies that no row of an item
   * keeps apart collide when the audit log is written: the transaction must be one that repeats.
   *
   * @return what the work did, now or then; CONFLICT when the id belongs to another request
   */
  public Future<Units> once(SqlConnection connection, Supplier<Future<Units>> work) {
    return run(connection, Sql.LOCK_ITEM, Tuple.of(item))
        .compose(locked -> run(connection, Sql.FIND_AUDIT_LOG, Tuple.of(id)))
        .compose(
            known -> {
              if (known.size() == 0) {
                return work.get().compose(units -> note(connection, units));
              }
              Row row = known.iterator().next();
              return row.getString(0).equals(digest())
                  ? Future.succeededFuture(new Units(row.getLong(1), row.getLong(2), 0))
                  : Future.failedFuture(
                      new SeckillException(
                          ErrorCode.CONFLICT, "the request id was used for another request"));
            });
  }

  private Future<Units> note(SqlConnection connection, Units units) {
    return run(
            connection,
            Sql.INSERT_AUDIT_LOG,
            Tuple.of(id, actor, action, item, content)
                .addString(digest())
                .addLong(units.asked())
                .addLong(units.done())
                .addLong(units.reserved()))
        .map(units);
  }

  private String digest() {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256")
              .digest((action + ' ' + item + ' ' + content).getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
