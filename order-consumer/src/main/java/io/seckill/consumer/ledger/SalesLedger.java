package io.seckill.consumer.ledger;

import static io.seckill.consumer.db.Database.run;

import io.seckill.common.bus.SalesChange;
import io.seckill.common.bus.SalesQuery;
import io.seckill.common.bus.SalesRecord;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Sql;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;

/** The stop switch of all sales of a region. Immutable, fit for all event loops. */
public final class SalesLedger {

  private final Database database;

  /** Makes the ledger. */
  public SalesLedger(Database database) {
    this.database = database;
  }

  /** Turns the switch; Redis has not heard of it when this succeeds. */
  public Future<SalesRecord> change(SalesChange change) {
    OperatorRequest request =
        new OperatorRequest(
            change.requestId(),
            change.actor(),
            change.stopped() ? "STOP_SALES" : "OPEN_SALES",
            0,
            "region " + change.region());
    return database.inTransactionRepeating(
        connection ->
            request
                .once(connection, () -> turn(connection, change))
                .compose(done -> read(connection, change.region())));
  }

  private static Future<OperatorRequest.Units> turn(SqlConnection connection, SalesChange change) {
    return run(connection, Sql.FIND_SALES_FOR_UPDATE, Tuple.of(change.region()))
        .compose(
            rows -> {
              if (recordOf(rows).stopped() == change.stopped()) {
                return Future.succeededFuture(OperatorRequest.Units.NONE);
              }
              return run(
                      connection,
                      rows.size() == 0 ? Sql.INSERT_SALES : Sql.CHANGE_SALES,
                      Tuple.of(change.stopped() ? 1 : 0, change.actor(), change.region()))
                  .map(OperatorRequest.Units.NONE);
            });
  }

  /** Tells how it stands. */
  public Future<SalesRecord> query(SalesQuery query) {
    return database.query(Sql.FIND_SALES, Tuple.of(query.region())).map(SalesLedger::recordOf);
  }

  /** Tells how it stands within a transaction. */
  static Future<SalesRecord> read(SqlConnection connection, int region) {
    return run(connection, Sql.FIND_SALES, Tuple.of(region)).map(SalesLedger::recordOf);
  }

  private static SalesRecord recordOf(RowSet<Row> rows) {
    if (rows.size() == 0) {
      return SalesRecord.UNTOUCHED;
    }
    Row row = rows.iterator().next();
    return new SalesRecord(row.getInteger(0) != 0, row.getLong(1));
  }
}
