package io.seckill.launcher.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.UserId;
import io.seckill.common.id.UserShards;
import io.seckill.launcher.Listener;
import io.seckill.launcher.Web;
import io.seckill.testkit.Await;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who comes too late, waits in line and hears of it: the whole program over HTTP. */
class WaitlistIT {

  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final int SHARDS = 2;

  @TempDir private static Path folder;

  private static TestShop shop;
  private static long nextItem = 1;

  private final Web web = new Web();

  @BeforeAll
  static void start() {
    shop =
        TestShop.start(
            folder,
            Map.of("redis.shards", Integer.toString(SHARDS), "gateway.placeIntervalMs", "200"));
  }

  @AfterAll
  static void stop() {
    shop.close();
  }

  @AfterEach
  void theAuditShouldBeClean() throws Exception {
    shop.auditShouldBeClean(BOUND);
  }

  @Test
  void whoWaitsShouldGetWhatComesBackHearOfItAndPay() throws Exception {
    String item = onSale(1);
    refused("NOT_SOLD_OUT", web.post(line(item), token("zoe")));
    String first = won("ann", item);
    // A shard serves its own line first, so two of one shard.
    String next = besides("bob");
    join("bob", item);
    join(next, item);
    JsonObject bobs = ok(patiently(() -> web.get(line(item), token("bob"))));
    assertThat(bobs.getLong("place")).isEqualTo(1);
    assertThat(bobs.getLong("waiting")).isEqualTo(2);
    try (Listener bob = listen("bob", item, "");
        Listener cat = listen(next, item, "")) {
      Await.until(BOUND, "bob hears his place", () -> bob.heard("place", "place", 1));
      Await.until(BOUND, "cat hears his place", () -> cat.heard("place", "place", 2));
      Await.until(BOUND, "all see the line", () -> bob.heard("item", "waiting", 2));

      ok(patiently(() -> web.delete(order(first), token("ann"))));
      Await.until(BOUND, "bob hears of his unit", () -> bob.heard("order", "promoted", true));
      Await.until(BOUND, "he is out of the line", () -> bob.heard("place", "place", null));
      Await.until(BOUND, "cat is next", () -> cat.heard("place", "place", 1));
      refused("SOLD_OUT", patiently(() -> web.buy(url(), token("dan"), item, "k")));

      String won = orderOf(bob);
      JsonObject order = ok(patiently(() -> web.get(order(won), token("bob"))));
      assertThat(order.getBoolean("promoted")).isTrue();
      assertThat(order.getString("payBy")).isNotNull();
      assertThat(cat.heard()).noneMatch(event -> event.type().equals("order"));
      pay("bob", won);
      Await.until(BOUND, "bob hears that it is paid", () -> bob.heard("order", "status", "PAID"));

      try (Listener again = listen("bob", item, lastId(bob))) {
        Await.until(BOUND, "he hears it again", () -> again.heard("order", "status", "PAID"));
      }
      assertThat(patiently(() -> web.delete(line(item), token(next))).status()).isEqualTo(204);
      Await.until(BOUND, "cat is out", () -> cat.heard("place", "place", null));
      assertThat(patiently(() -> web.get(line(item), token(next))).status()).isEqualTo(404);
    }
  }

  @Test
  void whenTheTimeToPayEndsTheNextInLineShouldBeServed() throws Exception {
    String item = onSale(1, 1_500);
    won("eve", item);
    join("fay", item);
    join("gus", item);
    try (Listener fay = listen("fay", item, "");
        Listener gus = listen("gus", item, "")) {
      Await.until(BOUND, "fay's turn", () -> fay.heard("order", "promoted", true));
      Await.until(BOUND, "fay did not pay", () -> fay.heard("order", "status", "CANCELLED"));
      Await.until(BOUND, "gus' turn", () -> gus.heard("order", "promoted", true));
      Await.until(BOUND, "gus did not pay", () -> gus.heard("order", "status", "CANCELLED"));
      Await.until(BOUND, "on sale again", () -> gus.latest("item", "soldOut").equals(false));
      won("hal", item);
    }
  }

  @Test
  void unitsThatComeNewShouldGoToTheLineFirst() throws Exception {
    String item = onSale(1);
    won("ida", item);
    for (int i = 0; i < 5; i++) {
      join("line" + i, item);
    }
    shop.admin().post("/api/v1/admin/items/" + item + "/restock", new JsonObject().put("units", 6));
    for (int i = 0; i < 5; i++) {
      String user = "line" + i;
      try (Listener listener = listen(user, item, "")) {
        Await.until(BOUND, user + " is served", () -> listener.heard("order", "promoted", true));
      }
    }
    Await.until(
        BOUND,
        "one unit is left for others",
        () -> web.buy(url(), token("jon"), item, "k").status() == 202);
    refused("SOLD_OUT", patiently(() -> web.buy(url(), token("kim"), item, "k")));
  }

  // ---- helpers ----

  private static String onSale(long stock) throws InterruptedException {
    return onSale(stock, 900_000);
  }

  private static String onSale(long stock, long payWithinMs) throws InterruptedException {
    String item = Long.toString(nextItem++);
    shop.admin()
        .post(
            "/api/v1/admin/items",
            new JsonObject()
                .put("itemId", item)
                .put("name", "Thing " + item)
                .put("priceMinor", 100)
                .put("currency", "CNY")
                .put("limitPerUser", 1)
                .put("payWithinMs", payWithinMs)
                .put("startsAt", "2020-01-01T00:00:00Z")
                .put("endsAt", "2120-01-01T00:00:00Z")
                .put("stock", stock));
    shop.admin().post("/api/v1/admin/items/" + item + "/preheat", new JsonObject());
    Await.until(
        BOUND,
        "the item is on the board",
        () -> new Web().get(url() + "/api/v1/items/" + item, "").status() == 200);
    return item;
  }

  private String won(String user, String item) throws Exception {
    return ok(patiently(() -> web.buy(url(), token(user), item, "k"))).getString("orderId");
  }

  /** As soon as it is proved that nothing is left. */
  private void join(String user, String item) throws Exception {
    Await.until(
        BOUND, user + " is in line", () -> web.post(line(item), token(user)).status() < 300);
  }

  /** Somebody of the same shard. */
  private static String besides(String user) {
    UserShards shards = new UserShards(SHARDS);
    return IntStream.iterate(0, i -> i + 1)
        .mapToObj(i -> "cat" + i)
        .filter(name -> shards.shardOf(UserId.of(name)) == shards.shardOf(UserId.of(user)))
        .findFirst()
        .orElseThrow();
  }

  private void pay(String user, String order) throws Exception {
    JsonObject payment = ok(patiently(() -> web.post(order(order) + "/payment", token(user))));
    assertThat(web.form(payment.getString("redirectUrl"), "outcome=pay").status()).isEqualTo(303);
  }

  private static Listener listen(String user, String item, String lastId) throws Exception {
    return Listener.open(url(), token(user), item, lastId);
  }

  private static String orderOf(Listener listener) {
    return listener.heard().stream()
        .filter(event -> event.type().equals("order"))
        .map(event -> event.data().getString("orderId"))
        .findFirst()
        .orElseThrow();
  }

  private static String lastId(Listener listener) {
    return listener.heard().stream()
        .map(Listener.Event::id)
        .filter(id -> !id.isEmpty())
        .reduce("", (before, id) -> id);
  }

  private static Web.Answer patiently(Callable<Web.Answer> call) throws InterruptedException {
    return Web.patiently(BOUND, call);
  }

  private static JsonObject ok(Web.Answer answer) {
    assertThat(answer.status()).as(answer.body()).isBetween(200, 299);
    return answer.json();
  }

  private static void refused(String code, Web.Answer answer) {
    assertThat(answer.json().getString("code")).as(answer.body()).isEqualTo(code);
  }

  private static String line(String item) {
    return url() + "/api/v1/items/" + item + "/waitlist";
  }

  private static String order(String id) {
    return url() + "/api/v1/orders/" + id;
  }

  private static String url() {
    return shop.stack().runInfo().publicUrl();
  }

  private static String token(String user) {
    return shop.stack().tokens().sign(UserId.of(user), Set.of(), Duration.ofHours(1)).text();
  }
}
