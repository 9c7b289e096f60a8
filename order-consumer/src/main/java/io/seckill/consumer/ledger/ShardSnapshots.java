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

  /** The items of a shard; see {@link ShardSnapshot}. */
  public Future<ShardSnapshot> snapshot(ShardSnapshotQuery query) {
    return database.inTransaction(
        connection -> {
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
                          .forEach(
                              line -> sumsOf(sums, line.item().value()).stock -= line.quantity());
                    }
                    return items(connection, key, sums);
                  })
              .compose(
                  items ->
                      missing(connection, query).map(missing -> new ShardSnapshot(missing, items)));
        });
  }

  private static Sums sumsOf(Map<ItemId, Sums> sums, long item) {
    return sums.computeIfAbsent(new ItemId(item), id -> new Sums());
  }

  private static Future<List<ItemInShard>> items(
      SqlConnection connection, Tuple key, Map<ItemId, Sums> sums) {
    Tuple twice = Tuple.of(key.getValue(0), key.getValue(1), key.getValue(0), key.getValue(1));
    return run(connection, Sql.SNAPSHOT_ITEMS, twice)
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

  private static Future<Long> missing(SqlConnection connection, ShardSnapshotQuery query) {
    if (query.lastEpoch() == 0) {
      return Future.succeededFuture(0L);
    }
    Tuple arguments = Tuple.tuple();
    for (int i = 0; i < 3; i++) {
      arguments
          .addInteger(query.region())
          .addInteger(query.shard())
          .addLong(query.lastEpoch())
          .addLong(query.lastSeq());
    }
    return run(connection, Sql.COUNT_STORED_UP_TO, arguments)
        .map(rows -> query.lastSeq() - rows.iterator().next().getLong(0));
  }

  /** A page of receipts; see {@link ShardReceipts}. */
  public Future<ShardReceipts> receipts(ShardReceiptsQuery query) {
    if (query.limit() < 1 || query.limit() > MAX_USERS) {
      return Future.failedFuture(
          new SeckillException(ErrorCode.INVALID_REQUEST, "a page has 1 to " + MAX_USERS));
    }
    return database.inTransaction(
        connection ->
            run(connection, Sql.SNAPSHOT_LETTERS, Tuple.of(query.region(), query.shard()))
                .compose(letters -> page(connection, query, DeadWins.readOpen(letters))));
  }

  private static Future<ShardReceipts> page(
      SqlConnection connection, ShardReceiptsQuery query, List<LogEntry.Win> letters) {
    Tuple next =
        Tuple.of(query.region(), query.shard(), query.item().value(), query.afterUser())
            .addInteger(query.limit());
    return run(connection, Sql.SNAPSHOT_USERS, next)
        .compose(
            rows -> {
              TreeSet<String> users = new TreeSet<>();
              for (Row row : rows) {
                users.add(row.getString(0));
              }
              letters.stream()
                  .filter(win -> quantityOf(win, query.item()) > 0)
                  .map(win -> win.user().value())
                  .filter(user -> user.compareTo(query.afterUser()) > 0)
                  .forEach(users::add);
              while (users.size() > query.limit()) {
                users.pollLast();
              }
              JsonArray names = new JsonArray(new ArrayList<>(users));
              return run(
                      connection,
                      Sql.SNAPSHOT_RECEIPTS,
                      Tuple.of(names.encode(), query.region(), query.shard(), query.item().value()))
                  .map(
                      orders -> {
                        Map<String, List<Win>> wins = new TreeMap<>();
                        users.forEach(user -> wins.put(user, new ArrayList<>()));
                        for (Row row : orders) {
                          wins.get(row.getString(0)).add(Win.of(row));
                        }
                        addLetters(wins, letters, query.item());
                        TreeMap<String, String> receipts = new TreeMap<>();
                        wins.forEach((user, list) -> receipts.put(user, receiptOf(list)));
                        return new ShardReceipts(receipts);
                      });
            });
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
