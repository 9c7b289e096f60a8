package io.seckill.consumer.ledger;

import static io.seckill.consumer.ConsumerBed.REGION;
import static io.seckill.consumer.ConsumerBed.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.ItemQuery;
import io.seckill.common.bus.ItemRecords;
import io.seckill.common.bus.SalesChange;
import io.seckill.common.bus.SalesQuery;
import io.seckill.common.bus.SalesRecord;
import io.seckill.common.bus.ShardHoldings;
import io.seckill.common.bus.ShardHoldingsQuery;
import io.seckill.common.bus.TransferStore;
import io.seckill.common.bus.TransferStored;
import io.seckill.common.id.ItemId;
import io.seckill.consumer.ConsumerBed;
import io.seckill.testkit.Await;
import io.seckill.testkit.TestMariaDb;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The ledger over the bus, and what it does by itself. */
class LedgerVerticleIT {

  private ConsumerBed bed;

  @BeforeEach
  void open() {
    bed =
        ConsumerBed.on(
            TestMariaDb.shared().newDatabase(),
            Map.of("redis.shards", "2", "consumer.archiveAfterMs", "1000"));
    await(bed.vertx().deployVerticle(new LedgerVerticle(bed.config(), bed.metrics())));
  }

  @AfterEach
  void close() {
    bed.close();
  }

  private <A> A ask(String address, Object question, Class<A> answer) {
    return answer.cast(await(bed.vertx().eventBus().request(address, question)).body());
  }

  @Test
  void theVerticleShouldAnswerWhatMovesBetweenShards() {
    bed.preheat(1, 3, 10);
    long epoch = bed.openShard(0, 0, 0);

    TransferStored stored =
        ask(
            Addresses.LEDGER_STORE_TRANSFER,
            new TransferStore(REGION, 0, epoch, 4, 1, new ItemId(1), 2, 1),
            TransferStored.class);

    assertThat(stored.move().number()).isEqualTo(2);
    assertThat(bed.registry().get("seckill.ledger.transfers").counter().count()).isEqualTo(1);
    ShardHoldings holdings =
        ask(
            Addresses.LEDGER_SHARD_HOLDINGS,
            new ShardHoldingsQuery(REGION, 0, "none", "", 10),
            ShardHoldings.class);
    assertThat(holdings.units()).isEmpty();
  }

  @Test
  void theVerticleShouldTurnTheStopSwitch() {
    SalesRecord stopped =
        ask(
            Addresses.LEDGER_CHANGE_SALES,
            new SalesChange("s", "op", REGION, true),
            SalesRecord.class);

    assertThat(stopped).isEqualTo(new SalesRecord(true, 1));
    assertThat(ask(Addresses.LEDGER_SALES, new SalesQuery(REGION), SalesRecord.class))
        .isEqualTo(stopped);
  }

  @Test
  void theVerticleShouldArchiveByItself() throws InterruptedException {
    bed.preheat(1, 3, 10);
    bed.query("UPDATE moves SET state = 'APPLIED'");
    bed.query("UPDATE items SET ends_at_ms = 1");

    Await.until(
        ConsumerBed.BOUND,
        "the item is archived",
        () -> bed.number("SELECT COUNT(*) FROM items WHERE state = 'ARCHIVED'") == 1);

    // Its shards still have it.
    assertThat(ask(Addresses.LEDGER_ITEMS, new ItemQuery(null), ItemRecords.class).items())
        .hasSize(1);
    bed.query("INSERT INTO removed_items VALUES (3, 1, 0, 0), (3, 1, 1, 0)");
    Await.until(
        ConsumerBed.BOUND,
        "the item is forgotten",
        () ->
            ask(Addresses.LEDGER_ITEMS, new ItemQuery(null), ItemRecords.class).items().isEmpty());
  }
}
