package io.seckill.testkit;

import io.vertx.core.Future;
import io.vertx.mysqlclient.MySQLConnection;
import java.time.Duration;
import java.util.concurrent.ExecutionException;

/**
 * A transaction that stays open, and with it the locks that its statements took, until it is
 * closed. It reads repeatably, so that a locking read of a whole table also locks the gaps: nobody
 * can insert.
 */
public final class SqlHold implements AutoCloseable {

  private static final Duration BOUND = Duration.ofSeconds(60);

  private final MySQLConnection connection;

  private SqlHold(MySQLConnection connection) {
    this.connection = connection;
  }

  /**
   * Begins, runs the statements in their order and returns when all locks are held.
   *
   * @throws IllegalStateException when one fails
   */
  public static SqlHold of(MySqlAddress address, String... statements) {
    return new SqlHold(
        await(
            "a connection",
            MySQLConnection.connect(SqlServer.clientVertx(), address.connectOptions())
                .compose(
                    connection ->
                        begin(connection, statements)
                            .map(connection)
                            .onFailure(failure -> connection.close()))));
  }

  private static Future<Void> begin(MySQLConnection connection, String... statements) {
    Future<Void> all =
        run(connection, "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            .compose(done -> run(connection, "START TRANSACTION"));
    for (String statement : statements) {
      all = all.compose(done -> run(connection, statement));
    }
    return all;
  }

  private static Future<Void> run(MySQLConnection connection, String statement) {
    return connection.query(statement).execute().mapEmpty();
  }

  /** Rolls back and lets everything go. */
  @Override
  public void close() {
    await("the end", run(connection, "ROLLBACK").eventually(connection::close));
  }

  private static <T> T await(String what, Future<T> future) {
    try {
      return Await.result(BOUND, what + " of a held transaction", future);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause().getMessage(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
