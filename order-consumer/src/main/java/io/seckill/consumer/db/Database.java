package io.seckill.consumer.db;

import io.seckill.common.config.SeckillConfig;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClientOptions;
import io.vertx.mysqlclient.MySQLBuilder;
import io.vertx.mysqlclient.MySQLConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way to MySQL: bounded pools with bounded queues, one for each {@link Share} of a process,
 * READ COMMITTED and strict mode on every connection. Immutable; fit for all event loops.
 */
public final class Database {

  private static final Logger LOG = LoggerFactory.getLogger(Database.class);

  /** Prepared statements that a connection keeps; there are fewer statements than this in all. */
  private static final int STATEMENT_CACHE = 256;

  /** The longest statement file is far below this. */
  private static final int STATEMENT_MAX_CHARS = 16_384;

  /** How often a conflict with another transaction is tried again at once. */
  private static final int CONFLICT_TRIES = 5;

  private final Pool pool;
  private final long timeoutMs;

  /** Who shares a pool: buyers who ask, however many, must not keep orders from being stored. */
  public enum Share {
    /** The log consumer. */
    STORING,
    /** Work that nobody waits for: one thing after the other, on one connection. */
    BACKGROUND,
    /** Everybody else. */
    ASKING;

    /** The connections of a share; all together are the configured number. */
    int of(int poolSize) {
      int storing = poolSize / 2;
      return switch (this) {
        case STORING -> storing;
        case BACKGROUND -> 1;
        case ASKING -> poolSize - storing - 1;
      };
    }
  }

  private Database(Pool pool, long timeoutMs) {
    this.pool = pool;
    this.timeoutMs = timeoutMs;
  }

  /**
   * Opens the pool; connects when first used. All verticles of one Vert.x instance that open the
   * same share of the same address use one pool.
   */
  public static Database open(Vertx vertx, SeckillConfig.MySql config, Share share) {
    PoolOptions pool =
        new PoolOptions()
            .setShared(true)
            .setName(
                "seckill-"
                    + share
                    + "-"
                    + config.host()
                    + ":"
                    + config.port()
                    + "/"
                    + config.database())
            .setMaxSize(share.of(config.poolSize()))
            .setMaxWaitQueueSize(config.maxWaitQueue())
            .setConnectionTimeout((int) config.connectTimeoutMs())
            .setConnectionTimeoutUnit(TimeUnit.MILLISECONDS)
            // Closed by us well before the silence bound below would cut it.
            .setIdleTimeout((int) Math.max(1, config.statementTimeoutMs() / 2))
            .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
            .setPoolCleanerPeriod((int) Math.max(1, config.statementTimeoutMs() / 4));
    Pool made =
        MySQLBuilder.pool()
            .with(pool)
            .with(netOptions(config))
            .connectingTo(connectOptions(config))
            .withConnectHandler(connection -> prepare(connection, config))
            .using(vertx)
            .build();
    return new Database(made, config.statementTimeoutMs());
  }

  static MySQLConnectOptions connectOptions(SeckillConfig.MySql config) {
    return new MySQLConnectOptions()
        .setHost(config.host())
        .setPort(config.port())
        .setDatabase(config.database())
        .setUser(config.user())
        .setPassword(config.password().value())
        .setCharset("utf8mb4")
        .setUseAffectedRows(true)
        .setCachePreparedStatements(true)
        .setPreparedStatementCacheMaxSize(STATEMENT_CACHE)
        .setPreparedStatementCacheSqlLimit(STATEMENT_MAX_CHARS);
  }

  private static NetClientOptions netOptions(SeckillConfig.MySql config) {
    return new NetClientOptions()
        .setConnectTimeout((int) config.connectTimeoutMs())
        .setTcpNoDelay(true)
        .setTcpKeepAlive(true)
        // A server that froze in the middle of a statement is cut off: the client has no time-out
        // of its own for statements.
        .setReadIdleTimeout((int) config.statementTimeoutMs())
        .setIdleTimeoutUnit(TimeUnit.MILLISECONDS);
  }

  private static void prepare(SqlConnection connection, SeckillConfig.MySql config) {
    long lockWaitSeconds = Math.max(1, config.statementTimeoutMs() / 2_000);
    connection
        .query("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
        .execute()
        .compose(
            done ->
                connection
                    .query(
                        "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE,"
                            + "NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO',"
                            + " innodb_lock_wait_timeout = "
                            + lockWaitSeconds)
                    .execute())
        .onSuccess(done -> connection.close())
        .onFailure(failure -> discard(connection, failure));
  }

  /**
   * Without these settings a connection would read and write by other rules: it must not be used.
   * The pool keeps what it is given back, so the server is told to end it.
   */
  private static void discard(SqlConnection connection, Throwable failure) {
    LOG.warn("a connection to MySQL cannot be prepared: {}", failure.getMessage());
    connection
        .query("KILL CONNECTION_ID()")
        .execute()
        // It fails always: the answer is that the connection is gone.
        .onComplete(done -> connection.close());
  }

  /**
   * Runs work in one transaction: commits when it succeeds, rolls back when it fails. A failure of
   * COMMIT, a time-out or a lost connection leave the outcome open: work must be safe to repeat.
   */
  public <T> Future<T> inTransaction(Function<SqlConnection, Future<T>> work) {
    return pool.withTransaction(work).timeout(timeoutMs, TimeUnit.MILLISECONDS);
  }

  /**
   * As {@link #inTransaction}, and begins again, a few times, when another transaction was in the
   * way: deadlock, lock wait, a row that appeared meanwhile.
   */
  public <T> Future<T> inTransactionRepeating(Function<SqlConnection, Future<T>> work) {
    return repeating(work, CONFLICT_TRIES);
  }

  private <T> Future<T> repeating(Function<SqlConnection, Future<T>> work, int tries) {
    return inTransaction(work)
        .recover(
            failure ->
                tries > 1 && SqlFailures.isConflict(failure)
                    ? repeating(work, tries - 1)
                    : Future.failedFuture(failure));
  }

  /**
   * Runs questions that all see one moment, however many they are: the time of each is bounded,
   * that of all together is not. Keeps a connection as long.
   */
  public <T> Future<T> inSnapshot(Function<SqlConnection, Future<T>> questions) {
    return pool.withConnection(
        connection ->
            connection
                // Of the next transaction only.
                .query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                .execute()
                .compose(done -> connection.begin())
                .compose(
                    transaction ->
                        questions.apply(connection).eventually(() -> transaction.rollback())));
  }

  /** Runs one statement on a connection of the pool. */
  public Future<RowSet<Row>> query(Sql statement, Tuple arguments) {
    return run(pool, statement, arguments).timeout(timeoutMs, TimeUnit.MILLISECONDS);
  }

  /** Runs one statement on a client: a connection within a transaction. */
  public static Future<RowSet<Row>> run(SqlClient client, Sql statement, Tuple arguments) {
    return client.preparedQuery(statement.text()).execute(arguments);
  }

  /** Whether the database answers; for readiness. */
  public Future<Void> ping() {
    return pool.query("SELECT 1").execute().timeout(timeoutMs, TimeUnit.MILLISECONDS).mapEmpty();
  }

  /** Closes the pool, or this verticle's share of it. */
  public Future<Void> close() {
    return pool.close();
  }
}
