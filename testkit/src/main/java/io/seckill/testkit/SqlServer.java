package io.seckill.testkit;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.mysqlclient.MySQLConnection;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A running server of the MySQL family, in which each test makes a database of its own. Safe for
 * use by many threads.
 */
public final class SqlServer {

  private static final Duration BOUND = Duration.ofSeconds(60);

  /** One small Vert.x for all setting up; its threads do not hold the JVM. */
  private static final class Client {
    static final Vertx VERTX =
        Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setUseDaemonThread(true));
  }

  private final MySqlAddress address;
  private final String version;

  /** Returns the Vert.x of all setting up. */
  static Vertx clientVertx() {
    return Client.VERTX;
  }

  private SqlServer(MySqlAddress address, String version) {
    this.address = address;
    this.version = version;
  }

  /** Connects once, to learn the version. */
  static SqlServer at(MySqlAddress address) {
    return new SqlServer(address, query(address, "SELECT VERSION()").get(0).getString(0));
  }

  /** Returns where the server is; the database in it is nobody's own. */
  public MySqlAddress address() {
    return address;
  }

  /** Returns what {@code SELECT VERSION()} says, such as {@code 11.4.5-MariaDB}. */
  public String version() {
    return version;
  }

  /** Creates an empty utf8mb4 database with a fresh name and returns its address. */
  public MySqlAddress newDatabase() {
    String name =
        "t"
            + Long.toString(
                ThreadLocalRandom.current().nextLong(Long.MAX_VALUE), Character.MAX_RADIX);
    query(address, "CREATE DATABASE " + name + " CHARACTER SET utf8mb4");
    return address.withDatabase(name);
  }

  /**
   * Runs one statement and returns the number in the first column of its first row.
   *
   * @throws IllegalStateException when it fails
   */
  public static long number(MySqlAddress address, String sql) {
    return query(address, sql).get(0).getLong(0);
  }

  /**
   * Runs one statement on a connection of its own and returns its rows. For setting up and for
   * looking at results.
   *
   * @throws IllegalStateException when it fails
   */
  public static List<Row> query(MySqlAddress address, String sql) {
    try {
      return Await.result(
          BOUND,
          "the answer to " + sql,
          MySQLConnection.connect(Client.VERTX, address.connectOptions())
              .compose(
                  connection ->
                      connection
                          .query(sql)
                          .execute()
                          .map(
                              rows -> {
                                List<Row> list = new ArrayList<>();
                                rows.forEach(list::add);
                                return List.copyOf(list);
                              })
                          .eventually(connection::close)));
    } catch (ExecutionException e) {
      throw new IllegalStateException(sql + ": " + e.getCause().getMessage(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted at " + sql, e);
    }
  }
}
