package io.seckill.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.AuditReport;
import io.seckill.common.bus.AuditRequest;
import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.ItemChanged;
import io.seckill.common.bus.ItemCreate;
import io.seckill.common.bus.ItemRecords;
import io.seckill.common.config.ConfigLoader;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.embedded.EmbeddedMariaDb;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.RedisSpec;
import io.seckill.embedded.RedisSpec.Appendonly;
import io.seckill.launcher.local.LocalOptions;
import io.seckill.launcher.local.LocalStack;
import io.seckill.testkit.Await;
import io.seckill.testkit.TestMariaDb;
import io.seckill.testkit.TestRedis;
import io.vertx.core.eventbus.DeliveryOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A sale over HTTP while a server dies, freezes or forgets. Every buyer clicks until he knows; then
 * everybody has exactly what he was told, and the audit is clean.
 */
class SaleFaultIT {

  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final DeliveryOptions OPTIONS = new DeliveryOptions().setSendTimeout(60_000);
  private static final ItemId ITEM = new ItemId(7);
  private static final int STOCK = 1_000;
  private static final int BUYERS = 400;
  private static final int CLICKERS = 8;

  @TempDir private Path folder;

  private final Web web = new Web();
  private final Map<String, Set<String>> told = new ConcurrentHashMap<>();
  private final AtomicInteger served = new AtomicInteger();
  private EmbeddedRedis redis;
  private EmbeddedMariaDb mariaDb;
  private LocalStack stack;

  @BeforeEach
  void startAll() throws Exception {
    redis = TestRedis.start(spec -> spec.withAppendonly(Appendonly.ALWAYS));
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
                .with("mysql.statementTimeoutMs", 3_000)
                .with("consumer.claimIdleMs", 4_000)
                .with("redis.callTimeoutMs", 500));
    long now = System.currentTimeMillis();
    ask(
        Addresses.LEDGER_CREATE_ITEM,
        new ItemCreate(
            "create",
            "test",
            new ItemDefinition(
                ITEM, "phone", 1_000, "CNY", "", 1, now - 60_000, now + 3_600_000, 900_000),
            STOCK),
        ItemRecords.class);
    ask(
        Addresses.CHANGE_ITEM,
        new ItemChange("preheat", "test", ITEM, ItemChange.Action.PREHEAT, ItemChange.Values.NONE),
        ItemChanged.class);
  }

  @AfterEach
  void stopAll() {
    stack.close();
    redis.close();
    mariaDb.close();
  }

  @Test
  void RF_06_aKilledRedisShouldLoseNothingThatItHadWrittenDown() throws Exception {
    sellWhile(
        () -> {
          redis.kill();
          redis.restart();
          return null;
        });

    everybodyShouldHaveOneOrder();
  }

  @Test
  void RF_07_aFrozenRedisShouldCostNobodyHisUnit() throws Exception {
    sellWhile(
        () -> {
          redis.pause();
          // Longer than a call may take, so that calls in flight end as unknown.
          TimeUnit.SECONDS.sleep(2);
          redis.resume();
          return null;
        });

    everybodyShouldHaveOneOrder();
  }

  @Test
  void DB_08_aKilledMySqlShouldNotStopTheSaleAndNothingShouldBeMissing() throws Exception {
    sellWhile(
        () -> {
          mariaDb.kill();
          int before = served.get();
          // Buyers are served from Redis alone; the log keeps what MySQL cannot take.
          Await.until(BOUND, "buyers served without MySQL", () -> served.get() > before);
          mariaDb.restart();
          return null;
        });

    everybodyShouldHaveOneOrder();
  }

  @Test
  void RF_03_anEmptiedRedisShouldBeWrittenAnewAndTellWhoLost() throws Exception {
    sellWhile(
        () -> {
          int port = redis.port();
          redis.kill();
          redis.close();
          redis = TestRedis.start(RedisSpec.in(folder.resolve("empty")).withPort(port));
          return null;
        });

    // Who was told of a win has it, or a final failure and perhaps a second order; nobody has two
    // that count.
    for (Map.Entry<String, Set<String>> buyer : told.entrySet()) {
      int counting = 0;
      for (String order : buyer.getValue()) {
        String status = settledStatus(buyer.getKey(), order);
        assertThat(status).isIn("PENDING_PAYMENT", "FAILED");
        counting += status.equals("PENDING_PAYMENT") ? 1 : 0;
      }
      assertThat(counting).as("orders of " + buyer.getKey()).isLessThanOrEqualTo(1);
    }
    theAuditShouldBeClean();
  }

  private void everybodyShouldHaveOneOrder() throws Exception {
    assertThat(told).hasSize(BUYERS);
    for (Map.Entry<String, Set<String>> buyer : told.entrySet()) {
      assertThat(buyer.getValue()).as("orders of " + buyer.getKey()).hasSize(1);
      assertThat(settledStatus(buyer.getKey(), buyer.getValue().iterator().next()))
          .isEqualTo("PENDING_PAYMENT");
    }
    AuditReport report = theAuditShouldBeClean();
    assertThat(report.items().get(0).held()).isEqualTo(BUYERS);
    assertThat(report.items().get(0).left()).isEqualTo(STOCK - BUYERS);
  }

  private AuditReport theAuditShouldBeClean() throws Exception {
    AuditReport report = ask(Addresses.AUDIT, new AuditRequest(null, 30_000), AuditReport.class);
    assertThat(report.findings()).isEmpty();
    assertThat(report.clean()).isTrue();
    return report;
  }

  /** Lets everybody buy; the fault happens when a quarter has been served. */
  private void sellWhile(Callable<Void> fault) throws Exception {
    ExecutorService clickers = Executors.newFixedThreadPool(CLICKERS);
    try {
      List<Future<?>> buys = new ArrayList<>();
      for (int i = 0; i < BUYERS; i++) {
        String user = "buyer-" + i;
        buys.add(clickers.submit(() -> buyUntilKnown(user)));
      }
      Await.until(BOUND, "a quarter to be served", () -> served.get() >= BUYERS / 4);
      fault.call();
      for (Future<?> buy : buys) {
        buy.get(BOUND.toSeconds(), TimeUnit.SECONDS);
      }
    } finally {
      clickers.shutdownNow();
    }
  }

  private Void buyUntilKnown(String user) throws Exception {
    String token = token(user);
    String shop = stack.runInfo().publicUrl();
    long deadline = System.nanoTime() + BOUND.toNanos();
    while (System.nanoTime() < deadline) {
      Web.Answer answer;
      try {
        answer = web.buy(shop, token, ITEM.toString(), "click");
      } catch (IOException e) {
        continue;
      }
      if (answer.status() == 202 || answer.status() == 200) {
        told.computeIfAbsent(user, u -> ConcurrentHashMap.newKeySet())
            .add(answer.json().getString("orderId"));
        served.incrementAndGet();
        return null;
      }
      assertThat(answer.json().getString("code"))
          .as(answer.body())
          .isIn("BUSY", "UNAVAILABLE", "OUTCOME_UNKNOWN", "RATE_LIMITED");
      TimeUnit.MILLISECONDS.sleep(50);
    }
    throw new AssertionError(user + " never learned whether he won");
  }

  /** The status of an order once it is stored. */
  private String settledStatus(String user, String order) throws Exception {
    String url = stack.runInfo().publicUrl() + "/api/v1/orders/" + order;
    String token = token(user);
    String[] status = new String[1];
    Await.until(
        BOUND,
        "order " + order + " to be settled",
        () -> {
          Web.Answer answer = web.get(url, token);
          if (answer.status() != 200) {
            return false;
          }
          status[0] = answer.json().getString("status");
          return !status[0].equals("ACCEPTED");
        });
    return status[0];
  }

  private String token(String user) {
    return stack.tokens().sign(UserId.of(user), Set.of(), Duration.ofHours(1)).text();
  }

  /** Asks until there is an answer: "not now" is none. */
  private <T> T ask(String address, Record message, Class<T> answer) throws Exception {
    List<T> answers = new ArrayList<>();
    Await.until(
        BOUND,
        "an answer from " + address,
        () ->
            answers.add(
                Await.result(
                    BOUND,
                    address,
                    stack
                        .node()
                        .vertx()
                        .eventBus()
                        .request(address, message, OPTIONS)
                        .map(reply -> answer.cast(reply.body())))));
    return answers.get(0);
  }
}
