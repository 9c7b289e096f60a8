package io.seckill.launcher.bench;

import io.seckill.common.config.SeckillConfig;
import io.seckill.launcher.Waiting;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.mysqlclient.MySQLConnectOptions;
import io.vertx.mysqlclient.MySQLConnection;
import io.vertx.sqlclient.Transaction;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The baselines of {@code bench orders}: orders that come from nowhere and are written into tables
 * like ours, in a database of their own on the same server. Nothing is looked up or guarded, and
 * nothing is acknowledged. The client, its prepared statements, the isolation and the number of
 * connections are ours. Its methods wait and are for the thread of a command.
 */
final class PlainOrders implements AutoCloseable {

  private static final String SCHEMA = "seckill_plain";

  private static final Duration SHORT = Duration.ofSeconds(30);
  private static final Duration LONG = Duration.ofMinutes(10);

  private static final int SHARD = 0;
  private static final long ITEM = 1;
  private static final long NOW_MS = 1_764_430_000_000L;
  private static final long PAY_BY_MS = NOW_MS + 900_000;

  /** One parameter for any number of rows: measured faster than rows of VALUES. */
  private static final String INSERT_ORDERS =
      """
      INSERT INTO orders (
        region, shard, epoch, seq, user_id, key_digest, body_digest, status, reason, held_units,
        quantity, total_minor, currency, won_at_ms, created_at_ms, pay_by_ms)
      SELECT 0, ?, 1, j.seq, j.user_id, j.key_digest, '', 'PENDING_PAYMENT', '', 1,
        1, 99900, 'CNY', ?, ?, ?
      FROM JSON_TABLE(?, '$[*]' COLUMNS (
        seq BIGINT PATH '$[0]',
        user_id VARCHAR(64) PATH '$[1]',
        key_digest VARCHAR(16) PATH '$[2]')) j
      """;

  private static final String INSERT_LINES =
      """
      INSERT INTO order_lines (
        region, shard, epoch, seq, item_id, user_id, quantity, price_minor, limit_per_user)
      SELECT 0, ?, 1, j.seq, ?, j.user_id, 1, 99900, 1
      FROM JSON_TABLE(?, '$[*]' COLUMNS (
        seq BIGINT PATH '$[0]',
        user_id VARCHAR(64) PATH '$[1]')) j
      """;

  private static final String INSERT_HOLDINGS =
      """
      INSERT INTO holdings (item_id, user_id, units)
      SELECT ?, j.user_id, 1
      FROM JSON_TABLE(?, '$[*]' COLUMNS (
        user_id VARCHAR(64) PATH '$[1]')) j
      """;

  private static final String COUNT_ITEM =
      "UPDATE items SET held_units = held_units + ? WHERE item_id = ?";

  private static final String INSERT_ORDER =
      """
      INSERT INTO orders (
        region, shard, epoch, seq, user_id, key_digest, body_digest, status, reason, held_units,
        quantity, total_minor, currency, won_at_ms, created_at_ms, pay_by_ms)
      VALUES (0, ?, 2, ?, ?, ?, '', 'PENDING_PAYMENT', '', 1, 1, 99900, 'CNY', ?, ?, ?)
      """;

  private final List<MySQLConnection> connections = new ArrayList<>();
  private final int batchSize;
  private long nextOrder = 1;
  private long nextSingle = 1;

  /**
   * Makes the tables and connects.
   *
   * @param connections how many
   * @param batchSize orders of one transaction of the bare loop
   */
  PlainOrders(Vertx vertx, SeckillConfig.MySql mysql, int connections, int batchSize) {
    this.batchSize = batchSize;
    MySQLConnectOptions server = BenchSite.connectOptions(mysql);
    wait(makeTables(vertx, server, mysql.database()), SHORT);
    MySQLConnectOptions ours = new MySQLConnectOptions(server).setDatabase(SCHEMA);
    EventLoops.of(vertx, connections)
        .forEach(
            loop ->
                this.connections.add(
                    wait(
                        EventLoops.on(
                            loop,
                            here -> MySQLConnection.connect(vertx, ours).compose(this::prepare)),
                        SHORT)));
  }

  /** The same columns and keys as those that the consumer writes, whatever they are today. */
  private static Future<Void> makeTables(Vertx vertx, MySQLConnectOptions server, String database) {
    List<String> statements = new ArrayList<>();
    statements.add("CREATE DATABASE " + SCHEMA + " CHARACTER SET utf8mb4");
    for (String table : List.of("orders", "order_lines", "holdings", "items")) {
      statements.add("CREATE TABLE %s.%s LIKE %s.%s".formatted(SCHEMA, table, database, table));
    }
    statements.add(
        "INSERT INTO %s.items SELECT * FROM %s.items WHERE item_id = %d"
            .formatted(SCHEMA, database, ITEM));
    return MySQLConnection.connect(vertx, server)
        .compose(
            connection -> {
              Future<Void> chain = Future.succeededFuture();
              for (String statement : statements) {
                chain = chain.compose(done -> connection.query(statement).execute().mapEmpty());
              }
              return chain.eventually(connection::close);
            });
  }

  private Future<MySQLConnection> prepare(MySQLConnection connection) {
    return connection
        .query("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
        .execute()
        .map(connection);
  }

  private static <T> T wait(Future<T> future, Duration bound) {
    return Waiting.forResult(future, bound, "the baseline's database");
  }

  /**
   * A bare multi-row loop: one transaction after the other on each connection, orders, their lines,
   * who holds what, and the item's counter. The rows are rendered before the clock starts.
   *
   * @return orders a second
   */
  double storeBatches(int orders) {
    List<List<Batch>> work = new ArrayList<>();
    int lanes = connections.size();
    for (int lane = 0; lane < lanes; lane++) {
      work.add(batches(orders / lanes + (lane < orders % lanes ? 1 : 0)));
    }
    long startNs = System.nanoTime();
    wait(
        Future.all(
            IntStream.range(0, lanes)
                .mapToObj(lane -> new Loop(connections.get(lane), lane, work.get(lane)).run())
                .toList()),
        LONG);
    return orders / ((System.nanoTime() - startNs) / 1e9);
  }

  /** Rows of one transaction, as JSON. */
  private record Batch(int orders, String rows) {}

  private List<Batch> batches(int orders) {
    List<Batch> batches = new ArrayList<>();
    for (int left = orders; left > 0; left -= batchSize) {
      int size = Math.min(left, batchSize);
      StringBuilder rows = new StringBuilder("[");
      for (int i = 0; i < size; i++) {
        long order = nextOrder++;
        rows.append(i == 0 ? "[" : ",[")
            .append(order)
            .append(",\"")
            .append(user(order))
            .append("\",\"")
            .append(digest(order))
            .append("\"]");
      }
      batches.add(new Batch(size, rows.append(']').toString()));
    }
    return batches;
  }

  private static String user(long order) {
    return "b0-" + order;
  }

  private static String digest(long order) {
    return "%016x".formatted(order * 0x9E3779B97F4A7C15L);
  }

  /** Transactions on one connection. */
  private record Loop(MySQLConnection connection, int lane, List<Batch> batches) {

    Future<Void> run() {
      return EventLoops.repeat(batches.size(), i -> store(batches.get(i)));
    }

    private Future<Void> store(Batch batch) {
      int shard = SHARD + lane;
      return connection
          .begin()
          .compose(
              transaction ->
                  execute(INSERT_ORDERS, Tuple.of(shard, NOW_MS, NOW_MS, PAY_BY_MS, batch.rows()))
                      .compose(done -> execute(INSERT_LINES, Tuple.of(shard, ITEM, batch.rows())))
                      .compose(done -> execute(INSERT_HOLDINGS, Tuple.of(ITEM, batch.rows())))
                      .compose(done -> execute(COUNT_ITEM, Tuple.of(batch.orders(), ITEM)))
                      .compose(done -> commit(transaction)));
    }

    private static Future<Void> commit(Transaction transaction) {
      return transaction.commit();
    }

    private Future<Void> execute(String sql, Tuple arguments) {
      return connection.preparedQuery(sql).execute(arguments).mapEmpty();
    }
  }

  /**
   * One order after the other on each connection, each with an INSERT into the orders that commits
   * by itself: no line, no counter, which is less than an order needs.
   *
   * @return orders a second
   */
  double storeSingly(Duration time) {
    long startNs = System.nanoTime();
    long untilNs = startNs + time.toNanos();
    long firstOrder = nextSingle;
    int lanes = connections.size();
    List<Future<Long>> counts =
        IntStream.range(0, lanes)
            .mapToObj(
                lane ->
                    EventLoops.repeatUntil(
                        untilNs, i -> storeOne(connections.get(lane), lane, firstOrder + i)))
            .toList();
    wait(Future.all(counts), time.plus(SHORT));
    double seconds = (System.nanoTime() - startNs) / 1e9;
    long most = counts.stream().mapToLong(Future::result).max().orElse(0);
    nextSingle += most;
    return counts.stream().mapToLong(Future::result).sum() / seconds;
  }

  private static Future<Void> storeOne(MySQLConnection connection, int lane, long order) {
    Tuple row =
        Tuple.of(SHARD + lane, order, user(order), digest(order), NOW_MS, NOW_MS)
            .addLong(PAY_BY_MS);
    return connection.preparedQuery(INSERT_ORDER).execute(row).mapEmpty();
  }

  @Override
  public void close() {
    connections.forEach(connection -> wait(connection.close(), SHORT));
  }
}
