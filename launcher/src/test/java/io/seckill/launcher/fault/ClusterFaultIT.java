package io.seckill.launcher.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.ItemId;
import io.seckill.embedded.EmbeddedRedis;
import org.junit.jupiter.api.Test;

class ClusterFaultIT extends FailoverContract {

  @Override
  RedisServers.Replicated startServers() throws InterruptedException {
    return new ClusterServers();
  }

  @Test
  void LU_03_aSlotThatMovesShouldPauseItsShardAndNoMore() throws Exception {
    ClusterServers cluster = (ClusterServers) servers();
    long stock = SteadyBuyers.STOCK_EACH * sales().shards();
    ItemId item = sales().onSale(stock);
    EmbeddedRedis from = cluster.masterOf(0);
    EmbeddedRedis to =
        allShards().stream()
            .map(cluster::masterOf)
            .filter(master -> master != from)
            .findFirst()
            .orElseThrow();
    try (SteadyBuyers buyers = new SteadyBuyers(sales(), item)) {
      buyers.awaitSales(5);
      long[] epochs = new long[sales().shards()];
      sales().told(item).stream()
          .filter(win -> win.shard() == 0)
          .forEach(win -> epochs[0] = Math.max(epochs[0], win.epoch()));

      cluster.move(0, to);
      long movedAt = System.nanoTime();

      long resumedAt = buyers.awaitSalesSince(movedAt, epochs);
      System.out.printf(
          "[fault] a moved shard sold again after %d ms%n", (resumedAt - movedAt) / 1_000_000);
      buyers.stop();
    }
    assertThat(cluster.masterOf(0)).isSameAs(to);
    assertThat(lostOf(item)).isZero();
    // Moved back with nobody buying, and all the same nothing is forgotten.
    cluster.move(0, from);
    sales().sellOut(item);
    assertThat(lostOf(item)).isZero();
    assertSoldOut(sales().audit(), item, stock);
  }
}
