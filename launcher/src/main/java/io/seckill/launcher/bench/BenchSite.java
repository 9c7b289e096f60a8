package io.seckill.launcher.bench;

import io.seckill.common.audit.Finding;
import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.AuditReport;
import io.seckill.common.bus.AuditRequest;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.config.SeckillConfig.Durability;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.launcher.Failures;
import io.seckill.launcher.Waiting;
import io.seckill.launcher.demo.SaleDesk;
import io.seckill.launcher.demo.SaleSite;
import io.seckill.launcher.local.LocalOptions;
import io.seckill.launcher.local.LocalStack;
import io.seckill.launcher.local.TemporaryStage;
import io.seckill.lua.RedisKeys;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.net.SocketAddress;
import io.vertx.mysqlclient.MySQLConnectOptions;
import io.vertx.mysqlclient.MySQLConnection;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A whole system with a Redis of its own, whose engine is loaded over the bus of this process. All
 * roles run, because only what the consumer has stored can be audited; orders are stored while
 * nothing is measured.
 */
final class BenchSite implements AutoCloseable {

  private static final Duration HOLD_BOUND = Duration.ofSeconds(20);
  private static final Duration SQL_BOUND = Duration.ofMinutes(2);
  private static final Duration AUDIT_WAIT = Duration.ofSeconds(30);

  /** A million orders take a busy machine longer than an operator would wait for. */
  private static final Duration AUDIT_BOUND = Duration.ofMinutes(10);

  /** The same for one of its transactions. */
  private static final long AUDIT_TRANSACTION_MS = 120_000;

  /** Has to be more than a transaction; nobody takes over from anybody here. */
  private static final long CLAIM_IDLE_MS = 2 * AUDIT_TRANSACTION_MS;

  private static final DeliveryOptions AUDIT_DELIVERY =
      new DeliveryOptions().setSendTimeout(AUDIT_BOUND.toMillis());

  private static final long AUDIT_AGAIN_MS = 500;
  private static final long POLL_MS = 100;
  private static final long PROGRESS_MS = 5_000;

  private static final int OPERATOR_PER_SECOND = 10_000;

  /** The deployment that turns wins into orders. */
  private static final String STORING = "log-consumer";

  private final BenchRedis redis;
  private final LocalStack stack;
  private final SaleSite place;
  private final SaleDesk desk;
  private long nextItem = 1;

  private BenchSite(BenchRedis redis, LocalStack stack) {
    this.redis = redis;
    this.stack = stack;
    this.place = SaleSite.of(stack);
    this.desk = new SaleDesk(place);
  }

  /**
   * Starts one.
   *
   * @param folder where its data goes
   * @param shards S
   */
  static BenchSite start(Path folder, Durability durability, int shards) {
    BenchRedis redis = BenchRedis.start(folder.resolve("redis"), durability);
    try {
      LocalOptions options =
          TemporaryStage.systemIn(folder.resolve("system"), shards)
              .with("redis.durability", durability.name().toLowerCase(Locale.ROOT))
              .with("mysql.statementTimeoutMs", AUDIT_TRANSACTION_MS)
              .with("consumer.claimIdleMs", CLAIM_IDLE_MS)
              // The operator of a bench opens hundreds of items from one address.
              .with("admission.ipPerSecond", OPERATOR_PER_SECOND)
              .with("admission.ipBurst", OPERATOR_PER_SECOND)
              .withServers(Optional.of(redis.uri()), Optional.empty());
      return new BenchSite(redis, LocalStack.start(options));
    } catch (RuntimeException e) {
      redis.close();
      throw e;
    }
  }

  BenchRedis redis() {
    return redis;
  }

  Vertx vertx() {
    return stack.node().vertx();
  }

  /** Connections of each engine instance for calls. */
  int connections() {
    return stack.config().redis().connections();
  }

  /** Purchases that the calls of an engine instance hold at a time. */
  int callsHold() {
    return stack.config().engine().callsInFlight() * stack.config().engine().maxBatch();
  }

  /** The database with the orders. */
  SeckillConfig.MySql mysql() {
    return stack.config().mysql();
  }

  /** Changes that the consumer stores in one transaction, about. */
  int storeBatch() {
    return stack.config().consumer().batchSize();
  }

  /** Orders stored so far, by the consumer's own count. */
  long ordersStored() {
    return (long) stack.node().runtime().registry().get("seckill.orders.stored").counter().count();
  }

  /** Units of an item that its shards can sell, by the shards. */
  long unitsLeft(ItemId item) {
    long units = 0;
    for (RedisKeys keys : RedisKeys.forShards(stack.config().redis().shards())) {
      units += Long.parseLong(redis.call("GET", keys.stock(item)));
    }
    return units;
  }

  /** Runs a statement on the database, for what no operator can do. */
  void sql(String statement) {
    Waiting.forResult(
        MySQLConnection.connect(vertx(), connectOptions(mysql()))
            .compose(
                connection -> connection.query(statement).execute().eventually(connection::close)),
        SQL_BOUND,
        "the database");
  }

  /** As the consumer connects. */
  static MySQLConnectOptions connectOptions(SeckillConfig.MySql mysql) {
    return new MySQLConnectOptions()
        .setHost(mysql.host())
        .setPort(mysql.port())
        .setDatabase(mysql.database())
        .setUser(mysql.user())
        .setPassword(mysql.password().value())
        .setCharset("utf8mb4")
        .setUseAffectedRows(true)
        .setCachePreparedStatements(true);
  }

  /** Stores no order until {@link #release}. */
  void hold() {
    Waiting.forResult(stack.node().hold(STORING), HOLD_BOUND, "the consumer to pause");
  }

  /** Stores orders again. */
  void release() {
    Waiting.forResult(stack.node().release(STORING), HOLD_BOUND, "the consumer to go on");
  }

  /** An item that is on sale, one unit a buyer. */
  ItemId open(String name, long stock) {
    return open(name, stock, SaleDesk.USUAL_TIME_TO_PAY);
  }

  /** The same with a time to pay of its own. */
  ItemId open(String name, long stock, Duration payWithin) {
    ItemId item = new ItemId(nextItem++);
    desk.create(item, name, stock, 1, payWithin);
    desk.preheat(item);
    return item;
  }

  SaleDesk desk() {
    return desk;
  }

  /** Where buyers come over HTTP. */
  SocketAddress storefront() {
    return place.storefront();
  }

  /** Signs a buyer in. */
  String buyerToken(UserId user) {
    return place.buyerToken().apply(user);
  }

  /**
   * Waits until every entry of the logs is stored, acknowledged and trimmed, then audits, again
   * while units are between shards. A bench wins more in seconds than an audit should have to
   * follow on its way into the database.
   *
   * @return the report; something may still be on its way when the bound has passed
   */
  AuditReport awaitStored(Duration bound, Consumer<String> progress) {
    long deadlineNs = System.nanoTime() + bound.toNanos();
    awaitTrimmed(bound, progress);
    AuditReport report = audit();
    while (onTheWay(report) > 0 && System.nanoTime() - deadlineNs < 0) {
      Waiting.pause(AUDIT_AGAIN_MS);
      report = audit();
    }
    return report;
  }

  /** Waits until every entry of the logs is stored, acknowledged and trimmed, or for so long. */
  void awaitTrimmed(Duration bound, Consumer<String> progress) {
    long deadlineNs = System.nanoTime() + bound.toNanos();
    long toldNs = System.nanoTime();
    long left = logEntries();
    while (left > 0 && System.nanoTime() - deadlineNs < 0) {
      Waiting.pause(POLL_MS);
      left = logEntries();
      if (System.nanoTime() - toldNs > PROGRESS_MS * 1_000_000) {
        toldNs = System.nanoTime();
        progress.accept("%,d entries of the log are not stored yet".formatted(left));
      }
    }
  }

  /** What was measured stays known when there is no audit; only that it was right does not. */
  private AuditReport audit() {
    AuditRequest request = new AuditRequest(null, AUDIT_WAIT.toMillis());
    Future<AuditReport> report =
        vertx()
            .eventBus()
            .<AuditReport>request(Addresses.AUDIT, request, AUDIT_DELIVERY)
            .map(Message::body)
            .otherwise(BenchSite::noAudit);
    return Waiting.forResult(report, AUDIT_BOUND, "the audit");
  }

  private static AuditReport noAudit(Throwable failure) {
    String why = "there is no audit: " + Failures.describe(failure);
    return new AuditReport(false, 0, 0, List.of(), List.of(new Finding("I7", "all items", 0, why)));
  }

  private static long onTheWay(AuditReport report) {
    return report.items().stream()
        .mapToLong(item -> item.inFlight() + Math.abs(item.betweenShards()))
        .sum();
  }

  private long logEntries() {
    long entries = 0;
    for (RedisKeys keys : RedisKeys.forShards(stack.config().redis().shards())) {
      entries += Long.parseLong(redis.call("XLEN", keys.log()));
    }
    return entries;
  }

  @Override
  public void close() {
    stack.close();
    redis.close();
  }
}
