package io.seckill.consumer.db;

import io.seckill.common.config.SeckillConfig;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.mysqlclient.MySQLConnection;
import io.vertx.mysqlclient.MySQLException;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the schema up to this release: numbered files under {@code db/migrations}, one statement
 * each, in order, under a lock of the database server, each recorded when it is done. Every file
 * can be run twice, because DDL commits by itself and a crash may fall between it and its record.
 */
public final class Migrator {

  private static final Logger LOG = LoggerFactory.getLogger(Migrator.class);

  private static final String FOLDER = "db/migrations/";

  /** Another node may be migrating; on an empty database that takes about a second. */
  private static final int LOCK_WAIT_SECONDS = 60;

  /** Bound on the whole run, the wait for the lock included. */
  private static final long BOUND_MS = 180_000;

  /** What a table gets was there already: the crash fell between the statement and its record. */
  private static final Set<Integer> DONE_BEFORE = Set.of(1060, 1061);

  private final Vertx vertx;
  private final SeckillConfig.MySql config;

  /** For one database. */
  public Migrator(Vertx vertx, SeckillConfig.MySql config) {
    this.vertx = vertx;
    this.config = config;
  }

  /**
   * A numbered file.
   *
   * @param version its number
   * @param name its file name
   */
  record Migration(int version, String name) {

    static Migration of(String name) {
      return new Migration(Integer.parseInt(name.substring(0, name.indexOf('_'))), name);
    }
  }

  /**
   * Runs what is missing.
   *
   * @return how many migrations ran; fails with {@link IllegalStateException} when the database is
   *     newer than this release or the lock is held for too long
   */
  public Future<Integer> migrate() {
    return MySQLConnection.connect(vertx, Database.connectOptions(config))
        .compose(
            connection ->
                lock(connection)
                    .compose(locked -> createTable(connection))
                    .compose(created -> missing(connection))
                    .compose(missing -> runAll(connection, missing))
                    // Closing the connection gives the lock back, whatever happened.
                    .eventually(connection::close))
        .timeout(BOUND_MS, TimeUnit.MILLISECONDS);
  }

  /** The names of the files in their order, as the build knows them. */
  static List<Migration> known() {
    List<Migration> migrations = new ArrayList<>();
    for (String name : Sql.read(FOLDER + "index.txt").split("\n", -1)) {
      migrations.add(Migration.of(name.strip()));
    }
    return migrations;
  }

  private Future<Void> lock(MySQLConnection connection) {
    return connection
        .preparedQuery("SELECT GET_LOCK(CONCAT('seckill.', MD5(DATABASE())), ?)")
        .execute(Tuple.of(LOCK_WAIT_SECONDS))
        .compose(
            rows -> {
              Integer got = rows.iterator().next().getInteger(0);
              return got != null && got == 1
                  ? Future.succeededFuture()
                  : Future.failedFuture(
                      new IllegalStateException(
                          "another node has been migrating the database "
                              + config.database()
                              + " for over "
                              + LOCK_WAIT_SECONDS
                              + " s"));
            });
  }

  private static Future<Void> createTable(MySQLConnection connection) {
    return connection
        .query(
            "CREATE TABLE IF NOT EXISTS migrations ("
                + "version INT NOT NULL, name VARCHAR(200) NOT NULL,"
                + " done_at_ms BIGINT NOT NULL, PRIMARY KEY (version))"
                + " ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
        .execute()
        .mapEmpty();
  }

  private Future<List<Migration>> missing(MySQLConnection connection) {
    return connection
        .query("SELECT version FROM migrations")
        .execute()
        .compose(
            rows -> {
              TreeSet<Integer> done = new TreeSet<>();
              for (Row row : rows) {
                done.add(row.getInteger(0));
              }
              List<Migration> all = known();
              int newest = all.get(all.size() - 1).version();
              if (!done.isEmpty() && done.last() > newest) {
                return Future.failedFuture(
                    new IllegalStateException(
                        "the database "
                            + config.database()
                            + " has schema version "
                            + done.last()
                            + ", this release knows "
                            + newest
                            + ": run a newer release"));
              }
              return Future.succeededFuture(
                  all.stream().filter(one -> !done.contains(one.version())).toList());
            });
  }

  private static Future<Integer> runAll(MySQLConnection connection, List<Migration> missing) {
    Future<Void> chain = Future.succeededFuture();
    for (Migration migration : missing) {
      chain = chain.compose(done -> runOne(connection, migration));
    }
    return chain.map(missing.size());
  }

  private static Future<Void> runOne(MySQLConnection connection, Migration migration) {
    LOG.debug("migration {}", migration.name());
    return connection
        .query(Sql.read(FOLDER + migration.name()))
        .execute()
        .<Void>mapEmpty()
        .recover(
            failure ->
                failure instanceof MySQLException e && DONE_BEFORE.contains(e.getErrorCode())
                    ? Future.succeededFuture()
                    : Future.failedFuture(failure))
        .compose(
            done ->
                connection
                    .preparedQuery(
                        "INSERT INTO migrations (version, name, done_at_ms) VALUES (?, ?,"
                            + " TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3))"
                            + " DIV 1000)")
                    .execute(Tuple.of(migration.version(), migration.name())))
        .mapEmpty();
  }
}
