package io.seckill.launcher.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.config.ConfigLoader;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.RawRedis;
import io.seckill.gateway.token.Identity;
import io.seckill.gateway.token.TokenSigner;
import io.seckill.launcher.Web;
import io.seckill.launcher.command.AdminClient;
import io.seckill.launcher.command.Program;
import io.seckill.lua.RedisKeys;
import io.seckill.testkit.Await;
import io.seckill.testkit.MySqlAddress;
import io.seckill.testkit.SqlServer;
import io.seckill.testkit.TestMariaDb;
import io.seckill.testkit.TestRedis;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two nodes, each a process with all roles, on one Redis and one MySQL, and buyers whose orders end
 * all the time. Nodes are killed or frozen at any moment, with orders at every step between the
 * UPDATE that ends one and the transaction that settles its release. Whoever is left, or comes
 * again, finishes what was begun: every unit is back, once.
 */
class NodeFaultIT {

  private static final Duration BOUND = Duration.ofSeconds(60);

  /** A round takes some ten seconds, most of them the start of a process: 2, in the long run 25. */
  private static final int ROUNDS =
      Math.max(2, Math.min(Integer.getInteger("rounds", 10) / 40, 25));

  /** In one round of so many both nodes are killed. */
  private static final int BOTH_EVERY = 2;

  private static final int SHARDS = 2;
  private static final ItemId ITEM = new ItemId(7);
  private static final long STOCK = 40;
  private static final int BUYERS = 80;
  private static final int CLICKERS = 4;
  private static final int MAX_WINS_BEFORE_FAULT = 120;
  private static final int WINS_AFTER_FAULT = 20;

  /** Freezing takes longer, and kills find more. */
  private static final int FREEZES = Math.max(1, ROUNDS / 5);

  private static final long CLAIM_IDLE_MS = 2_000;

  /** The other node, which looks every half of the time, takes over what the frozen one has. */
  private static final long FREEZE_MS = CLAIM_IDLE_MS * 7 / 4;

  private static final Map<String, String> SETTINGS =
      Map.ofEntries(
          Map.entry("jwt.secret", "0123456789abcdef0123456789abcdef"),
          Map.entry("orderId.key", "000102030405060708090a0b0c0d0e0f"),
          Map.entry("payment.provider", "none"),
          Map.entry("redis.shards", Integer.toString(SHARDS)),
          Map.entry("redis.callTimeoutMs", "500"),
          Map.entry("mysql.statementTimeoutMs", "1500"),
          Map.entry("consumer.claimIdleMs", Long.toString(CLAIM_IDLE_MS)),
          Map.entry("orders.timeoutIntervalMs", "100"),
          Map.entry("engine.releaseIntervalMs", "100"),
          Map.entry("admission.ipPerSecond", "100000"),
          Map.entry("admission.ipBurst", "100000"),
          Map.entry("admission.userPerWindow", "32"));

  @TempDir private static Path folder;

  private static final long SEED = Long.getLong("seed", System.nanoTime());
  private static final Random RANDOM = new Random(SEED);
  private static final TokenSigner SIGNER =
      new TokenSigner(
          ConfigLoader.ofNothing().withOverrides(SETTINGS).load().config().jwt(),
          System::currentTimeMillis);
  private static final List<RunningNode> NODES = new CopyOnWriteArrayList<>();

  private static EmbeddedRedis redis;
  private static MySqlAddress mysql;
  private static ExecutorService clickers;

  private final Web web = new Web();
  private final Map<String, String> told = new ConcurrentHashMap<>();
  private final AtomicInteger wins = new AtomicInteger();

  /** A process and where it listens. */
  private record RunningNode(String name, Program program, String publicUrl, String adminUrl) {}

  @BeforeAll
  static void open() throws Exception {
    redis = TestRedis.start();
    mysql = TestMariaDb.shared().newDatabase();
    clickers = Executors.newFixedThreadPool(CLICKERS);
    start("east");
    start("west");
    AdminClient admin = admin(NODES.get(0));
    admin.post(
        "/api/v1/admin/items",
        new JsonObject()
            .put("itemId", ITEM.toString())
            .put("name", "Thing")
            .put("priceMinor", 100)
            .put("currency", "CNY")
            .put("limitPerUser", 1)
            .put("payWithinMs", 1_000)
            .put("startsAt", "2020-01-01T00:00:00Z")
            .put("endsAt", "2120-01-01T00:00:00Z")
            .put("stock", STOCK));
    admin.post("/api/v1/admin/items/" + ITEM + "/preheat", new JsonObject());
    for (RunningNode node : NODES) {
      Await.until(BOUND, node.name() + " knows the item", () -> knowsTheItem(node));
    }
  }

  /** A node that did not preheat an item itself hears of it from the ledger, a second later. */
  private static boolean knowsTheItem(RunningNode node) throws Exception {
    String url = node.publicUrl() + "/api/v1/items/" + ITEM;
    return new Web().get(url, token("visitor")).status() == 200;
  }

  @AfterAll
  static void close() {
    clickers.shutdownNow();
    NODES.forEach(node -> node.program().close());
    redis.close();
  }

  @Test
  void OL_04_everyUnitShouldComeBackOnceWhereverNodesAreKilled() throws Exception {
    for (int round = 1; round <= ROUNDS; round++) {
      boolean both = round % BOTH_EVERY == 0;
      List<String> killed = new ArrayList<>();
      tradeThrough(
          "round " + round + " of kills",
          () -> {
            killed.add(kill(NODES.get(RANDOM.nextInt(NODES.size()))));
            if (both) {
              killed.add(kill(NODES.get(0)));
              start(killed.get(0));
            }
          });
      start(killed.get(killed.size() - 1));
    }
  }

  @Test
  void SC_08_nothingShouldBeDoneTwiceWhenANodeIsFrozenInTheMiddle() throws Exception {
    for (int round = 1; round <= FREEZES; round++) {
      tradeThrough(
          "round " + round + " of freezes",
          () -> {
            RunningNode frozen = NODES.remove(RANDOM.nextInt(NODES.size()));
            frozen.program().pause();
            try {
              // The fault's own length; nothing is waited for.
              TimeUnit.MILLISECONDS.sleep(FREEZE_MS);
            } finally {
              frozen.program().resume();
            }
            NODES.add(frozen);
          });
    }
  }

  private interface Fault {
    void happen() throws Exception;
  }

  private void tradeThrough(String round, Fault fault) throws Exception {
    String what = round + ", seed " + SEED;
    AtomicBoolean open = new AtomicBoolean(true);
    List<Future<Void>> buyers = new ArrayList<>();
    for (int i = 0; i < CLICKERS; i++) {
      long chance = RANDOM.nextLong();
      buyers.add(clickers.submit(() -> buyAndLeave(new Random(chance), open)));
    }
    try {
      awaitWins(1 + RANDOM.nextInt(MAX_WINS_BEFORE_FAULT));
      System.out.println("[launcher] " + what + ": " + steps());
      fault.happen();
      awaitWins(WINS_AFTER_FAULT);
    } finally {
      open.set(false);
    }
    for (Future<Void> buyer : buyers) {
      buyer.get(BOUND.toSeconds(), TimeUnit.SECONDS);
    }
    everyUnitShouldBeBack(what);
  }

  private void everyUnitShouldBeBack(String what) throws Exception {
    Await.until(
        BOUND,
        "every unit is back, " + what,
        () -> number("SELECT COALESCE(SUM(held_units), 0) FROM orders") == 0 && stock() == STOCK);
    JsonObject report =
        admin(NODES.get(0))
            .post("/api/v1/admin/audit", new JsonObject().put("waitMs", BOUND.toMillis()));
    assertThat(report.getJsonArray("findings")).as(what).isEmpty();
    assertThat(report.getBoolean("clean")).as(what).isTrue();
    assertThat(stock()).as(what).isEqualTo(STOCK);
    assertThat(number("SELECT COUNT(*) FROM orders WHERE status <> 'CANCELLED'")).as(what).isZero();
    assertThat(number("SELECT COUNT(*) FROM outbox WHERE state <> 'DONE'")).as(what).isZero();
    assertThat(number("SELECT COUNT(*) FROM outbox"))
        .as("one release for each order, " + what)
        .isEqualTo(number("SELECT COUNT(*) FROM orders"));
    for (Map.Entry<String, String> order : told.entrySet()) {
      JsonObject seen = read(order.getKey(), order.getValue());
      assertThat(seen.getString("status")).as("%s, %s", order, what).isEqualTo("CANCELLED");
    }
    told.clear();
  }

  // ---- buyers ----

  /** Buys, and cancels or lets it run out; asks elsewhere when a node does not answer. */
  private Void buyAndLeave(Random chance, AtomicBoolean open) throws Exception {
    while (open.get()) {
      String user = "u" + chance.nextInt(BUYERS);
      String order = buyUntilKnown(user, "k" + chance.nextLong(), chance);
      if (order != null) {
        told.put(order, user);
        wins.incrementAndGet();
        if (chance.nextBoolean()) {
          cancelUntilKnown(user, order, chance);
        }
      }
    }
    return null;
  }

  /** The order, or null when it is certain that there is none. */
  private String buyUntilKnown(String user, String key, Random chance) throws Exception {
    Web.Answer answer =
        untilKnown(chance, url -> web.buy(url, token(user), ITEM.toString(), key), "purchase");
    if (answer.status() < 300) {
      return answer.json().getString("orderId");
    }
    assertThat(answer.json().getString("code"))
        .as(answer.body())
        .isIn("SOLD_OUT", "LIMIT_REACHED", "BUSY", "UNAVAILABLE", "RATE_LIMITED");
    TimeUnit.MILLISECONDS.sleep(5);
    return null;
  }

  private void cancelUntilKnown(String user, String order, Random chance) throws Exception {
    Await.until(
        BOUND,
        "order " + order + " is over",
        () -> {
          Web.Answer answer =
              untilKnown(
                  chance,
                  url -> web.delete(url + "/api/v1/orders/" + order, token(user)),
                  "cancel");
          assertThat(answer.status()).as(answer.body()).isIn(200, 429, 503);
          return answer.status() == 200;
        });
  }

  private interface Call {
    Web.Answer on(String url) throws IOException, InterruptedException;
  }

  /** Under the same key, on any node, until the outcome is known. */
  private Web.Answer untilKnown(Random chance, Call call, String what) throws Exception {
    Web.Answer[] last = {null};
    Await.until(
        BOUND,
        what + " is answered",
        () -> {
          List<RunningNode> running = List.copyOf(NODES);
          if (running.isEmpty()) {
            return false;
          }
          try {
            last[0] = call.on(running.get(chance.nextInt(running.size())).publicUrl());
          } catch (IOException e) {
            return false;
          }
          return !last[0].body().contains("\"OUTCOME_UNKNOWN\"");
        });
    return last[0];
  }

  private JsonObject read(String order, String user) throws Exception {
    String url = NODES.get(0).publicUrl() + "/api/v1/orders/" + order;
    Web.Answer[] last = {null};
    Await.until(
        BOUND,
        "order " + order,
        () -> {
          last[0] = web.get(url, token(user));
          return last[0].status() == 200;
        });
    return last[0].json();
  }

  private void awaitWins(int more) throws InterruptedException {
    int target = wins.get() + more;
    Await.until(BOUND, more + " more wins", () -> wins.get() >= target);
  }

  // ---- nodes ----

  private static void start(String name) throws Exception {
    Path home = Files.createDirectories(folder.resolve(name));
    Map<String, String> settings = new TreeMap<>(SETTINGS);
    settings.put("node.id", name);
    List<String> arguments = new ArrayList<>(List.of("run", "--json", "--no-demo-sale"));
    arguments.addAll(List.of("--port", "0", "--admin-port", "0", "--management-port", "0"));
    arguments.addAll(List.of("--redis", redis.uri(), "--mysql", mysql.uri()));
    settings.forEach((key, value) -> arguments.addAll(List.of("--set", key + "=" + value)));
    Program program = Program.start(home, arguments.toArray(String[]::new));
    try {
      JsonObject ready = program.awaitJson();
      NODES.add(
          new RunningNode(
              name, program, ready.getString("publicUrl"), ready.getString("adminUrl")));
    } catch (Exception | AssertionError e) {
      program.close();
      throw e;
    }
  }

  private static String kill(RunningNode node) throws InterruptedException {
    NODES.remove(node);
    node.program().kill();
    return node.name();
  }

  // ---- what is there ----

  /** Where orders are just before it happens. */
  private static Map<String, Long> steps() {
    Map<String, Long> steps = new HashMap<>();
    steps.put("unpaid", number("SELECT COUNT(*) FROM orders WHERE status = 'PENDING_PAYMENT'"));
    steps.put("ended, not released", number("SELECT COUNT(*) FROM outbox WHERE state <> 'DONE'"));
    long entries = 0;
    for (RedisKeys keys : RedisKeys.forShards(SHARDS)) {
      entries += Long.parseLong(redis("XLEN", keys.log()));
    }
    steps.put("log entries not trimmed", entries);
    return steps;
  }

  private static long stock() {
    long units = 0;
    for (RedisKeys keys : RedisKeys.forShards(SHARDS)) {
      units += Long.parseLong(redis("GET", keys.stock(ITEM)));
    }
    return units;
  }

  private static String redis(String... command) {
    try (RawRedis connection = new RawRedis(redis.host(), redis.port(), BOUND)) {
      return connection.call(command);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static long number(String sql) {
    return SqlServer.number(mysql, sql);
  }

  private static AdminClient admin(RunningNode node) {
    return new AdminClient(
        node.adminUrl(),
        SIGNER.sign(new UserId("operator"), Set.of(Identity.ADMIN), Duration.ofHours(1)).text());
  }

  private static String token(String user) {
    return SIGNER.sign(UserId.of(user), Set.of(), Duration.ofHours(1)).text();
  }
}
