package io.seckill.consumer.ledger;

import static io.seckill.consumer.db.Database.run;

import io.seckill.common.bus.ShardReceipts;
import io.seckill.common.bus.ShardReceiptsQuery;
import io.seckill.common.bus.ShardSnapshot;
import io.seckill.common.bus.ShardSnapshot.ItemInShard;
import io.seckill.common.bus.ShardSnapshotQuery;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemState;
import io.seckill.common.log.LogEntry;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Sql;
import io.seckill.consumer.db.Tuples;
import io.seckill.consumer.store.DeadWins;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a shard must hold, from stored rows alone: for writing a shard anew that Redis has lost.
 * Immutable, fit for all event loops.
 */
public final class ShardSnapshots {

  /** Released records that a receipt keeps; the same number stands in {@code receipts.lua}. */
  private static final int KEEP_RELEASED = 8;

  private static final int MAX_USERS = 1_000;

  private final Database database;

  /** Makes the reader. */
  public ShardSnapshots(Database database) {
    this.database = database;
  }

  /** The sums of one item in the shard. */
  private static final class Sums {
    long lastMove;
    long adds;
    long granted;
    long stock;
  }

  /**
   * The items of a shard; see {@link ShardSnapshot}. What is missing is counted first: while the
   * consumer is storing, later statements see more rows than earlier ones, and sums of different
   * moments would sell units twice. Once nothing is missing, no row that counts can come any more.
   */
  public Future<ShardSnapshot> snapshot(ShardSnapshotQuery query) {
    return database.inTransaction(
        connection ->
            missing(connection, query)
                .compose(
                    missing ->
                        missing > 0
                            ? Future.succeededFuture(new ShardSnapshot(missing, List.of()))
                            : items(connection, query).map(items -> new ShardSnapshot(0, items))));
  }

  private static Future<Long> missing(SqlConnection connection, ShardSnapshotQuery query) {
    return run(
            connection, Sql.FIND_TAILS, Tuple.of(query.region(), query.shard(), query.lastEpoch()))
        .map(
            tails -> {
              long missing = 0;
              for (Row tail : tails) {
                missing += tail.getLong(1) - tail.getLong(2);
              }
              return missing;
            });
  }

  private static Future<List<ItemInShard>> items(
      SqlConnection connection, ShardSnapshotQuery query) {
    Map<ItemId, Sums> sums = new HashMap<>();
    Tuple key = Tuple.of(query.region(), query.shard());
    return run(connection, Sql.SNAPSHOT_MOVES, key)
        .compose(
            rows -> {
              for (Row row : rows) {
                Sums item = sumsOf(sums, row.getLong(0));
                item.lastMove = row.getLong(1);
                item.adds += row.getLong(2);
                item.granted += row.getLong(3);
                item.stock += row.getLong(3);
              }
              return run(connection, Sql.SNAPSHOT_RELEASES, key);
            })
        .compose(
            rows -> {
              for (Row row : rows) {
                Sums item = sumsOf(sums, row.getLong(0));
                item.adds += row.getLong(1);
                item.stock += row.getLong(2);
                item.granted -= row.getLong(3);
              }
              return run(connection, Sql.SNAPSHOT_WINS, key);
            })
        .compose(
            rows -> {
              for (Row row : rows) {
                sumsOf(sums, row.getLong(0)).stock -= row.getLong(1);
              }
              return run(connection, Sql.SNAPSHOT_LETTERS, key);
            })
        .compose(
            rows -> {
              // A released letter's release is among the releases, so both states count.
              for (LogEntry.Win win : DeadWins.read(rows)) {
                win.lines()
                    .forEach(line -> sumsOf(sums, line.item().value()).stock -= line.quantity());
              }
              return read(connection, key, sums);
            });
  }

  private static Sums sumsOf(Map<ItemId, Sums> sums, long item) {
    return sums.computeIfAbsent(new ItemId(item), id -> new Sums());
  }

  private static Future<List<ItemInShard>> read(
      SqlConnection connection, Tuple key, Map<ItemId, Sums> sums) {
    return run(connection, Sql.SNAPSHOT_ITEMS, Tuples.repeat(key, 2))
        .map(
            rows -> {
              List<ItemInShard> items = new ArrayList<>(rows.size());
              for (Row row : rows) {
                items.add(itemOf(row, sums));
              }
              return items;
            });
  }

  private static ItemInShard itemOf(Row row, Map<ItemId, Sums> sums) {
    ItemId id = new ItemId(row.getLong(0));
    JsonObject version = new JsonObject(row.getString(1));
    ItemDefinition definition =
        new ItemDefinition(
            id,
            row.getString(2),
            row.getLong(3),
            row.getString(4),
            row.getString(5),
            row.getInteger(6),
            row.getLong(7),
            row.getLong(8),
            row.getLong(9));
    Sums item = sums.getOrDefault(id, new Sums());
    return new ItemInShard(
        definition,
        ItemState.valueOf(version.getString("state")),
        version.getLong("generation"),
        item.lastMove,
        item.adds,
        item.granted,
        item.stock);
  }

  /** A page of receipts; see {@link ShardReceipts}. */
  public Future<ShardReceipts> receipts(ShardReceiptsQuery query) {
    if (query.limit() < 1 || query.limit() > MAX_USERS) {
      return Future.failedFuture(
          new SeckillException(ErrorCode.INVALID_REQUEST, "a page has 1 to " + MAX_USERS));
    }
    return database.inTransaction(connection -> page(connection, query));
  }

  private static Future<ShardReceipts> page(SqlConnection connection, ShardReceiptsQuery query) {
    Tuple next =
        Tuple.of(query.item().value(), query.region(), query.shard(), query.afterUser())
            .addInteger(query.limit());
    TreeSet<String> users = new TreeSet<>();
    return run(connection, Sql.SNAPSHOT_USERS, next)
        .compose(
            rows -> {
              rows.forEach(row -> users.add(row.getString(0)));
              // Letters of users who belong to a later page are left to it.
              String upTo = rows.size() == query.limit() ? users.last() : "";
              return run(
                  connection,
                  Sql.SNAPSHOT_USER_LETTERS,
                  Tuple.of(query.region(), query.shard(), query.afterUser(), upTo, upTo));
            })
        .compose(
            rows -> {
              List<LogEntry.Win> letters = DeadWins.read(rows);
              letters.stream()
                  .filter(win -> quantityOf(win, query.item()) > 0)
                  .forEach(win -> users.add(win.user().value()));
              while (users.size() > query.limit()) {
                users.pollLast();
              }
              JsonArray names = new JsonArray(new ArrayList<>(users));
              return run(
                      connection,
                      Sql.SNAPSHOT_RECEIPTS,
                      Tuple.of(names.encode(), query.item().value(), query.region(), query.shard()))
                  .map(orders -> receiptsOf(users, orders, letters, query.item()));
            });
  }

  private static ShardReceipts receiptsOf(
      Set<String> users, Iterable<Row> orders, List<LogEntry.Win> letters, ItemId item) {
    Map<String, List<Win>> wins = new TreeMap<>();
    users.forEach(user -> wins.put(user, new ArrayList<>()));
    for (Row row : orders) {
      wins.get(row.getString(0)).add(Win.of(row));
    }
    addLetters(wins, letters, item);
    TreeMap<String, String> receipts = new TreeMap<>();
    wins.forEach((user, list) -> receipts.put(user, receiptOf(list)));
    return new ShardReceipts(receipts);
  }

  private static void addLetters(
      Map<String, List<Win>> wins, List<LogEntry.Win> letters, ItemId item) {
    for (LogEntry.Win win : letters) {
      int quantity = quantityOf(win, item);
      if (quantity > 0 && wins.containsKey(win.user().value())) {
        List<Win> list = wins.get(win.user().value());
        list.add(new Win(win.keyDigest() + '|' + win.bodyDigest(), win.id(), quantity, true));
        list.sort((a, b) -> a.place().compareTo(b.place()));
      }
    }
  }

  private static int quantityOf(LogEntry.Win win, ItemId item) {
    return win.lines().stream()
        .filter(line -> line.item().equals(item))
        .mapToInt(LogEntry.WinLine::quantity)
        .sum();
  }

  /** A win of one user in one item. */
  private record Win(String digests, EntryId place, int quantity, boolean held) {

    static Win of(Row row) {
      return new Win(
          row.getString(1) + '|' + row.getString(2),
          new EntryId(row.getLong(3), row.getLong(4)),
          row.getInteger(5),
          row.getInteger(6) > 0);
    }
  }

  /** The text that {@code receipts.lua} would have written. */
  private static String receiptOf(List<Win> wins) {
    long held = wins.stream().filter(Win::held).mapToLong(Win::quantity).sum();
    long released = wins.stream().filter(win -> !win.held()).count();
    StringBuilder text = new StringBuilder().append(held);
    for (Win win : wins) {
      if (!win.held() && released-- > KEEP_RELEASED) {
        continue;
      }
      text.append(';')
          .append(win.digests())
          .append('|')
          .append(win.place())
          .append('|')
          .append(win.quantity())
          .append(win.held() ? "|h" : "|r");
    }
    return text.toString();
  }
}
