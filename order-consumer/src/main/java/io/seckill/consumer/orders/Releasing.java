package io.seckill.consumer.orders;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.ReleasesWaiting;
import io.seckill.common.id.ShardRef;
import io.seckill.common.id.WinId;
import io.seckill.consumer.ConsumerMetrics;
import io.vertx.core.eventbus.EventBus;
import java.util.List;

/**
 * Counts orders whose end is committed, and tells the engines that their shards have something to
 * release. Nobody has to hear it: engines ask by themselves too.
 */
record Releasing(EventBus bus, ConsumerMetrics metrics) {

  /**
   * After the commit.
   *
   * @param ended the orders
   * @param reason why
   */
  void started(List<WinId> ended, String reason) {
    metrics.ended(reason, ended.size());
    ended.stream().map(WinId::shard).distinct().forEach(this::tell);
  }

  private void tell(ShardRef shard) {
    bus.publish(Addresses.RELEASES, new ReleasesWaiting(shard.region(), shard.shard()));
  }
}
