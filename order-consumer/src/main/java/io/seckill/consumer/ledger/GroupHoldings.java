package io.seckill.consumer.ledger;

import static io.seckill.consumer.db.Database.run;

import io.seckill.common.bus.ShardHoldings;
import io.seckill.common.bus.ShardHoldingsQuery;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.ItemId;
import io.seckill.common.log.LogEntry;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Sql;
import io.seckill.consumer.store.DeadWins;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What users of a shard hold over a group of items, from stored rows: for writing a shard anew.
 * Like the receipts meant for a shard whose earlier epochs are closed and stored. Immutable, fit
 * for all event loops.
 */
public final class GroupHoldings {

  private static final int MAX_USERS = 1_000;

  private final Database database;

  /** Makes the reader. */
  public GroupHoldings(Database database) {
    this.database = database;
  }

  /** A page; see {@link ShardHoldings}. It may have fewer users than asked for. */
  public Future<ShardHoldings> page(ShardHoldingsQuery query) {
    if (query.limit() < 1 || query.limit() > MAX_USERS) {
      return Future.failedFuture(
          new SeckillException(ErrorCode.INVALID_REQUEST, "a page has 1 to " + MAX_USERS));
    }
    return database.inTransaction(connection -> new Page(connection, query).read());
  }

  /** One page. Users come in the order of their names, item by item by key, and are merged. */
  private static final class Page {

    private final SqlConnection connection;
    private final ShardHoldingsQuery query;
    private final Set<ItemId> items = new TreeSet<>();
    private final TreeSet<String> users = new TreeSet<>();

    /** Behind it there may be users of some item that were not read. */
    private String upTo;

    Page(SqlConnection connection, ShardHoldingsQuery query) {
      this.connection = connection;
      this.query = query;
    }

    Future<ShardHoldings> read() {
      Tuple group = Tuple.of(query.region(), query.shard(), query.group());
      return run(connection, Sql.FIND_GROUP_ITEMS, group)
          .compose(
              rows -> {
                rows.forEach(row -> items.add(new ItemId(row.getLong(0))));
                Future<Void> chain = Future.succeededFuture();
                for (ItemId item : items) {
                  chain = chain.compose(done -> readUsers(item));
                }
                return chain;
              })
          .compose(
              done -> {
                String last = upTo == null ? "" : upTo;
                return run(
                    connection,
                    Sql.SNAPSHOT_USER_LETTERS,
                    Tuple.of(query.region(), query.shard(), query.afterUser(), last, last));
              })
          .compose(rows -> sumUp(ofLetters(rows)));
    }

    private Future<Void> readUsers(ItemId item) {
      Tuple next =
          Tuple.of(item.value(), query.region(), query.shard(), query.afterUser())
              // Without a bound in the log: everything that is stored.
              .addLong(Long.MAX_VALUE)
              .addLong(Long.MAX_VALUE)
              .addLong(Long.MAX_VALUE)
              .addInteger(query.limit());
      return run(connection, Sql.FIND_HELD_USERS, next)
          .map(
              rows -> {
                String last = "";
                for (Row row : rows) {
                  last = row.getString(0);
                  users.add(last);
                }
                boolean more = rows.size() == query.limit();
                if (more && (upTo == null || last.compareTo(upTo) < 0)) {
                  upTo = last;
                }
                return null;
              });
    }

    private Map<String, Long> ofLetters(Iterable<Row> rows) {
      TreeMap<String, Long> units = new TreeMap<>();
      for (LogEntry.Win win : DeadWins.read(rows)) {
        long inGroup =
            win.lines().stream()
                .filter(line -> items.contains(line.item()))
                .mapToLong(LogEntry.WinLine::quantity)
                .sum();
        if (inGroup > 0) {
          units.merge(win.user().value(), inGroup, Long::sum);
        }
      }
      return units;
    }

    private Future<ShardHoldings> sumUp(Map<String, Long> letters) {
      users.addAll(letters.keySet());
      if (upTo != null) {
        users.tailSet(upTo, false).clear();
      }
      while (users.size() > query.limit()) {
        users.pollLast();
      }
      if (users.isEmpty()) {
        return Future.succeededFuture(new ShardHoldings(new TreeMap<>()));
      }
      JsonArray ids = new JsonArray();
      items.forEach(item -> ids.add(item.value()));
      return run(
              connection,
              Sql.SNAPSHOT_HOLDINGS,
              Tuple.of(
                  new JsonArray(new ArrayList<>(users)).encode(),
                  ids.encode(),
                  query.region(),
                  query.shard()))
          .map(
              rows -> {
                TreeMap<String, Long> held = new TreeMap<>(letters);
                held.keySet().retainAll(users);
                rows.forEach(row -> held.merge(row.getString(0), row.getLong(1), Long::sum));
                return new ShardHoldings(held);
              });
    }
  }
}
