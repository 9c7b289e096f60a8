package io.seckill.launcher.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.id.UserId;
import io.seckill.launcher.Web;
import io.seckill.launcher.command.AdminClient;
import io.seckill.testkit.Await;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What buyers and operators do to a sale that is on, over HTTP and with four shards. */
class LiveSaleIT {

  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final int SHARDS = 4;

  @TempDir private static Path folder;

  private static TestShop shop;
  private static LocalStack stack;
  private static AdminClient admin;
  private static long nextItem = 1;

  private final Web web = new Web();

  @BeforeAll
  static void start() {
    shop =
        TestShop.start(
            folder,
            Map.of("redis.shards", Integer.toString(SHARDS), "admission.userPerWindow", "32"));
    stack = shop.stack();
    admin = shop.admin();
  }

  @AfterAll
  static void stop() {
    shop.close();
  }

  @AfterEach
  void theAuditShouldBeClean() throws Exception {
    shop.auditShouldBeClean(BOUND);
  }

  // ---- baskets and groups ----

  @Test
  void aBasketOfEightItemsShouldBeOneOrderHoweverOftenItIsSent() throws Exception {
    List<String> items = IntStream.range(0, 8).mapToObj(i -> onSale(10, 2)).toList();
    String order = won(basket("ann", "k", lines(items, 1)));

    List<String> backwards = new ArrayList<>(items);
    Collections.reverse(backwards);
    Web.Answer again = basket("ann", "k", lines(backwards, 1));
    assertThat(again.status()).isEqualTo(200);
    assertThat(again.json().getString("orderId")).isEqualTo(order);
    refused("CONFLICT", basket("ann", "k", lines(items.subList(0, 7), 1)));
    refused("CONFLICT", basket("ann", "k", lines(items, 2)));
    refused("INVALID_REQUEST", basket("ann", "n", lines(nine(items), 1)));
    refused("INVALID_REQUEST", basket("ann", "n", lines(List.of(items.get(0), items.get(0)), 1)));
    refused("NOT_FOUND", basket("ann", "n", lines(List.of(items.get(0), "999999"), 1)));

    JsonObject stored = stored("ann", order);
    assertThat(stored.getJsonArray("lines")).hasSize(8);
    assertThat(stored.getLong("totalMinor")).isEqualTo(8 * 100);
    for (String item : items) {
      assertThat(held(item)).as(item).isEqualTo(1);
    }
  }

  private static List<String> nine(List<String> items) {
    List<String> more = new ArrayList<>(items);
    more.add(onSale(1, 1));
    return more;
  }

  @Test
  void aBasketShouldTakeNothingWhenOneLineCannotBeHad() throws Exception {
    String plenty = onSale(10, 2);
    String other = onSale(10, 2);
    String last = onSale(1, 1);
    String dollars = create(5, 1, new JsonObject().put("currency", "USD"));
    preheat(dollars);
    won(buy("first", last, "k", 1));
    won(buy("bob", plenty, "k", 1));

    refused("SOLD_OUT", basket("bob", "b1", lines(List.of(plenty, last), 1)));
    refused("LIMIT_REACHED", basket("bob", "b2", lines(List.of(plenty, other), 2)));
    refused("INVALID_REQUEST", basket("bob", "b3", lines(List.of(plenty, dollars), 1)));
    assertThat(held(plenty)).isEqualTo(1);
    assertThat(held(last)).isEqualTo(1);
    assertThat(held(other)).isZero();
    assertThat(held(dollars)).isZero();
  }

  @Test
  void aBasketShouldGatherTheUnitsOfAllShards() throws Exception {
    String one = onSale(SHARDS, SHARDS);
    String other = onSale(SHARDS, SHARDS);
    won(basket("gil", "k", lines(List.of(one, other), SHARDS)));
    refused("SOLD_OUT", buy("hal", one, "k", 1));
    assertThat(held(one)).isEqualTo(SHARDS);
    assertThat(held(other)).isEqualTo(SHARDS);
  }

  @Test
  void aGroupShouldHaveOneLimitOverAllItsItems() throws Exception {
    JsonObject group = new JsonObject().put("id", "phone-" + nextItem).put("limitPerUser", 2);
    String red = create(10, 2, new JsonObject().put("group", group));
    String blue = create(10, 2, new JsonObject().put("group", group));
    preheat(red);
    preheat(blue);
    assertThatThrownBy(
            () -> create(1, 1, new JsonObject().put("group", group.copy().put("limitPerUser", 3))))
        .hasMessageContaining("CONFLICT");

    refused("LIMIT_REACHED", basket("cat", "b", lines(List.of(red, blue), 2)));
    String first = won(buy("cat", red, "r", 1));
    String second = won(buy("cat", blue, "b", 1));
    for (String item : List.of(red, blue)) {
      JsonObject full = refused("LIMIT_REACHED", buy("cat", item, "more", 1));
      assertThat(full.getString("orderId")).isIn(first, second);
    }
    assertThat(buy("cat", blue, "b", 1).json().getString("orderId")).isEqualTo(second);
    won(basket("dan", "b", lines(List.of(red, blue), 1)));
    assertThat(shown(red).getJsonObject("group")).isEqualTo(group);
  }

  // ---- operators ----

  @Test
  void unitsShouldComeAndGoWhileTheSaleIsOnAndHeldOnesStay() throws Exception {
    String item = onSale(20, 1);
    for (int i = 0; i < 3; i++) {
      won(buy("e" + i, item, "k", 1));
    }
    JsonObject more = change(item, "restock", new JsonObject().put("units", 5));
    told(more, 5, 5);
    assertThat(more.getLong("units")).isEqualTo(25);
    told(change(item, "withdraw", new JsonObject().put("units", 10)), 10, 10);
    JsonObject all = change(item, "withdraw", new JsonObject().put("units", 1_000));
    told(all, 1_000, 12);
    assertThat(all.getLong("units")).isEqualTo(3);
    refused("SOLD_OUT", buy("late", item, "k", 1));
    awaitSoldOut(item, true);

    JsonObject total = change(item, "total", new JsonObject().put("total", 8));
    told(total, 5, 5);
    assertThat(total.getLong("units")).isEqualTo(8);
    awaitSoldOut(item, false);
    JsonObject capped = change(item, "cap", new JsonObject().put("cap", 4));
    told(capped, 4, 4);
    assertThat(capped.getLong("reserve")).isEqualTo(4);
    won(buy("late", item, "k", 1));
    refused("SOLD_OUT", buy("later", item, "k", 1));
    JsonObject lifted = change(item, "cap", new JsonObject().putNull("cap"));
    told(lifted, 4, 4);
    assertThat(lifted.getLong("reserve")).isZero();
    won(buy("later", item, "k", 1));
    assertThat(held(item)).isEqualTo(5);
  }

  @Test
  void twoOperatorsAtOnceShouldAddUpAndARepeatShouldDoNothing() throws Exception {
    String item = onSale(100, 1);
    List<Callable<JsonObject>> calls = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      calls.add(() -> change(item, "restock", new JsonObject().put("units", 7)));
      calls.add(() -> change(item, "withdraw", new JsonObject().put("units", 3)));
    }
    ExecutorService operators = Executors.newFixedThreadPool(4);
    try {
      for (Future<JsonObject> done : operators.invokeAll(calls)) {
        assertThat(done.get().getLong("done")).isEqualTo(done.get().getLong("asked"));
      }
    } finally {
      operators.shutdownNow();
    }
    JsonObject once = new JsonObject().put("units", 4).put("requestId", "once-" + item);
    for (int i = 0; i < 3; i++) {
      Web.Answer answer = adminPost("/api/v1/admin/items/" + item + "/withdraw", once);
      told(answer.json(), 4, 4);
      assertThat(answer.json().getLong("units")).isEqualTo(100 + 8 * 4 - 4);
    }
    Web.Answer other =
        adminPost("/api/v1/admin/items/" + item + "/withdraw", once.copy().put("units", 5));
    refused("CONFLICT", other);
  }

  @Test
  void aRaisedLimitShouldCountWhatUsersHoldAndALoweredOneBindNewPurchasesOnly() throws Exception {
    String item = onSale(20, 1);
    String first = won(buy("eve", item, "k1", 1));
    refused("LIMIT_REACHED", buy("eve", item, "k2", 1));
    assertThat(
            change(item, "limit", new JsonObject().put("limitPerUser", 3))
                .getInteger("limitPerUser"))
        .isEqualTo(3);
    refused("LIMIT_REACHED", buy("eve", item, "k3", 3));
    won(buy("eve", item, "k4", 2));
    change(item, "limit", new JsonObject().put("limitPerUser", 1));
    refused("LIMIT_REACHED", buy("eve", item, "k5", 1));
    assertThat(buy("eve", item, "k1", 1).json().getString("orderId")).isEqualTo(first);
    assertThat(held(item)).isEqualTo(3);
  }

  @Test
  void ST_12_aMovedWindowShouldCloseAndOpenTheSale() throws Exception {
    String item = onSale(20, 1);
    String won = won(buy("fay", item, "k", 1));
    change(item, "window", window("2120-01-01T00:00:00Z", "2120-01-02T00:00:00Z"));
    refused("NOT_STARTED", buy("guy", item, "k", 1));
    assertThat(buy("fay", item, "k", 1).json().getString("orderId")).isEqualTo(won);
    change(item, "window", window("2020-01-01T00:00:00Z", "2120-01-02T00:00:00Z"));
    won(buy("guy", item, "k", 1));
    Web.Answer past =
        adminPost(
            "/api/v1/admin/items/" + item + "/window",
            window("2020-01-01T00:00:00Z", "2020-01-02T00:00:00Z"));
    refused("INVALID_REQUEST", past);
  }

  @Test
  void theStopSwitchShouldHoldEverythingButReplays() throws Exception {
    String item = onSale(20, 1);
    String won = won(buy("ida", item, "k", 1));
    long before = admin.get("/api/v1/admin/sales").getLong("generation");
    try {
      JsonObject stopped = admin.post("/api/v1/admin/sales/stop", new JsonObject());
      assertThat(stopped.getBoolean("stopped")).isTrue();
      assertThat(stopped.getLong("generation")).isEqualTo(before + 1);
      // Users of all shards.
      for (int i = 0; i < 4 * SHARDS; i++) {
        refused("PAUSED", buy("stopped-" + i, item, "k", 1));
      }
      Web.Answer replay = buy("ida", item, "k", 1);
      assertThat(replay.status()).isEqualTo(200);
      assertThat(replay.json().getString("orderId")).isEqualTo(won);
      Await.until(BOUND, "buyers see it", () -> shown(item).getString("state").equals("PAUSED"));
      assertThat(admin.get("/api/v1/admin/sales")).isEqualTo(stopped);
    } finally {
      admin.post("/api/v1/admin/sales/resume", new JsonObject());
    }
    Await.until(BOUND, "buyers see it", () -> shown(item).getString("state").equals("OPEN"));
    won(buy("stopped-1", item, "k", 1));
  }

  // ---- helpers ----

  private static String onSale(long stock, int limit) {
    String item = create(stock, limit, new JsonObject());
    preheat(item);
    return item;
  }

  private static synchronized String create(long stock, int limit, JsonObject more) {
    String item = Long.toString(nextItem++);
    JsonObject body =
        new JsonObject()
            .put("itemId", item)
            .put("name", "Thing " + item)
            .put("priceMinor", 100)
            .put("currency", "CNY")
            .put("limitPerUser", limit)
            .put("startsAt", "2020-01-01T00:00:00Z")
            .put("endsAt", "2120-01-01T00:00:00Z")
            .put("stock", stock);
    return post("/api/v1/admin/items", body.mergeIn(more)).getString("itemId");
  }

  private static void preheat(String item) {
    post("/api/v1/admin/items/" + item + "/preheat", new JsonObject());
  }

  /** Asks again until it is settled: the answer does not wait for ever for a consumer. */
  private JsonObject change(String item, String action, JsonObject body) throws Exception {
    JsonObject once = new JsonObject().put("requestId", UUID.randomUUID().toString()).mergeIn(body);
    JsonObject[] changed = {null};
    Await.until(
        BOUND,
        action + " is settled",
        () -> {
          Web.Answer answer = adminPost("/api/v1/admin/items/" + item + "/" + action, once);
          assertThat(answer.status()).as(answer.body()).isEqualTo(200);
          changed[0] = answer.json();
          return changed[0].getBoolean("settled");
        });
    return changed[0];
  }

  private static JsonObject post(String path, JsonObject body) {
    try {
      return admin.post(path, body);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Without the key that the client makes. */
  private Web.Answer adminPost(String path, JsonObject body) throws Exception {
    String requestId = body.getString("requestId", "r-" + System.nanoTime());
    String url = stack.runInfo().adminUrl() + path;
    return Web.patiently(
        BOUND, () -> web.post(url, stack.runInfo().adminToken(), requestId, body.encode()));
  }

  private static void told(JsonObject changed, long asked, long done) {
    assertThat(changed.getLong("asked")).as(changed.encode()).isEqualTo(asked);
    assertThat(changed.getLong("done")).as(changed.encode()).isEqualTo(done);
    assertThat(changed.getBoolean("settled")).as(changed.encode()).isTrue();
  }

  private static JsonObject window(String startsAt, String endsAt) {
    return new JsonObject().put("startsAt", startsAt).put("endsAt", endsAt);
  }

  private Web.Answer buy(String user, String item, String key, int quantity) throws Exception {
    String url = publicUrl() + "/api/v1/items/" + item + "/purchases";
    String body = "{\"quantity\":" + quantity + "}";
    return Web.patiently(BOUND, () -> web.post(url, token(user), key, body));
  }

  private Web.Answer basket(String user, String key, String body) throws Exception {
    String url = publicUrl() + "/api/v1/purchases";
    return Web.patiently(BOUND, () -> web.post(url, token(user), key, body));
  }

  private static String lines(List<String> items, int quantity) {
    JsonArray lines = new JsonArray();
    items.forEach(
        item -> lines.add(new JsonObject().put("itemId", item).put("quantity", quantity)));
    return new JsonObject().put("lines", lines).encode();
  }

  private static String won(Web.Answer answer) {
    assertThat(answer.status()).as(answer.body()).isIn(200, 202);
    return answer.json().getString("orderId");
  }

  private static JsonObject refused(String code, Web.Answer answer) {
    assertThat(answer.json().getString("code")).as(answer.body()).isEqualTo(code);
    return answer.json();
  }

  private JsonObject stored(String user, String order) throws Exception {
    JsonObject[] found = {null};
    Await.until(
        BOUND,
        "the order is stored",
        () -> {
          found[0] = web.get(publicUrl() + "/api/v1/orders/" + order, token(user)).json();
          return found[0].getString("status").equals("PENDING_PAYMENT");
        });
    return found[0];
  }

  private JsonObject shown(String item) throws Exception {
    return web.get(publicUrl() + "/api/v1/items/" + item, "").json();
  }

  private void awaitSoldOut(String item, boolean soldOut) throws Exception {
    Await.kept(
        Duration.ofSeconds(3),
        "sold out is " + soldOut,
        () -> shown(item).getBoolean("soldOut") == soldOut);
  }

  /** Units held by orders once all of them are stored. */
  private static long held(String item) throws Exception {
    JsonObject report =
        admin.post(
            "/api/v1/admin/audit",
            new JsonObject().put("itemId", item).put("waitMs", BOUND.toMillis()));
    return report.getJsonArray("items").stream()
        .map(JsonObject.class::cast)
        .flatMapToLong(totals -> LongStream.of(totals.getLong("held")))
        .sum();
  }

  private static String publicUrl() {
    return stack.runInfo().publicUrl();
  }

  private static String token(String user) {
    return stack.tokens().sign(UserId.of(user), Set.of(), Duration.ofHours(1)).text();
  }
}
