package io.seckill.consumer.audit;

import static io.seckill.consumer.db.Database.run;

import io.seckill.common.id.ItemId;
import io.seckill.common.id.ShardRef;
import io.seckill.common.id.UserId;
import io.seckill.consumer.audit.AuditQueries.UserPair;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Sql;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What MySQL says twice about an item, read in one snapshot, because orders go on being stored.
 * User by user in pages: a statement over all orders of a great sale would take too long.
 *
 * <p>Serves one item once.
 */
final class ItemBooks {

  /** No user has a name behind it. */
  private static final String LAST_USER = Character.toString(Character.MAX_CODE_POINT);

  /** Users that are told of each fault. */
  private static final int MAX_TOLD = 20;

  private final SqlConnection connection;
  private final ItemId item;
  private final int usersAtOnce;

  private List<ShardRef> shards;
  private long held;
  private final List<UserPair> wrongHoldings = new ArrayList<>();
  private final List<UserPair> overLimit = new ArrayList<>();

  /**
   * What they say.
   *
   * @param counters the item's counters beside their sums
   * @param wrongHoldings users whose holding differs from their orders: (recorded, summed)
   * @param overLimit users who hold more than their limit: (held, limit)
   */
  record Books(Counters counters, List<UserPair> wrongHoldings, List<UserPair> overLimit) {}

  /**
   * An item's counters beside their sums.
   *
   * @param held the counter of held units
   * @param heldSummed the same summed over orders
   * @param in the counter of units in
   * @param inSummed the same summed over moves
   * @param reserve the counter of the reserve
   * @param reserveSummed the same summed over changes and moves
   */
  record Counters(
      long held, long heldSummed, long in, long inSummed, long reserve, long reserveSummed) {}

  /** What one user holds. */
  private static final class Held {
    long recorded;
    long summed;
    long limit;
  }

  private ItemBooks(SqlConnection connection, ItemId item, int usersAtOnce) {
    this.connection = connection;
    this.item = item;
    this.usersAtOnce = usersAtOnce;
  }

  /** Reads; null when there is no such item. */
  static Future<Books> read(Database database, ItemId item, int usersAtOnce) {
    return database.inSnapshot(
        connection -> new ItemBooks(connection, item, usersAtOnce).readAll());
  }

  private Future<Books> readAll() {
    return run(connection, Sql.AUDIT_ITEM_COUNTERS, Tuple.of(item.value()))
        .compose(
            rows -> {
              if (rows.size() == 0) {
                return Future.succeededFuture();
              }
              Row row = rows.iterator().next();
              return readShards()
                  .compose(done -> readUsers(""))
                  .map(
                      done ->
                          new Books(
                              new Counters(
                                  row.getLong(0),
                                  held,
                                  row.getLong(1),
                                  row.getLong(2),
                                  row.getLong(3),
                                  row.getLong(4)),
                              wrongHoldings,
                              overLimit));
            });
  }

  private Future<Void> readShards() {
    return run(connection, Sql.AUDIT_SHARDS, Tuple.tuple())
        .map(
            rows -> {
              shards = new ArrayList<>(rows.size());
              rows.forEach(row -> shards.add(new ShardRef(row.getInteger(0), row.getInteger(1))));
              return null;
            });
  }

  private Future<Void> readUsers(String after) {
    SortedMap<String, Held> users = new TreeMap<>();
    return run(
            connection, Sql.AUDIT_HOLDINGS, Tuple.of(item.value(), after).addInteger(usersAtOnce))
        .compose(
            rows -> {
              rows.forEach(row -> of(users, row).recorded = row.getLong(1));
              String upTo = rows.size() < usersAtOnce ? LAST_USER : users.lastKey();
              Future<Void> chain = Future.succeededFuture();
              for (ShardRef shard : shards) {
                chain = chain.compose(done -> readOrders(shard, after, upTo, users));
              }
              return chain.compose(
                  done -> {
                    users.forEach(this::judge);
                    return upTo.equals(LAST_USER) ? Future.succeededFuture() : readUsers(upTo);
                  });
            });
  }

  private static Held of(SortedMap<String, Held> users, Row row) {
    return users.computeIfAbsent(row.getString(0), user -> new Held());
  }

  private Future<Void> readOrders(
      ShardRef shard, String after, String upTo, SortedMap<String, Held> users) {
    Tuple range =
        Tuple.of(item.value(), shard.region(), shard.shard()).addString(after).addString(upTo);
    return run(connection, Sql.AUDIT_HELD, range)
        .map(
            rows -> {
              for (Row row : rows) {
                Held user = of(users, row);
                user.summed += row.getLong(1);
                user.limit = Math.max(user.limit, row.getLong(2));
              }
              return null;
            });
  }

  private void judge(String name, Held user) {
    held += user.summed;
    if (user.recorded != user.summed && wrongHoldings.size() < MAX_TOLD) {
      wrongHoldings.add(new UserPair(new UserId(name), user.recorded, user.summed));
    }
    if (user.summed > user.limit && overLimit.size() < MAX_TOLD) {
      overLimit.add(new UserPair(new UserId(name), user.summed, user.limit));
    }
  }
}
