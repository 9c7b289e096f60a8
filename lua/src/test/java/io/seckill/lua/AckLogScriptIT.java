package io.seckill.lua;

import static io.seckill.lua.TestShard.TIMEOUT_MS;
import static io.seckill.lua.TestShard.buy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.lua.DecidePurchases.Decision;
import io.seckill.lua.DecidePurchases.Limits;
import io.seckill.lua.DecidePurchases.Purchase;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(TestServer.class)
class AckLogScriptIT {

  @Parameter TestServer server;

  private TestShard shard;

  @BeforeEach
  void open() {
    shard = TestShard.open(server.address());
  }

  @AfterEach
  void close() {
    if (shard != null) {
      shard.close();
    }
  }

  private void group() {
    shard.redis("XGROUP", "CREATE", shard.keys.log(), RedisKeys.GROUP, "0", "MKSTREAM");
  }

  private List<EntryId> deliver(int count) {
    List<EntryId> ids = new ArrayList<>();
    Response read =
        shard.redis(
            "XREADGROUP",
            "GROUP",
            RedisKeys.GROUP,
            "c1",
            "COUNT",
            Integer.toString(count),
            "STREAMS",
            shard.keys.log(),
            ">");
    for (Response entry : read.get(0).get(1)) {
      ids.add(EntryId.parse(entry.get(0).toString()));
    }
    return ids;
  }

  private StepResult ack(Fence fence, List<EntryId> ids) {
    return shard.run(() -> AckLog.run(shard.link, fence, shard.keys, ids, TIMEOUT_MS));
  }

  private StepResult ack(List<EntryId> ids) {
    return ack(shard.fence(), ids);
  }

  private List<String> left() {
    List<String> ids = new ArrayList<>();
    for (Response entry : shard.redis("XRANGE", shard.keys.log(), "-", "+")) {
      ids.add(entry.get(0).toString());
    }
    return ids;
  }

  @Test
  void SC_06_ackShouldNeverTrimWhatIsNotAcknowledgedOrNotDelivered() {
    ItemId item = shard.sell(1, 100);
    for (int i = 0; i < 7; i++) {
      shard.win(buy("u" + i, null, item, 1));
    }
    group();
    List<EntryId> delivered = deliver(6);

    // The first one is still being stored: nothing may go.
    assertThat(ack(delivered.subList(1, 6))).isEqualTo(new StepResult(StepResult.Status.OK, "5"));
    assertThat(left()).hasSize(10);
    // Everything delivered is stored: exactly the undelivered ones stay.
    assertThat(ack(delivered.subList(0, 1)).status()).isEqualTo(StepResult.Status.OK);
    assertThat(left()).hasSize(4).first().isEqualTo(shard.epoch() + "-7");
    // A repetition, or an id that was never delivered, takes nothing away.
    assertThat(ack(delivered)).isEqualTo(new StepResult(StepResult.Status.OK, "0"));
    assertThat(ack(List.of(new EntryId(shard.epoch(), 10))))
        .isEqualTo(new StepResult(StepResult.Status.OK, "0"));
    assertThat(left()).hasSize(4);
    assertThat(deliver(100)).hasSize(4);
  }

  @Test
  void SC_06_ackShouldKeepEverythingWhenNothingWasDelivered() {
    shard.sell(1, 100);
    group();
    assertThat(ack(List.of(new EntryId(shard.epoch(), 1))))
        .isEqualTo(new StepResult(StepResult.Status.OK, "0"));
    assertThat(left()).hasSize(3);
  }

  @Test
  void SC_07_logShouldBeEmptyOnceAllIsStored() {
    shard.sell(1, 10);
    group();
    ack(deliver(3));
    // As many entries as one call takes, the last one with the number that the head knows.
    int most = AckLog.MAX_IDS;
    shard.redis(
        "EVAL",
        "for i = 4, 3 + ARGV[2] do redis.call('XADD', KEYS[1], ARGV[1] .. '-' .. i, 'k', 'x') end"
            + " redis.call('HSET', KEYS[2], 'seq', 3 + ARGV[2])",
        "2",
        shard.keys.log(),
        shard.keys.head(),
        Long.toString(shard.epoch()),
        Integer.toString(most));
    assertThat(ack(deliver(most))).isEqualTo(new StepResult(StepResult.Status.OK, "" + most));
    assertThat(left()).isEmpty();
    assertThat(shard.redis("XPENDING", shard.keys.log(), RedisKeys.GROUP).get(0).toLong()).isZero();
    // The numbers go on.
    assertThat(shard.win(buy("late", null, shard.sell(1, 1), 1)).seq()).isEqualTo(most + 3 + 4);
  }

  @Test
  void headShouldTellHowManyNumbersTheLogHoldsAndSellingStopAtTheBound() {
    ItemId item = shard.sell(1, 100);
    group();
    ack(deliver(3));
    assertThat(unstored()).isZero();
    Limits bound = new Limits(40, 0, 0);
    Purchase[] crowd =
        IntStream.range(0, 50).mapToObj(i -> buy("u" + i, null, item, 1)).toArray(Purchase[]::new);
    assertThat(shard.decide(bound, crowd).stream().map(Decision::status))
        .as("wins are counted, not entries")
        .startsWith(Collections.nCopies(40, PurchaseStatus.WIN).toArray(PurchaseStatus[]::new))
        .endsWith(Collections.nCopies(10, PurchaseStatus.LOG_FULL).toArray(PurchaseStatus[]::new));
    assertThat(unstored()).isEqualTo(40);

    List<EntryId> delivered = deliver(10);
    assertThat(delivered).containsExactly(new EntryId(shard.epoch(), 43));
    assertThat(unstored()).isEqualTo(40);
    ack(delivered);
    assertThat(unstored()).isZero();
    assertThat(shard.decide(bound, buy("late", null, item, 1)).get(0).status())
        .isEqualTo(PurchaseStatus.WIN);
  }

  @Test
  void whatTheLogHoldsOfClosedEpochsShouldCountUntilItIsStored() {
    ItemId item = shard.sell(1, 100);
    group();
    ack(deliver(3));
    Limits bound = new Limits(5, 0, 0);
    shard.decide(bound, buy("a", null, item, 1), buy("b", null, item, 1), buy("c", null, item, 1));
    shard.reopen();
    shard.reopen();
    assertThat(unstored()).isEqualTo(3);
    assertThat(
            shard
                .decide(
                    bound,
                    buy("d", null, item, 1),
                    buy("e", null, item, 1),
                    buy("f", null, item, 1))
                .stream()
                .map(Decision::status))
        .containsExactly(PurchaseStatus.WIN, PurchaseStatus.WIN, PurchaseStatus.LOG_FULL);
    ack(deliver(1));
    assertThat(unstored()).as("exact to what an acknowledgement can tell").isBetween(2L, 5L);
    ack(deliver(10));
    assertThat(unstored()).isZero();
    assertThat(shard.decide(bound, buy("f", null, item, 1)).get(0).status())
        .isEqualTo(PurchaseStatus.WIN);
  }

  @Test
  void emptyLogShouldNeverBeFullWhateverTheHeadTells() {
    ItemId item = shard.sell(1, 100);
    group();
    Limits bound = new Limits(5, 0, 0);
    List<EntryId> delivered = deliver(3);
    ack(delivered);
    shard.redis("HDEL", shard.keys.head(), "stored");
    shard.redis("HSET", shard.keys.head(), "seq", "3000");
    assertThat(shard.decide(bound, buy("a", null, item, 1)).get(0).status())
        .isEqualTo(PurchaseStatus.WIN);
    ack(deliver(1));
    assertThat(unstored()).isZero();

    // The log and its group are deleted and made again: what the group tells now is less than is
    // known.
    shard.redis("DEL", shard.keys.log());
    group();
    ack(delivered);
    assertThat(unstored()).isZero();
    assertThat(shard.decide(bound, buy("b", null, item, 1)).get(0).status())
        .isEqualTo(PurchaseStatus.WIN);
  }

  private long unstored() {
    return shard
        .run(() -> ReadHead.run(shard.link, shard.keys, TIMEOUT_MS))
        .map(ReadHead.Head::unstored)
        .orElseThrow();
  }

  @Test
  void ackShouldServeEntriesOfAnEarlierEpochWhileTheShardIsRepaired() {
    shard.sell(1, 10);
    group();
    List<EntryId> delivered = deliver(3);
    shard.reopen();
    shard.redis("HSET", shard.keys.head(), "state", "REPAIRING");
    assertThat(ack(delivered)).isEqualTo(new StepResult(StepResult.Status.OK, "3"));
    assertThat(left()).isEmpty();
  }

  @Test
  void SC_01_ackShouldSayWhenTheGroupIsGone() {
    shard.sell(1, 10);
    List<EntryId> ids = List.of(new EntryId(shard.epoch(), 1));
    assertThat(ack(ids).status()).isEqualTo(StepResult.Status.NOGROUP);
    shard.redis("XGROUP", "CREATE", shard.keys.log(), "another", "0");
    assertThat(ack(ids).status()).isEqualTo(StepResult.Status.NOGROUP);
    assertThat(left()).hasSize(3);
    shard.redis("DEL", shard.keys.log());
    assertThat(ack(ids).status()).isEqualTo(StepResult.Status.NOGROUP);
  }

  @Test
  void ackShouldRefuseAnotherServerAndALateCall() {
    shard.sell(1, 10);
    group();
    List<EntryId> delivered = deliver(3);
    Fence right = shard.fence();
    assertThat(ack(new Fence(right.epoch(), "another", right.notAfterMs()), delivered).status())
        .isEqualTo(StepResult.Status.FENCED);
    assertThat(ack(new Fence(right.epoch(), right.runId(), 1), delivered).status())
        .isEqualTo(StepResult.Status.EXPIRED);
    assertThat(left()).hasSize(3);
  }

  @Test
  void ackShouldTrimNothingThatAForeignHandMadeUndeletable() {
    shard.sell(1, 10);
    group();
    shard.redis("XADD", shard.keys.log(), "18446744073709551615-18446744073709551615", "k", "x");
    List<EntryId> ours = deliver(3);
    Response last =
        shard.redis("XREADGROUP", "GROUP", RedisKeys.GROUP, "c1", "STREAMS", shard.keys.log(), ">");
    String foreign = last.get(0).get(1).get(0).get(0).toString();
    shard.redis("XACK", shard.keys.log(), RedisKeys.GROUP, foreign);
    assertThat(ack(ours).status()).isEqualTo(StepResult.Status.OK);
    assertThat(left()).containsExactly(foreign);
  }

  @Test
  void ackShouldHaveABound() {
    List<EntryId> tooMany =
        IntStream.rangeClosed(0, AckLog.MAX_IDS).mapToObj(i -> new EntryId(1, i)).toList();
    assertThatThrownBy(() -> ack(tooMany)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ack(List.of())).isInstanceOf(IllegalArgumentException.class);
  }
}
