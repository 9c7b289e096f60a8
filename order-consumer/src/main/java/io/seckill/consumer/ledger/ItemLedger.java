package io.seckill.consumer.ledger;

import static io.seckill.consumer.db.Database.run;

import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.ItemChanged;
import io.seckill.common.bus.ItemCreate;
import io.seckill.common.bus.ItemQuery;
import io.seckill.common.bus.ItemRecords;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemGroup;
import io.seckill.common.item.ItemRecord;
import io.seckill.common.item.Move;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Sql;
import io.seckill.consumer.ledger.OperatorRequest.Units;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The truth about items and about the units that each shard was given. Every change is one
 * transaction, idempotent by request id, and leaves a row in the audit log. Immutable, fit for all
 * event loops.
 */
public final class ItemLedger {

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

  /** Writes an item with its stock; nothing is on sale yet. */
  public Future<ItemRecords> create(ItemCreate create) {
    if (create.stock() < 0 || create.stock() > ItemChanging.MAX_UNITS) {
      return failed(ErrorCode.INVALID_REQUEST, "stock is 0 to " + ItemChanging.MAX_UNITS);
    }
    ItemDefinition item = create.definition();
    ItemGroup group = item.group();
    if (group != null
        && (group.limitPerUser() < 1 || group.limitPerUser() > ItemChanging.MAX_LIMIT)) {
      return failed(ErrorCode.INVALID_REQUEST, "a limit is 1 to " + ItemChanging.MAX_LIMIT);
    }
    OperatorRequest request =
        new OperatorRequest(
            create.requestId(),
            create.actor(),
            "CREATE",
            item.id().value(),
            create.stock() + " units of " + item);
    return database.inTransactionRepeating(
        connection ->
            request
                .once(connection, () -> createOnce(connection, create))
                .compose(done -> recordOf(connection, item.id()))
                .map(record -> new ItemRecords(List.of(record))));
  }

  private static Future<Units> createOnce(SqlConnection connection, ItemCreate create) {
    return ItemRow.find(connection, Sql.FIND_ITEM_FOR_UPDATE, create.definition().id())
        .compose(
            item -> {
              if (item == null) {
                return createNew(connection, create);
              }
              boolean same =
                  item.definition().equals(create.definition())
                      && item.counters().stock() == create.stock();
              return same
                  ? Future.<Void>succeededFuture()
                  : failed(ErrorCode.CONFLICT, "item " + item.id() + " exists with other content");
            })
        .map(Units.NONE);
  }

  private static Future<Void> createNew(SqlConnection connection, ItemCreate create) {
    if (create.definition().endsAtMs() <= System.currentTimeMillis()) {
      return failed(ErrorCode.INVALID_REQUEST, "the end of the window is past; nobody could buy");
    }
    return joinGroup(connection, create.definition().group())
        .compose(done -> insert(connection, create));
  }

  /** The first item of a group fixes its limit. */
  private static Future<Void> joinGroup(SqlConnection connection, ItemGroup group) {
    if (group == null) {
      return Future.succeededFuture();
    }
    return run(connection, Sql.FIND_GROUP, Tuple.of(group.id()))
        .compose(
            rows -> {
              if (rows.size() == 0) {
                return run(connection, Sql.INSERT_GROUP, Tuple.of(group.id(), group.limitPerUser()))
                    .mapEmpty();
              }
              int limit = rows.iterator().next().getInteger(0);
              return limit == group.limitPerUser()
                  ? Future.succeededFuture()
                  : failed(
                      ErrorCode.CONFLICT, "the group " + group.id() + " has the limit " + limit);
            });
  }

  private static Future<Void> insert(SqlConnection connection, ItemCreate create) {
    ItemDefinition item = create.definition();
    ItemGroup group = item.group();
    return run(
            connection,
            Sql.INSERT_ITEM,
            Tuple.of(item.id().value(), item.name(), item.priceMinor(), item.currency())
                .addString(item.picture())
                .addInteger(item.limitPerUser())
                .addLong(item.startsAtMs())
                .addLong(item.endsAtMs())
                .addLong(item.payWithinMs())
                .addString(group == null ? "" : group.id())
                .addInteger(group == null ? 0 : group.limitPerUser())
                .addLong(create.stock()))
        .mapEmpty();
  }

  /** Writes a change; see {@link ItemChanged}. Redis has not heard of it when this succeeds. */
  public Future<ItemChanged> change(ItemChange change) {
    if (change.shardCount() < 1) {
      return failed(ErrorCode.INVALID_REQUEST, "a change reaches the ledger by way of an engine");
    }
    try {
      ItemChanging.check(change);
    } catch (SeckillException e) {
      return Future.failedFuture(e);
    }
    OperatorRequest request =
        new OperatorRequest(
            change.requestId(),
            change.actor(),
            change.action().name(),
            change.item().value(),
            ItemChanging.contentOf(change));
    return database.inTransactionRepeating(
        connection ->
            request
                .once(connection, () -> changeOnce(connection, change))
                .compose(units -> told(connection, change, units)));
  }

  private Future<Units> changeOnce(SqlConnection connection, ItemChange change) {
    return ItemRow.find(connection, Sql.FIND_ITEM_FOR_UPDATE, change.item())
        .compose(
            item ->
                item == null
                    ? failed(ErrorCode.NOT_FOUND, "there is no item " + change.item())
                    : new ItemChanging(connection, region, change, item).apply());
  }

  private Future<ItemChanged> told(SqlConnection connection, ItemChange change, Units units) {
    return run(connection, Sql.FIND_REQUEST_MOVES, Tuple.of(change.requestId()))
        .compose(
            rows -> {
              Row out = rows.iterator().next();
              return recordOf(connection, change.item())
                  .map(
                      record ->
                          new ItemChanged(
                              record,
                              units.asked(),
                              units.done() + out.getLong(0),
                              out.getLong(1) == 0));
            });
  }

  /** Items with their outstanding moves. */
  public Future<ItemRecords> query(ItemQuery query) {
    if (query.item() != null) {
      return database.inTransaction(
          connection ->
              recordOf(connection, query.item()).map(record -> new ItemRecords(List.of(record))));
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
                                    ItemRow item = ItemRow.of(row);
                                    records.add(
                                        item.toRecord(moves.getOrDefault(item.id(), List.of())));
                                  }
                                  return new ItemRecords(records);
                                })));
  }

  private Future<ItemRecord> recordOf(SqlConnection connection, ItemId id) {
    return ItemRow.find(connection, Sql.FIND_ITEM, id)
        .compose(
            item ->
                item == null
                    ? failed(ErrorCode.NOT_FOUND, "there is no item " + id)
                    : outstanding(connection, id.value())
                        .map(moves -> item.toRecord(moves.getOrDefault(id, List.of()))));
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
