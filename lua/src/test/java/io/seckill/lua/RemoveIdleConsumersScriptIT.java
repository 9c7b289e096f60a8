package io.seckill.lua;

import static io.seckill.lua.TestShard.TIMEOUT_MS;
import static io.seckill.lua.TestShard.buy;
import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.ItemId;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(TestServer.class)
class RemoveIdleConsumersScriptIT {

  private static final long A_DAY_MS = 86_400_000;

  @Parameter TestServer server;

  private TestShard shard;

  @BeforeEach
  void open() {
    shard = TestShard.open(server.address());
    ItemId item = shard.sell(shard.define(1), 5);
    shard.decideOne(buy("ann", null, item, 1));
    shard.redis("XGROUP", "CREATE", shard.keys.log(), RedisKeys.GROUP, "0", "MKSTREAM");
    for (String name : List.of("me", "gone", "also gone")) {
      shard.redis("XGROUP", "CREATECONSUMER", shard.keys.log(), RedisKeys.GROUP, name);
    }
    shard.redis("XREADGROUP", "GROUP", RedisKeys.GROUP, "holds", "STREAMS", shard.keys.log(), ">");
  }

  @AfterEach
  void close() {
    if (shard != null) {
      shard.close();
    }
  }

  private int remove(Fence fence, long idleMs) {
    return remove(fence, new RemoveIdleConsumers.Args("me", false, idleMs));
  }

  private int remove(Fence fence, RemoveIdleConsumers.Args args) {
    return shard.run(
        () -> RemoveIdleConsumers.run(shard.link, fence, shard.keys, args, TIMEOUT_MS));
  }

  private List<String> names() {
    List<String> names = new ArrayList<>();
    for (Response one : shard.redis("XINFO", "CONSUMERS", shard.keys.log(), RedisKeys.GROUP)) {
      names.add(one.get(1).toString());
    }
    return names;
  }

  @Test
  void SC_11_removeShouldKeepTheCallerAndWhoeverHoldsEntries() {
    assertThat(remove(shard.fence(), 0)).isEqualTo(2);
    assertThat(names()).containsExactlyInAnyOrder("me", "holds");
  }

  @Test
  void SC_11_removeShouldKeepWhoeverWasHeardOfLately() {
    assertThat(remove(shard.fence(), A_DAY_MS)).isZero();
    assertThat(names()).hasSize(4);
  }

  @Test
  void SC_11_whoLeavesShouldTakeHisNameWithHimUnlessHeHoldsEntries() {
    assertThat(remove(shard.fence(), new RemoveIdleConsumers.Args("me", true, A_DAY_MS)))
        .isEqualTo(1);
    assertThat(remove(shard.fence(), new RemoveIdleConsumers.Args("holds", true, A_DAY_MS)))
        .isZero();
    assertThat(names()).containsExactlyInAnyOrder("gone", "also gone", "holds");
  }

  @Test
  void SC_11_removeShouldDoNothingWhenFencedOrLateOrWithoutAGroup() {
    Fence fence = shard.fence();
    assertThat(remove(new Fence(fence.epoch(), "another", fence.notAfterMs()), 0)).isZero();
    assertThat(remove(new Fence(fence.epoch(), fence.runId(), 1), 0)).isZero();
    assertThat(names()).hasSize(4);
    shard.redis("XGROUP", "DESTROY", shard.keys.log(), RedisKeys.GROUP);
    assertThat(remove(shard.fence(), 0)).isZero();
  }
}
