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
import io.seckill.common.id.ShardRef;
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
  private static final int KEEP_RELEASED = 32;

  private static final int MAX_USERS = 1_000;

  private final Database database;
  private final LogPages pages;

  /** Makes the reader. */
  public ShardSnapshots(Database database) {
    this(database, LogPages.ROWS_AT_ONCE);
  }

  /** With other pages, for tests. */
  ShardSnapshots(Database database, int rowsAtOnce) {
    this.database = database;
    this.pages = new LogPages(database, rowsAtOnce);
  }

  /**
   * The items of a shard; see {@link ShardSnapshot}. What is missing is counted first: while the
   * consumer is storing, later statements see more rows than earlier ones, and sums of different
   * moments would sell units twice.
   *
   * <p>Once nothing is missing, no row that counts can come any more, so a shard of any size is
   * read page by page, in many short statements and without a snapshot of the database. Every epoch
   * before the claim of whoever asks is closed, and the claimed one has no entry before the shard
   * is open; so:
   *
   * <ul>
   *   <li>a win, a release, a move or a state of a closed epoch is stored, or comes beyond the end
   *       and is written as LOST or as not effective, which no sum counts. Whether a row counts is
   *       said when it is written and never changes: a release leaves the order a win, and a later
   *       closing lowers no end below what is stored;
   *   <li>a transfer stored out of turn needs an entry that is not stored yet, and there is none.
   *       One that had looked before that was so is waited for: it holds the shard's row;
   *   <li>a dead letter closes by a release, which is an entry too, and counts before and after.
   *       New ones lie beyond the end: LOST.
   * </ul>
   *
   * <p>The items' own rows do change. They are read last, and a later generation only makes the
   * shard come back PAUSED. Whoever claims the shard meanwhile fences every write of this snapshot.
   */
  public Future<ShardSnapshot> snapshot(ShardSnapshotQuery query) {
    return missing(query)
        .compose(
            missing ->
                missing > 0
                    ? Future.succeededFuture(new ShardSnapshot(missing, List.of()))
                    : new Reading(new ShardRef(query.region(), query.shard()))
                        .read()
                        .map(items -> new ShardSnapshot(0, items)));
  }

  private Future<Long> missing(ShardSnapshotQuery query) {
    Tuple shard = Tuple.of(query.region(), query.shard());
    return database.inTransaction(
        connection ->
            run(
                    connection,
                    Sql.FIND_TAILS,
                    Tuple.of(query.region(), query.shard(), query.lastEpoch()))
                .compose(
                    tails -> {
                      long missing = 0;
                      for (Row tail : tails) {
                        missing += tail.getLong(1) - tail.getLong(2);
                      }
                      return missing > 0
                          ? Future.succeededFuture(missing)
                          // Waits for whoever is still storing.
                          : run(connection, Sql.FIND_SHARD_FOR_UPDATE, shard).map(0L);
                    }));
  }

  /** What the rows say of one item in the shard. */
  private static final class Stored {
    /** The version that the shard took over last; null for none. */
    JsonObject version;

    long lastMove;
    long adds;
    long granted;
    long sent;
    long received;
    long stock;

    /**
     * Also without a version: units went to another shard, and then the log lost everything that it
     * knew of the item. The shard begins anew with a debt, which the item's first move pays when it
     * comes again.
     */
    boolean isKnown() {
      return version != null || sent > 0;
    }
  }

  /** One reading of a shard. Belongs to one event loop. */
  private final class Reading {

    private final ShardRef shard;
    private final Map<ItemId, Stored> items = new TreeMap<>();

    Reading(ShardRef shard) {
      this.shard = shard;
    }

    Future<List<ItemInShard>> read() {
      Tuple key = Tuple.of(shard.region(), shard.shard());
      return pages
          .log(Sql.SNAPSHOT_STATES, shard, LogPages.END, this::takeState)
          .compose(done -> pages.log(Sql.SUM_MOVES, shard, LogPages.END, this::addMoves))
          .compose(done -> pages.log(Sql.SUM_RELEASES, shard, LogPages.END, this::addReleases))
          .compose(done -> pages.orders(Sql.SUM_WINS, shard, LogPages.END, this::addWins))
          .compose(done -> database.query(Sql.SNAPSHOT_SENT, key))
          .compose(
              rows -> {
                rows.forEach(this::addSent);
                return database.query(Sql.SNAPSHOT_LETTERS, key);
              })
          .compose(
              rows -> {
                addLetters(rows);
                return readDefinitions();
              });
    }

    private Stored of(long item) {
      return items.computeIfAbsent(new ItemId(item), id -> new Stored());
    }

    private void takeState(Row row) {
      of(row.getLong(0)).version = new JsonObject(row.getString(1));
    }

    private void addMoves(Row row) {
      Stored item = of(row.getLong(0));
      long granted = row.getLong(3) - row.getLong(4);
      item.lastMove = Math.max(item.lastMove, row.getLong(1));
      item.adds += row.getLong(2);
      item.granted += granted;
      item.received += row.getLong(5);
      item.stock += granted + row.getLong(5);
    }

    private void addReleases(Row row) {
      Stored item = of(row.getLong(0));
      item.adds += row.getLong(1);
      item.stock += row.getLong(2);
      item.granted -= row.getLong(3);
    }

    private void addWins(Row row) {
      Stored item = of(row.getLong(0));
      item.stock -= row.getLong(1);
      item.adds += row.getLong(3);
    }

    private void addSent(Row row) {
      Stored item = of(row.getLong(0));
      item.sent += row.getLong(1);
      item.stock -= row.getLong(1);
    }

    /** A released letter's release is among the releases, so both states count. */
    private void addLetters(Iterable<Row> rows) {
      for (LogEntry letter : DeadWins.readEntries(rows)) {
        boolean promoted = letter instanceof LogEntry.Promotion;
        for (LogEntry.WinLine line : letter.taken().orElseThrow().lines()) {
          Stored item = of(line.item().value());
          item.stock -= line.quantity();
          item.adds += promoted ? 1 : 0;
        }
      }
    }

    private Future<List<ItemInShard>> readDefinitions() {
      JsonArray known = new JsonArray();
      items.forEach(
          (id, item) -> {
            if (item.isKnown()) {
              known.add(id.value());
            }
          });
      return database
          .query(Sql.SNAPSHOT_ITEMS, Tuple.of(known.encode()))
          .map(
              rows -> {
                List<ItemInShard> list = new ArrayList<>(rows.size());
                for (Row row : rows) {
                  Stored item = of(row.getLong(0));
                  Version version = Version.of(item.version, row);
                  if (!version.isForgotten()) {
                    list.add(itemOf(ItemRow.definitionOf(row), version, item));
                  }
                }
                return list;
              });
    }
  }

  /**
   * The version of an item that a shard took over last.
   *
   * @param archived whether all shards have forgotten it
   */
  private record Version(ItemState state, long generation, boolean archived) {

    /** The shard took over none. */
    private static final Version NONE = new Version(ItemState.PREPARED, 0, false);

    static Version of(JsonObject stored, Row item) {
      if (stored == null) {
        return NONE;
      }
      ItemState state = ItemState.valueOf(stored.getString("state"));
      long generation = stored.getLong("generation");
      // The shard may have lost a change that stops or narrows the sale: it must not sell before
      // it has it again.
      boolean isBehind = generation < item.getLong(ItemRow.DEFINITION_COLUMNS + 1);
      return new Version(
          state == ItemState.OPEN && isBehind ? ItemState.PAUSED : state,
          generation,
          item.getInteger(ItemRow.DEFINITION_COLUMNS) != 0);
    }

    boolean isForgotten() {
      return archived || state == ItemState.ARCHIVED;
    }
  }

  private static ItemInShard itemOf(ItemDefinition definition, Version version, Stored item) {
    return new ItemInShard(
        definition,
        version.state(),
        version.generation(),
        item.lastMove,
        item.adds,
        item.granted,
        item.sent,
        item.received,
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
        list.add(
            new Win(
                win.keyDigest() + '|' + win.bodyDigest(), win.id(), quantity, true, win.atMs()));
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
  private record Win(String digests, EntryId place, int quantity, boolean held, long wonAtMs) {

    static Win of(Row row) {
      return new Win(
          row.getString(1) + '|' + row.getString(2),
          new EntryId(row.getLong(3), row.getLong(4)),
          row.getInteger(5),
          row.getInteger(6) > 0,
          row.getLong(7));
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
          .append(win.held() ? "|h|" : "|r|")
          .append(win.wonAtMs());
    }
    return text.toString();
  }
}
