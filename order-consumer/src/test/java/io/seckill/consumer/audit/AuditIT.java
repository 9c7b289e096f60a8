package io.seckill.consumer.audit;

import static io.seckill.consumer.ConsumerBed.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.audit.Finding;
import io.seckill.common.audit.ItemTotals;
import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.AuditReport;
import io.seckill.common.bus.AuditRequest;
import io.seckill.common.bus.BusCodecs;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.id.UserShards;
import io.seckill.consumer.ConsumerBed;
import io.seckill.consumer.Shop;
import io.seckill.consumer.log.LogConsumerVerticle;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.testkit.Await;
import io.seckill.testkit.TestMariaDb;
import io.seckill.testkit.TestRedis;
import io.vertx.core.eventbus.DeliveryOptions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The audit on real servers: clean when all is well, and a finding with amount and place when not.
 */
class AuditIT {

  private EmbeddedRedis redis;
  private ConsumerBed bed;
  private Shop shop;
  private String consumer;

  @BeforeEach
  void open() throws InterruptedException {
    redis = TestRedis.start();
    Map<String, String> overrides = new HashMap<>();
    overrides.put("redis.uri", redis.uri());
    overrides.put("redis.shards", "2");
    bed = ConsumerBed.on(TestMariaDb.shared().newDatabase(), overrides);
    shop = new Shop(bed, redis).open();
    BusCodecs.register(bed.vertx().eventBus());
    await(bed.vertx().deployVerticle(new AuditVerticle(bed.config(), bed.metrics())));
    shop.sell(1, 3, 101);
    shop.sell(2, 3, 50);
    consume();
  }

  private void consume() {
    consumer =
        await(
            bed.vertx()
                .deployVerticle(
                    new LogConsumerVerticle(bed.config(), bed.metrics(), List.of(0, 1))));
  }

  @AfterEach
  void close() {
    bed.close();
    redis.close();
  }

  private AuditReport audit(Long item, long waitMs) throws InterruptedException {
    ItemId id = item == null ? null : new ItemId(item);
    // The verticle connects in the background.
    Await.until(ConsumerBed.BOUND, "the audit answers", () -> request(id, 0) != null);
    return request(id, waitMs);
  }

  private AuditReport request(ItemId item, long waitMs) {
    return await(
            bed.vertx()
                .eventBus()
                .<AuditReport>request(
                    Addresses.AUDIT,
                    new AuditRequest(item, waitMs),
                    new DeliveryOptions().setSendTimeout(25_000)))
        .body();
  }

  private void buy(int users) {
    for (int i = 0; i < users; i++) {
      shop.win("u" + i, 1, 1 + i % 3);
    }
  }

  private int shardOf(String user) {
    return new UserShards(2).shardOf(new UserId(user));
  }

  private static Finding only(AuditReport report, String promise) {
    return report.findings().stream()
        .filter(finding -> finding.promise().equals(promise))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + promise + " in " + report.findings()));
  }

  @Test
  void auditShouldBeCleanWhenEverythingIsStored() throws InterruptedException {
    buy(20);
    EntryId win = shop.win("ann", 1, 3);
    shop.release("ann", 1, win);
    shop.win("ann", 1, 2);

    AuditReport report = audit(null, 10_000);

    assertThat(report.findings()).isEmpty();
    assertThat(report.clean()).isTrue();
    long units = 39 + 2;
    assertThat(report.items())
        .contains(new ItemTotals(new ItemId(1), 101, 101 - units, units, 0, 22));
  }

  @Test
  void auditShouldCountWhatIsInFlightWhenTheConsumerIsAway() throws InterruptedException {
    await(bed.vertx().undeploy(consumer));
    buy(30);

    AuditReport report = audit(1L, 0);

    assertThat(report.findings()).isEmpty();
    ItemTotals totals = report.items().get(0);
    assertThat(totals.granted()).isEqualTo(101);
    assertThat(totals.held() + totals.inFlight() + totals.left()).isEqualTo(101);
    assertThat(totals.inFlight()).isGreaterThan(0);
  }

  @Test
  void auditShouldStayCleanWhileBuyersBuyAndGiveBack() throws Exception {
    AtomicBoolean end = new AtomicBoolean();
    Thread buyers =
        new Thread(
            () -> {
              for (int i = 0; !end.get(); i++) {
                EntryId win = shop.win("b" + i % 40, 2, 1);
                shop.release("b" + i % 40, 2, win);
              }
            });
    buyers.start();
    try {
      for (int i = 0; i < 10; i++) {
        assertThat(audit(null, 5_000).findings()).isEmpty();
      }
    } finally {
      end.set(true);
      buyers.join();
    }
    assertThat(audit(null, 5_000).findings()).isEmpty();
  }

  @Test
  void auditShouldBeCleanWhenAShardWasOpenedAgainWithABacklog() throws InterruptedException {
    await(bed.vertx().undeploy(consumer));
    buy(30);
    shop.open();

    assertThat(audit(null, 0).findings()).isEmpty();
    consume();
    AuditReport report = audit(null, 10_000);
    assertThat(report.findings()).isEmpty();
    assertThat(report.items()).allMatch(item -> item.inFlight() == 0);
  }

  @Test
  void auditShouldBeCleanWhenReleasesAreNotStoredYet() throws InterruptedException {
    EntryId first = shop.win("ann", 1, 3);
    EntryId second = shop.win("bob", 1, 2);
    assertThat(audit(1L, 10_000).clean()).isTrue();
    await(bed.vertx().undeploy(consumer));
    shop.release("ann", 1, first);
    shop.release("bob", 1, second);

    assertThat(audit(1L, 0).findings()).isEmpty();
  }

  @Test
  void auditShouldFindAnOrderThatDoesNotAgreeWithItsLines() throws InterruptedException {
    buy(6);
    assertThat(audit(1L, 10_000).clean()).isTrue();
    bed.query("UPDATE orders SET held_units = 1 WHERE user_id = 'u2'");
    bed.query("UPDATE orders SET quantity = 9 WHERE user_id = 'u1'");

    assertThat(audit(1L, 10_000).findings())
        .extracting(Finding::amount)
        .containsExactlyInAnyOrder(-2L, 7L);
  }

  @Test
  void auditShouldFindACounterOfUnitsOutThatIsOff() throws InterruptedException {
    buy(3);
    assertThat(audit(1L, 10_000).clean()).isTrue();
    bed.query("UPDATE items SET units_out = 4 WHERE item_id = 1");

    assertThat(audit(null, 10_000).findings())
        .hasSize(1)
        .allMatch(finding -> finding.detail().contains("units out") && finding.amount() == 4);
  }

  @Test
  void auditShouldLookAtEverySuspect() throws InterruptedException {
    shop.sell(3, 1, 700);
    for (int i = 0; i < 300; i++) {
      shop.win("w" + i, 3, 1);
    }
    assertThat(audit(3L, 10_000).clean()).isTrue();
    bed.query("UPDATE orders SET held_units = 0 WHERE user_id = 'w99'");

    AuditReport report = audit(3L, 10_000);

    assertThat(report.findings()).anyMatch(finding -> finding.place().contains("user w99"));
  }

  @Test
  void auditShouldFindARemovedOrder() throws InterruptedException {
    buy(10);
    assertThat(audit(1L, 10_000).clean()).isTrue();
    EntryId place = shop.win("eve", 1, 2);
    assertThat(audit(1L, 10_000).clean()).isTrue();
    bed.query("DELETE FROM orders WHERE user_id = 'eve'");

    AuditReport report = audit(1L, 200);

    assertThat(report.clean()).isFalse();
    assertThat(only(report, "I1").amount()).isEqualTo(-2);
    assertThat(report.findings())
        .anyMatch(
            finding ->
                finding.promise().equals("I3")
                    && finding.place().contains("3:" + shardOf("eve"))
                    && finding.place().endsWith(":" + place.seq()))
        .anyMatch(
            finding -> finding.promise().equals("I3") && finding.place().contains("user eve"));
  }

  @Test
  void auditShouldFindAStockKeyThatWasRaised() throws InterruptedException {
    buy(10);
    shop.redis("INCRBY", shop.keys(1).stock(new ItemId(1)), "7");

    AuditReport report = audit(1L, 10_000);

    assertThat(report.clean()).isFalse();
    Finding finding = only(report, "I1");
    assertThat(finding.amount()).isEqualTo(7);
    assertThat(finding.place()).isEqualTo("item 1 shard 3:1");
  }

  @Test
  void auditShouldFindARemovedReceipt() throws InterruptedException {
    buy(10);
    shop.redis("HDEL", shop.keys(shardOf("u4")).receipts(new ItemId(1)), "u4");

    AuditReport report = audit(1L, 10_000);

    assertThat(report.clean()).isFalse();
    Finding finding = only(report, "I2");
    assertThat(finding.amount()).isEqualTo(-2);
    assertThat(finding.place()).contains("user u4").contains("item 1");
  }

  @Test
  void auditShouldFindAStockKeyThatIsGone() throws InterruptedException {
    buy(3);
    shop.redis("DEL", shop.keys(0).stock(new ItemId(1)));

    assertThat(only(audit(1L, 10_000), "I1").detail()).contains("missing");
  }

  @Test
  void auditShouldFindACounterThatIsOff() throws InterruptedException {
    buy(3);
    assertThat(audit(1L, 10_000).clean()).isTrue();
    bed.query("UPDATE items SET held_units = held_units + 1 WHERE item_id = 1");
    bed.query("UPDATE holdings SET units = units + 1 WHERE user_id = 'u1'");

    AuditReport report = audit(1L, 10_000);

    assertThat(report.findings())
        .hasSize(2)
        .allMatch(finding -> finding.promise().equals("I1") && finding.amount() == 1);
  }

  @Test
  void auditShouldNameAnOpenDeadLetter() throws InterruptedException {
    bed.query("UPDATE items SET units_in = 1 WHERE item_id = 1");
    shop.win("ann", 1, 3);

    AuditReport report = audit(1L, 10_000);

    assertThat(report.findings())
        .anyMatch(finding -> finding.promise().equals("I3") && finding.detail().contains("GRANT"));
  }
}
