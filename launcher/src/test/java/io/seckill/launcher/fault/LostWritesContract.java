package io.seckill.launcher.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.audit.ItemTotals;
import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.AuditReport;
import io.seckill.common.bus.TransferStore;
import io.seckill.common.bus.TransferStored;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.OrderId;
import io.seckill.common.id.UserId;
import io.seckill.common.order.OrderStatus;
import io.seckill.common.order.OrderView;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.launcher.fault.SaleSystem.Answer;
import io.seckill.lua.StepResult;
import io.seckill.testkit.Await;
import io.seckill.testkit.SqlHold;
import io.seckill.testkit.Stalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/**
 * A Redis that forgets what it had answered: wins, a release, units sent to another shard, the end
 * of a sale. Half of that is stored in MySQL before it is lost, the other half is not, because the
 * consumer is held up until the shards sell again. Whatever the topology: it is noticed before one
 * more unit is sold, everything that was stored holds, every win that was not is told to be lost,
 * and then the stock sells to the last unit.
 */
@TestInstance(Lifecycle.PER_CLASS)
abstract class LostWritesContract {

  /** Keeps anybody from storing an entry of a log, and the ledger's own work from nothing. */
  private static final String[] NOTHING_IS_STORED = {
    "SELECT seq FROM orders FORCE INDEX (PRIMARY) FOR UPDATE",
    "SELECT seq FROM shard_log FORCE INDEX (PRIMARY) FOR UPDATE"
  };

  /** Of the end of a fault, promise I6; four times what is seen on two busy cores. */
  static final Duration HEALED_WITHIN = Duration.ofSeconds(30);

  private RedisServers servers;
  private SaleSystem sales;

  /** Starts the servers of the topology. */
  abstract RedisServers startServers() throws Exception;

  /** The servers. */
  RedisServers servers() {
    return servers;
  }

  /** The system on them. */
  SaleSystem sales() {
    return sales;
  }

  @BeforeAll
  void startAll(@TempDir Path folder) throws Exception {
    servers = startServers();
    sales =
        new SaleSystem(
            servers,
            folder.resolve("data"),
            Map.of(
                // What a test locks in MySQL is waited for half of this.
                "mysql.statementTimeoutMs", "2000", "consumer.claimIdleMs", "4000"));
  }

  @AfterAll
  void stopAll() {
    if (sales != null) {
      sales.close();
    }
    if (servers != null) {
      servers.close();
    }
  }

  @AfterEach
  void everythingShouldBeWholeAgain() throws Exception {
    servers.allowFailover(true);
    servers.restoreOrder();
    sales.audit();
  }

  /** How a server comes to forget. */
  interface Loss {

    /** All writes from here on will be lost. */
    void begin(EmbeddedRedis master) throws Exception;

    /** They are. */
    void strike(EmbeddedRedis master) throws Exception;
  }

  @Test
  void RF_03_aServerThatStartsEmptyShouldBeWrittenAnew() throws Exception {
    lose(
        new Loss() {
          @Override
          public void begin(EmbeddedRedis master) {
            servers().allowFailover(false);
          }

          @Override
          public void strike(EmbeddedRedis master) throws IOException {
            RedisServers.restartWith(master, Path.of("no-snapshot"));
          }
        });
  }

  @Test
  void RF_02_aServerThatStartsFromAnOlderSnapshotShouldBeWrittenAnew() throws Exception {
    lose(new OlderSnapshot());
  }

  @Test
  void RF_02_anEndThatIsAllThatWasLostShouldHold() throws Exception {
    int shards = sales.shards();
    ItemId item = sales.onSale(2L * shards);
    for (int shard : allShards()) {
      sales.settled(sales.win(shard, item));
    }
    EmbeddedRedis master = servers.masterOf(0);
    List<Integer> victims = shardsOf(master);
    Loss loss = new OlderSnapshot();
    loss.begin(master);
    SqlHold stalled = SqlHold.of(sales.mysql(), NOTHING_IS_STORED);
    try {
      sales.end(item);
      loss.strike(master);
      for (int shard : victims) {
        assertEnded(shard, item);
      }
    } finally {
      stalled.close();
    }
    for (int shard : allShards()) {
      assertEnded(shard, item);
    }
    assertThat(totals(sales.audit(), item).held()).isEqualTo(shards);
  }

  /** A snapshot that is kept aside, because a replica may have the server write another one. */
  private final class OlderSnapshot implements Loss {

    private Path kept;

    @Override
    public void begin(EmbeddedRedis master) throws IOException {
      servers().allowFailover(false);
      RedisServers.ask(master, "SAVE");
      kept = Files.createTempFile("seckill-older", ".rdb");
      Files.copy(RedisServers.snapshotOf(master), kept, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void strike(EmbeddedRedis master) throws IOException {
      RedisServers.restartWith(master, kept);
      Files.delete(kept);
      Files.delete(RedisServers.snapshotOf(master));
    }
  }

  /** The whole story with one way of forgetting. */
  void lose(Loss loss) throws Exception {
    int shards = sales.shards();
    EmbeddedRedis master = servers.masterOf(0);
    List<Integer> victims = shardsOf(master);
    // A shard on another server where there is one.
    int other =
        allShards().stream().filter(shard -> !victims.contains(shard)).findFirst().orElse(1);
    ItemId sold = sales.onSale(20L * shards);
    ItemId given = sales.onSale(4L * shards);
    ItemId sent = sales.onSale(6L * shards);
    ItemId moved = sales.onSale(6L * shards);
    ItemId ended = sales.onSale(2L * shards);
    ItemId endedLate = sales.onSale(2L * shards);
    List<ToldWin> stored = new ArrayList<>();
    for (int shard : allShards()) {
      stored.add(sales.win(shard, sold));
    }
    ToldWin early = sales.win(0, given);
    ToldWin late = sales.win(0, given);
    stored.add(late);
    stored.add(sales.win(0, ended));
    stored.add(sales.win(0, endedLate));
    sales.allSettled(sales.told());

    loss.begin(master);

    // Lost by Redis, but stored.
    winAll(sold, 3, stored);
    release(early);
    for (int buyer = 0; buyer < 8; buyer++) {
      stored.add(sales.win(0, sent));
      stored.add(sales.win(other, sent));
    }
    move(moved, 0, other, 2);
    move(moved, other, 0, 1);
    sales.end(ended);
    sales.allSettled(stored);
    sales.awaitStatus(early, OrderStatus.CANCELLED);
    assertThat(sales.audit().items()).isNotEmpty();

    // Lost by Redis, and not stored, until the shards sell again.
    List<ToldWin> unstored = new ArrayList<>();
    TransferStore neverTold;
    long healedMs;
    long allowedMs;
    SqlHold stalled = SqlHold.of(sales.mysql(), NOTHING_IS_STORED);
    try {
      winAll(sold, 3, unstored);
      release(late);
      for (int buyer = 0; buyer < 4; buyer++) {
        unstored.add(sales.win(0, sent));
        unstored.add(sales.win(other, sent));
      }
      move(moved, 0, other, 2);
      move(moved, other, 0, 1);
      neverTold = send(moved, 0, other, 1);
      sales.end(endedLate);
      loss.strike(master);
      long struckAt = System.nanoTime();
      for (int shard : victims) {
        ToldWin first = sales.win(shard, sold);
        assertThat(first.epoch())
            .as("the epoch of the first win of shard " + shard + " after the loss")
            .isGreaterThan(lastEpoch(unstored, shard));
        assertEnded(shard, ended);
        assertEnded(shard, endedLate);
      }
      healedMs = millisSince(struckAt);
      allowedMs = Stalls.allow(HEALED_WITHIN).toMillis();
    } finally {
      stalled.close();
    }

    for (ToldWin win : stored) {
      assertThat(sales.settled(win).status())
          .as(win.toString())
          .isEqualTo(OrderStatus.PENDING_PAYMENT);
    }
    assertThat(sales.settled(early).status()).isEqualTo(OrderStatus.CANCELLED);
    assertThatThrownBy(
            () -> sales.ask(Addresses.LEDGER_STORE_TRANSFER, neverTold, TransferStored.class))
        .as("units that were sent, but neither Redis nor the ledger knows of it")
        .hasStackTraceContaining("CONFLICT");
    int lost = 0;
    for (ToldWin win : unstored) {
      if (victims.contains(win.shard())) {
        // The consumer had read it, and was stalled while its epoch was closed.
        assertThat(isLost(sales.settled(win))).as(win + " is lost").isTrue();
        lost++;
      } else {
        assertThat(sales.settled(win).status())
            .as(win.toString())
            .isEqualTo(OrderStatus.PENDING_PAYMENT);
      }
    }
    // What was given back may be won again by whom it was taken from; what was not, not.
    sales.win(early.user(), given, "again");
    assertThat(sales.buy(late.user(), given, "again").code()).isEqualTo("LIMIT_REACHED");
    for (int shard : allShards()) {
      assertEnded(shard, ended);
      assertEnded(shard, endedLate);
    }
    for (ItemId item : List.of(sold, given, sent, moved)) {
      sales.sellOut(item);
    }
    assertThat(lostOf(sold, given, sent, moved, ended, endedLate)).isEqualTo(lost);
    AuditReport report = sales.audit();
    assertSoldOut(report, sold, 20L * shards);
    assertSoldOut(report, given, 4L * shards);
    assertSoldOut(report, sent, 6L * shards);
    assertSoldOut(report, moved, 6L * shards);
    assertThat(totals(report, ended).held()).isEqualTo(1);
    assertThat(totals(report, endedLate).held()).isEqualTo(1);
    System.out.printf(
        "[fault] %s: sold again after %d ms, %d wins told and lost%n",
        getClass().getSimpleName(), healedMs, lost);
    assertThat(healedMs).isLessThanOrEqualTo(allowedMs);
  }

  /** Some wins of an item in each shard. */
  private void winAll(ItemId item, int each, List<ToldWin> wins) throws InterruptedException {
    for (int shard : allShards()) {
      for (int i = 0; i < each; i++) {
        wins.add(sales.win(shard, item));
      }
    }
  }

  private void release(ToldWin win) throws Exception {
    try (ShardClient client =
        new ShardClient(sales.stack().node().vertx(), servers.uri(), sales.shards(), win.shard())) {
      StepResult result = client.release(new UserId(win.user()), win.win().entry(), win.item());
      assertThat(result.status()).isEqualTo(StepResult.Status.OK);
    }
  }

  /** Units on their way to another shard, as far as the ledger: its move waits for an engine. */
  private void move(ItemId item, int from, int to, long units) throws Exception {
    sales.ask(Addresses.LEDGER_STORE_TRANSFER, send(item, from, to, units), TransferStored.class);
  }

  private TransferStore send(ItemId item, int from, int to, long units) throws Exception {
    try (ShardClient client =
        new ShardClient(sales.stack().node().vertx(), servers.uri(), sales.shards(), from)) {
      return client.send(sales.region(), item, units, to);
    }
  }

  /** A shard may be paused until it has heard of the end again; what it must not do is sell. */
  private void assertEnded(int shard, ItemId item) throws InterruptedException {
    String user = sales.newBuyer(shard);
    Await.until(
        SaleSystem.BOUND,
        "item " + item + " is ended in shard " + shard,
        () -> {
          Answer answer = sales.buy(user, item);
          if (answer.isWin()) {
            throw new AssertionError("item " + item + " was sold in shard " + shard);
          }
          return answer.code().equals("ENDED");
        });
  }

  /**
   * Every win that anybody was told of has a name of its own, and of these items it has become an
   * order or is lost; nobody holds more than his one unit of an item.
   *
   * @return how many are lost
   */
  int lostOf(ItemId... items) throws Exception {
    Set<OrderId> orders = new HashSet<>();
    for (ToldWin win : sales.told()) {
      assertThat(orders.add(win.order())).as(win + " is nobody else's").isTrue();
    }
    int lost = 0;
    for (ItemId item : items) {
      Set<String> holders = new HashSet<>();
      for (ToldWin win : sales.told(item)) {
        OrderView order = sales.settled(win);
        switch (order.status()) {
          case PENDING_PAYMENT ->
              assertThat(holders.add(win.user())).as(win + " is his only one").isTrue();
          case CANCELLED -> assertThat(order.reason()).isEqualTo("user");
          default -> {
            assertThat(isLost(order)).as(win + " is " + order).isTrue();
            lost++;
          }
        }
      }
    }
    return lost;
  }

  /** The shards on a server. */
  List<Integer> shardsOf(EmbeddedRedis master) {
    return allShards().stream().filter(shard -> servers.masterOf(shard) == master).toList();
  }

  List<Integer> allShards() {
    return IntStream.range(0, sales.shards()).boxed().toList();
  }

  private static long lastEpoch(List<ToldWin> wins, int shard) {
    return wins.stream()
        .filter(win -> win.shard() == shard)
        .mapToLong(ToldWin::epoch)
        .max()
        .orElseThrow();
  }

  static boolean isLost(OrderView order) {
    return order.status() == OrderStatus.FAILED && order.reason().equals("LOST");
  }

  static ItemTotals totals(AuditReport report, ItemId item) {
    return report.items().stream().filter(its -> its.item().equals(item)).findFirst().orElseThrow();
  }

  static void assertSoldOut(AuditReport report, ItemId item, long stock) {
    assertThat(totals(report, item).left()).as("left of item " + item).isZero();
    assertThat(totals(report, item).held()).as("sold of item " + item).isEqualTo(stock);
  }

  static long millisSince(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
  }
}
