package io.seckill.launcher.fault;

import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.EmbeddedServer;
import io.seckill.lua.RedisKeys;
import io.seckill.testkit.Await;
import io.seckill.testkit.TestCluster;
import java.time.Duration;
import java.util.List;

/** Three masters with a replica each, and two shards on each of them. */
final class ClusterServers implements RedisServers.Replicated {

  private static final Duration BOUND = Duration.ofSeconds(90);
  private static final int SHARDS = 6;

  /** As {@link TestCluster} starts them. */
  private static final int NODE_TIMEOUT_MS = 2_000;

  private static final int FAR_OFF_MS = 600_000;

  private final TestCluster all;
  private final int[] slots = new int[SHARDS];
  private EmbeddedRedis cutOff;

  ClusterServers() throws InterruptedException {
    all = TestCluster.start();
    RedisKeys[] keys = RedisKeys.forShards(SHARDS);
    for (int shard = 0; shard < SHARDS; shard++) {
      slots[shard] = all.slotOf(keys[shard].head());
    }
  }

  @Override
  public String uri() {
    return all.uri();
  }

  @Override
  public int shards() {
    return SHARDS;
  }

  @Override
  public EmbeddedRedis masterOf(int shard) {
    return all.masterOf(slots[shard]);
  }

  @Override
  public List<EmbeddedRedis> replicasOf(EmbeddedRedis master) {
    return all.replicasOf(master);
  }

  /** Moves a shard to another master, key by key. */
  void move(int shard, EmbeddedRedis to) {
    all.moveSlot(slots[shard], to);
  }

  @Override
  public void allowFailover(boolean allowed) {
    String timeout = Integer.toString(allowed ? NODE_TIMEOUT_MS : FAR_OFF_MS);
    for (EmbeddedRedis node : all.nodes()) {
      if (node.running()) {
        RedisServers.ask(node, "CONFIG", "SET", "cluster-node-timeout", timeout);
      }
    }
  }

  @Override
  public void allowLateFailover() {
    for (EmbeddedRedis node : all.nodes()) {
      if (node.running()) {
        RedisServers.ask(node, "CONFIG", "SET", "cluster-replica-validity-factor", "0");
      }
    }
    allowFailover(true);
  }

  @Override
  public void handOver(EmbeddedRedis master) throws InterruptedException {
    all.handOver(master);
  }

  /**
   * The master forgets all other nodes first, and so believes nothing that they say when it wakes.
   */
  @Override
  public void replaceFrozen(EmbeddedRedis master) throws InterruptedException {
    EmbeddedRedis replica = replicasOf(master).get(0);
    cutOff = master;
    RedisServers.ask(master, "CONFIG", "SET", "cluster-require-full-coverage", "no");
    for (EmbeddedRedis node : all.nodes()) {
      if (node != master) {
        RedisServers.ask(master, "CLUSTER", "FORGET", RedisServers.ask(node, "CLUSTER", "MYID"));
      }
    }
    master.pause();
    RedisServers.ask(replica, "CLUSTER", "FAILOVER", "TAKEOVER");
    Await.until(BOUND, "the replica is a master", () -> RedisServers.isMaster(replica));
  }

  @Override
  public void restoreOrder() throws InterruptedException {
    for (EmbeddedRedis node : all.nodes()) {
      node.resume();
      if (!node.running()) {
        node.restart();
      }
    }
    if (cutOff != null) {
      for (EmbeddedRedis node : all.nodes()) {
        if (node != cutOff) {
          RedisServers.ask(cutOff, "CLUSTER", "MEET", node.host(), Integer.toString(node.port()));
        }
      }
      RedisServers.ask(cutOff, "CONFIG", "SET", "cluster-require-full-coverage", "yes");
      cutOff = null;
    }
    Await.until(BOUND, "the cluster is whole", this::isWhole);
  }

  private boolean isWhole() {
    List<EmbeddedRedis> masters = all.nodes().stream().filter(RedisServers::isMaster).toList();
    return masters.size() == 3
        && masters.stream().allMatch(master -> RedisServers.isFollowed(master, 1))
        && all.nodes().stream().allMatch(ClusterServers::isOk);
  }

  private static boolean isOk(EmbeddedServer node) {
    return RedisServers.ask(node, "CLUSTER", "INFO").contains("cluster_state:ok");
  }

  @Override
  public void close() {
    all.close();
  }
}
