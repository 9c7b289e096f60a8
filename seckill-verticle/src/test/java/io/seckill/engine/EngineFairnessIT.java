package io.seckill.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.bus.PurchaseReply;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.ItemId;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.testkit.Await;
import io.seckill.testkit.TestRedis;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Hot items and hot users take nothing from others. */
class EngineFairnessIT {

  private EmbeddedRedis redis;
  private EngineFixture engine;

  @BeforeEach
  void start() throws Exception {
    redis = TestRedis.start();
    engine =
        new EngineFixture(
            TestRedis.address(redis),
            Map.of(
                "engine.maxQueue", "100",
                "engine.maxBatch", "16",
                "engine.callsInFlight", "1",
                "admission.userPerWindow", "10"));
    // Whoever decides has to have found the open shard first.
    ItemId first = engine.openItem(9, 1_000, 1_000);
    Await.until(
        EngineFixture.BOUND,
        "the first purchase",
        () -> engine.buyNow("first", "k", first, 1).refusal() == null);
  }

  @AfterEach
  void stop() throws Exception {
    engine.close();
    redis.close();
  }

  @Test
  void aHotItemThatOverflowsShouldCostAQuietOneNoPlace() throws Exception {
    ItemId hot = engine.openItem(1, 5_000, 1);
    ItemId quiet = engine.openItem(2, 100, 1);
    List<Future<PurchaseReply>> ofHot = new ArrayList<>();
    List<Future<PurchaseReply>> ofQuiet = new ArrayList<>();

    for (int i = 0; i < 5_000; i++) {
      ofHot.add(engine.buy("hot-" + i, "k", hot, 1));
      if (i % 500 == 499) {
        ofQuiet.add(engine.buy("quiet-" + i, "k", quiet, 1));
      }
    }
    List<Future<PurchaseReply>> all = new ArrayList<>(ofHot);
    all.addAll(ofQuiet);
    Await.result(EngineFixture.BOUND, "all answers", Future.join(all));

    assertThat(ofQuiet).noneMatch(buy -> buy.result().refusal() == ErrorCode.BUSY);
    assertThat(ofQuiet).anyMatch(buy -> buy.result().refusal() == null);
    assertThat(ofHot)
        .allMatch(buy -> buy.result().refusal() == null || buy.result().refusal() == ErrorCode.BUSY)
        .anyMatch(buy -> buy.result().refusal() == ErrorCode.BUSY);
  }

  @Test
  void aHammeringUserShouldBeRefusedAloneAndHaveOneOrder() throws Exception {
    ItemId item = engine.openItem(1, 100, 1);
    List<Future<PurchaseReply>> clicks = new ArrayList<>();
    List<Future<PurchaseReply>> others = new ArrayList<>();

    for (int i = 0; i < 2_000; i++) {
      clicks.add(engine.buy("eager", "key-" + i, item, 1));
      if (i % 100 == 99) {
        others.add(engine.buy("calm-" + i, "k", item, 1));
      }
    }
    List<Future<PurchaseReply>> all = new ArrayList<>(clicks);
    all.addAll(others);
    Await.result(EngineFixture.BOUND, "all answers", Future.join(all));

    assertThat(others).noneMatch(buy -> buy.result().refusal() == ErrorCode.RATE_LIMITED);
    assertThat(clicks.stream().filter(click -> click.result().refusal() == null)).hasSize(1);
    assertThat(clicks).anyMatch(click -> click.result().refusal() == ErrorCode.RATE_LIMITED);
  }
}
