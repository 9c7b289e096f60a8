package io.seckill.launcher.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.AuditReport;
import io.seckill.common.bus.AuditRequest;
import io.seckill.common.bus.OrderQuery;
import io.seckill.common.bus.OrderViews;
import io.seckill.common.config.ConfigLoader;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.OrderId;
import io.seckill.common.id.OrderIds;
import io.seckill.common.id.UserId;
import io.seckill.common.id.UserShards;
import io.seckill.common.id.WinId;
import io.seckill.common.order.OrderStatus;
import io.seckill.common.order.OrderView;
import io.seckill.launcher.Web;
import io.seckill.launcher.command.AdminClient;
import io.seckill.launcher.local.LocalOptions;
import io.seckill.launcher.local.LocalStack;
import io.seckill.testkit.Await;
import io.seckill.testkit.MySqlAddress;
import io.seckill.testkit.TestMariaDb;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The whole system, all roles in this process, on the servers of a topology and a database of its
 * own; and the people who use it. Buyers come by HTTP. It remembers every win that it was told of.
 * Safe for use from many threads.
 */
final class SaleSystem implements AutoCloseable {

  /**
   * Far above what any fault takes to heal; a bound against hanging. Sentinels that stood still
   * with the machine do nothing for half a minute more.
   */
  static final Duration BOUND = Duration.ofSeconds(90);

  private static final DeliveryOptions OPTIONS = new DeliveryOptions().setSendTimeout(60_000);
  private static final int WON = 202;
  private static final int REPLAYED = 200;
  private static final long CLICK_PAUSE_MS = 50;

  /** Which say that a buyer may come again, and no more. */
  private static final Set<String> COME_AGAIN =
      Set.of("BUSY", "UNAVAILABLE", "OUTCOME_UNKNOWN", "RATE_LIMITED");

  private final MySqlAddress mysql = TestMariaDb.shared().newDatabase();
  private final Web web = new Web();
  private final Queue<ToldWin> told = new ConcurrentLinkedQueue<>();
  private final AtomicLong nextName = new AtomicLong();
  private final AtomicLong nextItem = new AtomicLong(1);
  private final LocalStack stack;
  private final AdminClient admin;
  private final UserShards userShards;
  private final OrderIds orderIds;

  /** What a click was answered. The code is empty for a win. */
  record Answer(String code, OrderId order) {

    boolean isWin() {
      return code.isEmpty();
    }
  }

  /** Starts it; configuration that is not for every test is given. */
  SaleSystem(RedisServers servers, Path folder, Map<String, String> overrides) {
    stack =
        LocalStack.start(
            LocalOptions.in(folder)
                .withLoader(ConfigLoader.ofNothing())
                .onFreePorts()
                .withServers(Optional.of(servers.uri()), Optional.of(mysql.uri()))
                .with("redis.shards", servers.shards())
                .with("redis.callTimeoutMs", 800)
                .with("redis.connectTimeoutMs", 1_000)
                .with("admission.ipPerSecond", 100_000)
                .with("admission.ipBurst", 100_000)
                .with(overrides));
    admin = new AdminClient(stack.runInfo().adminUrl(), stack.runInfo().adminToken());
    userShards = new UserShards(servers.shards());
    orderIds = new OrderIds(HexFormat.of().parseHex(stack.config().orderId().key().value()));
  }

  LocalStack stack() {
    return stack;
  }

  MySqlAddress mysql() {
    return mysql;
  }

  int region() {
    return stack.config().node().region();
  }

  int shards() {
    return userShards.count();
  }

  /** A new item, one for each user, open for everybody. */
  ItemId onSale(long stock) throws InterruptedException {
    ItemId item = new ItemId(nextItem.getAndIncrement());
    admin.post(
        "/api/v1/admin/items",
        new JsonObject()
            .put("itemId", item.toString())
            .put("name", "thing " + item)
            .put("priceMinor", 100)
            .put("currency", "CNY")
            .put("limitPerUser", 1)
            .put("startsAt", "2020-01-01T00:00:00Z")
            .put("endsAt", "2120-01-01T00:00:00Z")
            .put("stock", stock));
    admin.post("/api/v1/admin/items/" + item + "/preheat", new JsonObject());
    String shown = stack.runInfo().publicUrl() + "/api/v1/items/" + item;
    Await.until(
        BOUND, "item " + item + " is on the board", () -> web.get(shown, "").status() == 200);
    return item;
  }

  /** Ends an item's sale. */
  void end(ItemId item) throws InterruptedException {
    admin.post("/api/v1/admin/items/" + item + "/end", new JsonObject());
  }

  /** A user whom nobody knows yet, of a shard. */
  String newBuyer(int shard) {
    while (true) {
      String user = "buyer-" + nextName.getAndIncrement();
      if (userShards.shardOf(new UserId(user)) == shard) {
        return user;
      }
    }
  }

  /** One click for one unit. */
  Answer click(String user, ItemId item, String key) throws IOException, InterruptedException {
    Web.Answer answer = web.buy(stack.runInfo().publicUrl(), token(user), item.toString(), key);
    if (answer.status() != WON && answer.status() != REPLAYED) {
      return new Answer(answer.json().getString("code"), null);
    }
    OrderId order = OrderId.of(answer.json().getString("orderId"));
    return new Answer("", order);
  }

  private String token(String user) {
    return stack.tokens().sign(new UserId(user), Set.of(), Duration.ofHours(1)).text();
  }

  /** Clicks until the answer is final; remembers a win. */
  Answer buy(String user, ItemId item) throws InterruptedException {
    return buy(user, item, "click");
  }

  /** The same under another key than the first time, for a user who buys again. */
  Answer buy(String user, ItemId item, String key) throws InterruptedException {
    long deadline = System.nanoTime() + BOUND.toNanos();
    String last = "";
    while (System.nanoTime() - deadline < 0) {
      try {
        Answer answer = click(user, item, key);
        last = answer.code();
        if (!COME_AGAIN.contains(last)) {
          if (answer.isWin()) {
            told.add(
                new ToldWin(user, item, answer.order(), open(answer.order()), System.nanoTime()));
          }
          return answer;
        }
      } catch (IOException e) {
        last = e.toString();
      }
      TimeUnit.MILLISECONDS.sleep(CLICK_PAUSE_MS);
    }
    throw new AssertionError(user + " never learned whether he won, only " + last);
  }

  /** A new buyer of the shard, who wins. */
  ToldWin win(int shard, ItemId item) throws InterruptedException {
    return win(newBuyer(shard), item, "click");
  }

  /** A buyer, who wins. */
  ToldWin win(String user, ItemId item, String key) throws InterruptedException {
    Answer answer = buy(user, item, key);
    assertThat(answer.code()).as(user + " buys item " + item).isEmpty();
    return told.stream()
        .filter(win -> win.order().equals(answer.order()))
        .findFirst()
        .orElseThrow();
  }

  private WinId open(OrderId order) {
    synchronized (orderIds) {
      return orderIds.open(order).orElseThrow();
    }
  }

  /** The id that a win would be told under. */
  OrderId seal(WinId win) {
    synchronized (orderIds) {
      return orderIds.seal(win);
    }
  }

  /** Lets new buyers of all shards buy until each shard says that nothing is left. */
  void sellOut(ItemId item) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(shards());
    try {
      List<Callable<Answer>> shops = new ArrayList<>();
      for (int shard = 0; shard < shards(); shard++) {
        int its = shard;
        shops.add(() -> sellOut(its, item));
      }
      for (Future<Answer> last : threads.invokeAll(shops)) {
        assertThat(last.get().code()).isEqualTo("SOLD_OUT");
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private Answer sellOut(int shard, ItemId item) throws InterruptedException {
    Answer answer;
    do {
      answer = buy(newBuyer(shard), item);
    } while (answer.isWin());
    return answer;
  }

  /** All wins that were told so far. */
  List<ToldWin> told() {
    return new ArrayList<>(told);
  }

  /** The wins of one item that were told so far. */
  List<ToldWin> told(ItemId item) {
    return told.stream().filter(win -> win.item().equals(item)).toList();
  }

  /** Waits until an order has ended up somewhere. */
  OrderView settled(ToldWin win) throws Exception {
    OrderQuery query = new OrderQuery(new UserId(win.user()), win.order());
    OrderView[] view = new OrderView[1];
    Await.until(
        BOUND,
        win + " is settled",
        () -> {
          view[0] = ask(Addresses.ORDER, query, OrderViews.class).orders().get(0);
          return view[0].status() != OrderStatus.ACCEPTED;
        });
    return view[0];
  }

  /** Waits until all orders are settled. */
  void allSettled(Collection<ToldWin> wins) throws Exception {
    for (ToldWin win : wins) {
      settled(win);
    }
  }

  /** Waits until an order has a status. */
  void awaitStatus(ToldWin win, OrderStatus status) throws Exception {
    Await.until(
        BOUND, "order " + win.order() + " is " + status, () -> settled(win).status() == status);
  }

  /** The audit of all items, which has to find nothing. */
  AuditReport audit() throws Exception {
    AuditReport[] report = new AuditReport[1];
    // It is refused while it cannot reach a shard.
    Await.until(
        BOUND,
        "an audit",
        () -> {
          report[0] = ask(Addresses.AUDIT, new AuditRequest(null, 30_000), AuditReport.class);
          return true;
        });
    assertThat(report[0].findings()).isEmpty();
    assertThat(report[0].clean()).isTrue();
    return report[0];
  }

  /** A request over the bus. */
  <T> T ask(String address, Record message, Class<T> answer) throws Exception {
    return Await.result(
        BOUND,
        address,
        stack
            .node()
            .vertx()
            .eventBus()
            .request(address, message, OPTIONS)
            .map(reply -> answer.cast(reply.body())));
  }

  @Override
  public void close() {
    stack.close();
  }
}
