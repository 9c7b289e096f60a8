package io.seckill.consumer.ledger;

import static io.seckill.consumer.db.Database.run;

import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.ItemCreate;
import io.seckill.common.bus.ItemQuery;
import io.seckill.common.bus.ItemRecords;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemRecord;
import io.seckill.common.item.ItemState;
import io.seckill.common.item.Move;
import io.seckill.common.item.Split;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Sql;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The truth about items and about the units that each shard was given. Every change is one
 * transaction, idempotent by request id, and leaves a row in the audit log. Immutable, fit for all
 * event loops.
 */
public final class ItemLedger {

  private static final long MAX_UNITS = 1_000_000_000L;

  /** The generation of an item that is open for the first time; 1 is PREPARED. */
  private static final long FIRST_OPEN_GENERATION = 2;

  private final Database database;
  private final int region;

  /**
   * Makes the ledger.
   *
   * @param region whose moves it writes and tells
   */
  public ItemLedger(Database database, int region) {
    this.database = database;
    this.region = region;
  }

  /** An item's row. */
  private record Item(ItemDefinition definition, ItemState state, Counters counters) {

    static Item of(Row row) {
      ItemDefinition definition =
          new ItemDefinition(
              new ItemId(row.getLong(0)),
              row.getString(1),
              row.getLong(2),
              row.getString(3),
              row.getString(4),
              row.getInteger(5),
              row.getLong(6),
              row.getLong(7),
              row.getLong(8));
      return new Item(
          definition,
          ItemState.valueOf(row.getString(10)),
          new Counters(
              row.getLong(9), row.getLong(11), row.getLong(12), row.getLong(13), row.getLong(14)));
    }

    ItemId id() {
      return definition.id();
    }

    ItemRecord toRecord(List<Move> outstanding) {
      return new ItemRecord(
          definition,
          state,
          counters.generation(),
          counters.stock(),
          counters.unitsIn() - counters.unitsOut(),
          outstanding);
    }
  }

  private record Counters(
      long stock, long generation, long restocks, long unitsIn, long unitsOut) {}

  /**
   * What an operator asks for, as the audit log keeps it.
   *
   * @param content all that matters of it: the same id with other content is a contradiction
   */
  private record Request(String id, String actor, String action, ItemId item, String content) {

    String digest() {
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

  /** Writes an item with its stock; nothing is on sale yet. */
  public Future<ItemRecords> create(ItemCreate create) {
    if (create.stock() < 0 || create.stock() > MAX_UNITS) {
      return failed(ErrorCode.INVALID_REQUEST, "stock is 0 to " + MAX_UNITS);
    }
    Request request =
        new Request(
            create.requestId(),
            create.actor(),
            "CREATE",
            create.definition().id(),
            create.stock() + " units of " + create.definition());
    return once(
        request,
        connection ->
            find(connection, Sql.FIND_ITEM_FOR_UPDATE, create.definition().id())
                .compose(
                    item -> {
                      if (item == null) {
                        return insert(connection, create);
                      }
                      boolean same =
                          item.definition().equals(create.definition())
                              && item.counters().stock() == create.stock();
                      return same
                          ? Future.succeededFuture()
                          : failed(
                              ErrorCode.CONFLICT,
                              "item " + item.id() + " exists with other content");
                    }));
  }

  private static Future<Void> insert(SqlConnection connection, ItemCreate create) {
    ItemDefinition item = create.definition();
    return run(
            connection,
            Sql.INSERT_ITEM,
            Tuple.of(item.id().value(), item.name(), item.priceMinor(), item.currency())
                .addString(item.picture())
                .addInteger(item.limitPerUser())
                .addLong(item.startsAtMs())
                .addLong(item.endsAtMs())
                .addLong(item.payWithinMs())
                .addLong(create.stock()))
        .mapEmpty();
  }

  /** Writes a change. Redis has not heard of it when this succeeds. */
  public Future<ItemRecords> change(ItemChange change) {
    if (change.shardCount() < 1) {
      return failed(ErrorCode.INVALID_REQUEST, "a change reaches the ledger by way of an engine");
    }
    boolean units = change.action() == ItemChange.Action.RESTOCK;
    if (units && (change.units() < 1 || change.units() > MAX_UNITS)) {
      return failed(ErrorCode.INVALID_REQUEST, "units are 1 to " + MAX_UNITS);
    }
    Request request =
        new Request(
            change.requestId(),
            change.actor(),
            change.action().name(),
            change.item(),
            units ? change.units() + " units" : "");
    return once(
        request,
        connection ->
            find(connection, Sql.FIND_ITEM_FOR_UPDATE, change.item())
                .compose(
                    item ->
                        item == null
                            ? failed(ErrorCode.NOT_FOUND, "there is no item " + change.item())
                            : apply(connection, change, item)));
  }

  private Future<Void> apply(SqlConnection connection, ItemChange change, Item item) {
    ItemState state = item.state();
    boolean created = state == ItemState.CREATED;
    return switch (change.action()) {
      case PREHEAT ->
          switch (state) {
            case CREATED -> preheat(connection, change, item);
            case ENDED -> notNow(state);
            default -> Future.succeededFuture();
          };
      case RESTOCK ->
          created || state == ItemState.ENDED ? notNow(state) : restock(connection, change, item);
      case PAUSE ->
          switch (state) {
            case OPEN -> turn(connection, item, ItemState.PAUSED);
            case PAUSED -> Future.succeededFuture();
            default -> notNow(state);
          };
      case RESUME ->
          switch (state) {
            case PAUSED -> turn(connection, item, ItemState.OPEN);
            case OPEN -> Future.succeededFuture();
            default -> notNow(state);
          };
      case END ->
          switch (state) {
            case CREATED -> notNow(state);
            case ENDED -> Future.succeededFuture();
            default -> turn(connection, item, ItemState.ENDED);
          };
    };
  }

  private static Future<Void> notNow(ItemState state) {
    return state == ItemState.ENDED
        ? failed(ErrorCode.ENDED, "the sale of the item has ended")
        : failed(ErrorCode.NOT_READY, "the item has not been preheated");
  }

  private Future<Void> preheat(SqlConnection connection, ItemChange change, Item item) {
    // Redis' clock decides the window; this only tells an operator of a sale that nobody could ever
    // buy in.
    if (item.definition().endsAtMs() <= System.currentTimeMillis()) {
      return failed(ErrorCode.ENDED, "the sale's window is over");
    }
    long[] parts = Split.evenly(item.counters().stock(), change.shardCount(), 0);
    List<Move> moves = new ArrayList<>(parts.length);
    for (int shard = 0; shard < parts.length; shard++) {
      moves.add(new Move(item.id(), shard, 1, Move.Kind.PREHEAT, parts[shard]));
    }
    return insertMoves(connection, change, moves)
        .compose(
            done ->
                update(
                    connection,
                    item,
                    new Next(ItemState.OPEN, FIRST_OPEN_GENERATION, item.counters().stock(), 0)));
  }

  private Future<Void> restock(SqlConnection connection, ItemChange change, Item item) {
    if (item.counters().unitsIn() + change.units() > MAX_UNITS) {
      return failed(ErrorCode.INVALID_REQUEST, "an item has at most " + MAX_UNITS + " units");
    }
    return run(connection, Sql.FIND_LAST_MOVES, Tuple.of(item.id().value(), region))
        .compose(
            rows -> {
              Map<Integer, Long> last = new HashMap<>();
              for (Row row : rows) {
                last.put(row.getInteger(0), row.getLong(1));
              }
              int firstExtra = (int) (item.counters().restocks() % change.shardCount());
              long[] parts = Split.evenly(change.units(), change.shardCount(), firstExtra);
              List<Move> moves = new ArrayList<>(parts.length);
              for (int shard = 0; shard < parts.length; shard++) {
                if (parts[shard] > 0) {
                  long number = last.getOrDefault(shard, 0L) + 1;
                  moves.add(new Move(item.id(), shard, number, Move.Kind.RESTOCK, parts[shard]));
                }
              }
              return insertMoves(connection, change, moves);
            })
        .compose(
            done ->
                update(
                    connection,
                    item,
                    new Next(item.state(), item.counters().generation(), change.units(), 1)));
  }

  private Future<Void> turn(SqlConnection connection, Item item, ItemState to) {
    return update(connection, item, new Next(to, item.counters().generation() + 1, 0, 0));
  }

  /** What an item's row turns to. */
  private record Next(ItemState state, long generation, long moreUnits, int moreRestocks) {}

  private static Future<Void> update(SqlConnection connection, Item item, Next next) {
    return run(
            connection,
            Sql.CHANGE_ITEM_STATE,
            Tuple.of(next.state().name(), next.generation(), next.moreUnits())
                .addInteger(next.moreRestocks())
                .addLong(item.id().value())
                .addString(item.state().name())
                .addLong(item.counters().generation()))
        .compose(
            updated ->
                updated.rowCount() == 1
                    ? Future.succeededFuture()
                    : failed(ErrorCode.CONFLICT, "the item changed meanwhile"));
  }

  private Future<Void> insertMoves(SqlConnection connection, ItemChange change, List<Move> moves) {
    Future<Void> chain = Future.succeededFuture();
    for (Move move : moves) {
      chain =
          chain.compose(
              done ->
                  run(
                          connection,
                          Sql.INSERT_MOVE,
                          Tuple.of(move.item().value(), region, move.shard(), move.number())
                              .addString(move.kind().name())
                              .addLong(move.units())
                              .addString(change.requestId()))
                      .mapEmpty());
    }
    return chain;
  }

  /** Items with their outstanding moves. */
  public Future<ItemRecords> query(ItemQuery query) {
    if (query.item() != null) {
      return database.inTransaction(connection -> recordOf(connection, query.item()));
    }
    return database.inTransaction(
        connection ->
            run(connection, Sql.FIND_ITEMS, Tuple.tuple())
                .compose(
                    items ->
                        outstanding(connection, 0)
                            .map(
                                moves -> {
                                  List<ItemRecord> records = new ArrayList<>(items.size());
                                  for (Row row : items) {
                                    Item item = Item.of(row);
                                    records.add(
                                        item.toRecord(moves.getOrDefault(item.id(), List.of())));
                                  }
                                  return new ItemRecords(records);
                                })));
  }

  /** Does the work unless the same request was done before, and tells the item as it is then. */
  private Future<ItemRecords> once(Request request, Function<SqlConnection, Future<Void>> work) {
    return database.inTransactionRepeating(
        connection ->
            run(connection, Sql.FIND_AUDIT_LOG, Tuple.of(request.id()))
                .compose(
                    known -> {
                      if (known.size() == 0) {
                        return work.apply(connection).compose(done -> note(connection, request));
                      }
                      return known.iterator().next().getString(0).equals(request.digest())
                          ? Future.<Void>succeededFuture()
                          : failed(
                              ErrorCode.CONFLICT, "the request id was used for another request");
                    })
                .compose(done -> recordOf(connection, request.item())));
  }

  private static Future<Void> note(SqlConnection connection, Request request) {
    return run(
            connection,
            Sql.INSERT_AUDIT_LOG,
            Tuple.of(request.id(), request.actor(), request.action(), request.item().value())
                .addString(request.content())
                .addString(request.digest()))
        .mapEmpty();
  }

  private Future<ItemRecords> recordOf(SqlConnection connection, ItemId id) {
    return find(connection, Sql.FIND_ITEM, id)
        .compose(
            item ->
                item == null
                    ? failed(ErrorCode.NOT_FOUND, "there is no item " + id)
                    : outstanding(connection, id.value())
                        .map(
                            moves ->
                                new ItemRecords(
                                    List.of(item.toRecord(moves.getOrDefault(id, List.of()))))));
  }

  private static Future<Item> find(SqlClient client, Sql statement, ItemId id) {
    return run(client, statement, Tuple.of(id.value()))
        .map(rows -> rows.size() == 0 ? null : Item.of(rows.iterator().next()));
  }

  private Future<Map<ItemId, List<Move>>> outstanding(SqlClient client, long item) {
    return run(client, Sql.FIND_OUTSTANDING_MOVES, Tuple.of(region, item, item))
        .map(ItemLedger::movesOf);
  }

  private static Map<ItemId, List<Move>> movesOf(RowSet<Row> rows) {
    Map<ItemId, List<Move>> moves = new HashMap<>();
    for (Row row : rows) {
      ItemId item = new ItemId(row.getLong(0));
      moves
          .computeIfAbsent(item, id -> new ArrayList<>())
          .add(
              new Move(
                  item,
                  row.getInteger(1),
                  row.getLong(2),
                  Move.Kind.valueOf(row.getString(3)),
                  row.getLong(4)));
    }
    return moves;
  }

  private static <T> Future<T> failed(ErrorCode code, String detail) {
    return Future.failedFuture(new SeckillException(code, detail));
  }
}
