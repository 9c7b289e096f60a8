package io.seckill.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.config.ConfigLoader;
import io.seckill.common.id.UserId;
import io.seckill.embedded.EmbeddedMariaDb;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.RawRedis;
import io.seckill.launcher.command.AdminClient;
import io.seckill.launcher.local.LocalOptions;
import io.seckill.launcher.local.LocalStack;
import io.seckill.lua.RedisKeys;
import io.seckill.testkit.Await;
import io.seckill.testkit.SqlServer;
import io.seckill.testkit.TestMariaDb;
import io.seckill.testkit.TestRedis;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A sale over HTTP whose MySQL goes away: it sells on, slows, stops before a log is full, and when
 * MySQL is back everything is stored and sold on by itself. Nobody touches anything but MySQL.
 */
class BacklogIT {

  private static final Duration BOUND = Duration.ofSeconds(90);
  private static final long AUDIT_MS = 60_000;
  private static final String ITEM = "7";
  private static final int STOCK = 100_000;
  private static final int CLICKERS = 4;
  private static final int SAMPLE = 50;

  /** Some hundred purchases a second in all: a tenth of a small log is then half a second. */
  private static final long BREATH_MS = 10;

  @TempDir private Path folder;

  private final Web web = new Web();
  private final Map<String, String> told = new ConcurrentHashMap<>();
  private final AtomicInteger nextBuyer = new AtomicInteger();
  private final List<Future<Void>> buying = new ArrayList<>();
  private final ExecutorService clickers = Executors.newFixedThreadPool(CLICKERS);
  private volatile boolean over;
  private EmbeddedRedis redis;
  private EmbeddedMariaDb mariaDb;
  private LocalStack stack;
  private AdminClient admin;

  private void start(Map<String, String> settings) throws Exception {
    redis = TestRedis.start();
    mariaDb = TestMariaDb.start();
    stack =
        LocalStack.start(
            LocalOptions.in(folder.resolve("data"))
                .withLoader(ConfigLoader.ofNothing())
                .withServers(
                    Optional.of(TestRedis.address(redis).uri()),
                    Optional.of(TestMariaDb.address(mariaDb).uri()))
                .onFreePorts()
                .with("admission.ipPerSecond", 100_000)
                .with("admission.ipBurst", 100_000)
                .with(settings));
    admin = new AdminClient(stack.runInfo().adminUrl(), stack.runInfo().adminToken());
    admin.post(
        "/api/v1/admin/items",
        new JsonObject()
            .put("itemId", ITEM)
            .put("name", "phone")
            .put("priceMinor", 100)
            .put("currency", "CNY")
            .put("limitPerUser", 1)
            .put("startsAt", "2020-01-01T00:00:00Z")
            .put("endsAt", "2120-01-01T00:00:00Z")
            .put("stock", STOCK));
    admin.post("/api/v1/admin/items/" + ITEM + "/preheat", new JsonObject());
    for (int i = 0; i < CLICKERS; i++) {
      buying.add(clickers.submit(this::buyUntilItIsOver));
    }
  }

  @AfterEach
  void stopAll() {
    over = true;
    clickers.shutdownNow();
    stack.close();
    redis.close();
    mariaDb.close();
  }

  @Test
  void DB_08_aLongOutageShouldSlowTheSaleAndItsEndShouldSpeedItUpAgain() throws Exception {
    double maxDrainSeconds = 5;
    start(Map.of("admission.maxDrainMs", "5000"));
    awaitSold(100);

    mariaDb.kill();

    awaitSold(told.size() + 50);
    Await.until(BOUND, "the sale slows", () -> refused("BUSY") > 0);
    Await.until(BOUND, "it is as slow as it gets", () -> drainSeconds() > 2 * maxDrainSeconds + 1);
    int slow = told.size();
    long sinceNanos = System.nanoTime();
    awaitSold(slow + 3);
    double seconds = (System.nanoTime() - sinceNanos) / 1e9;
    assertThat(seconds).as("three purchases at one a second").isGreaterThan(1);
    assertThat(refused("UNAVAILABLE")).isZero();

    mariaDb.restart();

    Await.until(BOUND, "what waited is stored", () -> drainSeconds() < maxDrainSeconds);
    awaitSold(told.size() + 500);
    everybodyShouldHaveWhatHeWasTold();
  }

  @Test
  void SC_06_aFullLogShouldStopTheSaleBeforeItsBoundAndASpaceShouldLetItGoOn() throws Exception {
    int maxLogEntries = 3_000;
    start(
        Map.of(
            "engine.maxLogEntries",
            Integer.toString(maxLogEntries),
            "admission.maxDrainMs",
            "86400000"));
    awaitSold(100);
    Await.until(BOUND, "nearly nothing waits", () -> waiting() < maxLogEntries / 50);
    int atTheKill = told.size();

    mariaDb.kill();

    Await.until(BOUND, "the sale stops", () -> refused("UNAVAILABLE") > 0);
    assertThat(told.size() - atTheKill).isGreaterThan(maxLogEntries * 8 / 10);
    Await.until(BOUND, "a full log is told", () -> metric("seckill_engine_log_fullness") > 0.9);
    assertThat(metric("seckill_engine_log_fullness")).isLessThanOrEqualTo(1);
    Await.until(BOUND, "those on their way have passed", this::nothingIsSold);
    assertThat(refused("BUSY")).isZero();

    mariaDb.restart();

    awaitSold(told.size() + 500);
    everybodyShouldHaveWhatHeWasTold();
  }

  private boolean nothingIsSold() throws InterruptedException {
    int before = told.size();
    TimeUnit.SECONDS.sleep(1);
    return told.size() == before;
  }

  private void everybodyShouldHaveWhatHeWasTold() throws Exception {
    over = true;
    for (Future<Void> one : buying) {
      one.get(BOUND.toSeconds(), TimeUnit.SECONDS);
    }
    JsonObject report = admin.post("/api/v1/admin/audit", new JsonObject().put("waitMs", AUDIT_MS));
    assertThat(report.getJsonArray("findings")).isEmpty();
    assertThat(report.getBoolean("clean")).isTrue();
    assertThat(Set.copyOf(told.values())).hasSize(told.size());
    assertThat(
            SqlServer.number(
                TestMariaDb.address(mariaDb),
                "SELECT COUNT(*) FROM orders WHERE status = 'PENDING_PAYMENT'"))
        .isEqualTo(told.size());
    for (Map.Entry<String, String> buyer : told.entrySet().stream().limit(SAMPLE).toList()) {
      Web.Answer order =
          web.get(
              stack.runInfo().publicUrl() + "/api/v1/orders/" + buyer.getValue(),
              token(buyer.getKey()));
      assertThat(order.json().getString("status")).isEqualTo("PENDING_PAYMENT");
    }
    Await.until(
        BOUND,
        "the metrics see the end of it",
        () -> metric("seckill_consumer_lag_entries") == 0 && drainSeconds() == 0);
  }

  private void awaitSold(int orders) throws InterruptedException {
    Await.until(BOUND, orders + " orders are sold", () -> told.size() >= orders);
  }

  /** Changes in the logs at this moment, by Redis: a metric is as old as its last reading. */
  private long waiting() throws IOException {
    long entries = 0;
    try (RawRedis connection = new RawRedis(redis.host(), redis.port(), BOUND)) {
      for (RedisKeys keys : RedisKeys.forShards(stack.config().redis().shards())) {
        entries += Long.parseLong(connection.call("XLEN", keys.log()));
      }
    }
    return entries;
  }

  private double metric(String series) throws IOException, InterruptedException {
    return web.metric(stack.runInfo().managementUrl(), series);
  }

  private double drainSeconds() throws IOException, InterruptedException {
    return metric("seckill_engine_log_drain_time_seconds");
  }

  private double refused(String code) throws IOException, InterruptedException {
    return metric("seckill_gateway_refused_total{code=\"" + code + "\",layer=\"backlog\"}");
  }

  /** One buyer after the other, each until he has his order; nobody heeds Retry-After. */
  private Void buyUntilItIsOver() throws Exception {
    while (!over) {
      String user = "buyer-" + nextBuyer.getAndIncrement();
      String token = token(user);
      while (!told.containsKey(user)) {
        buy(user, token);
        TimeUnit.MILLISECONDS.sleep(BREATH_MS);
      }
    }
    return null;
  }

  private void buy(String user, String token) throws Exception {
    Web.Answer answer = web.buy(stack.runInfo().publicUrl(), token, ITEM, "click");
    if (answer.status() == 202 || answer.status() == 200) {
      told.put(user, answer.json().getString("orderId"));
    } else {
      assertThat(answer.json().getString("code"))
          .as(answer.body())
          .isIn("BUSY", "UNAVAILABLE", "OUTCOME_UNKNOWN", "RATE_LIMITED");
    }
  }

  private String token(String user) {
    return stack.tokens().sign(UserId.of(user), Set.of(), Duration.ofHours(1)).text();
  }
}
