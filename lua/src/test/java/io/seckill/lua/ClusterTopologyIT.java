package io.seckill.lua;

import static io.seckill.lua.TopologyTest.portOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.RedisSpec;
import io.seckill.embedded.ServerHost;
import io.seckill.lua.RedisCallException.Kind;
import io.seckill.testkit.Await;
import io.seckill.testkit.TestCluster;
import io.seckill.testkit.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Finding the masters of a real cluster, while nodes fail and slots move. */
class ClusterTopologyIT {

  private static final int SHARDS = 6;
  private static final RedisKeys[] KEYS = RedisKeys.forShards(SHARDS);
  private static final RedisLink.Options OPTIONS = new RedisLink.Options(2_000, false);
  private static final Duration HEAL_BOUND = Duration.ofSeconds(90);

  private static TestCluster cluster;

  private final List<AutoCloseable> opened = new ArrayList<>();

  @BeforeAll
  static void start() throws InterruptedException {
    cluster = TestCluster.start();
  }

  @AfterAll
  static void end() {
    cluster.close();
  }

  @AfterEach
  void closeLinks() throws Exception {
    for (AutoCloseable resource : opened) {
      resource.close();
    }
  }

  private TestLink link(int shard) {
    TestLink link = new TestLink(topology(cluster.uri()), shard, OPTIONS);
    opened.add(link);
    return link.open().untilUp();
  }

  private static Topology topology(String uri) {
    return TopologyTest.topology(uri, SHARDS, "");
  }

  private static int slotOf(int shard) {
    return cluster.slotOf(KEYS[shard].head());
  }

  private static String runIdOf(EmbeddedRedis server) {
    try (Operator operator = new Operator(server)) {
      return InfoText.field(operator.call("INFO", "server"), "run_id");
    }
  }

  private static boolean leadsTo(TestLink link, EmbeddedRedis server) {
    String runId = runIdOf(server);
    return link.loop.get(() -> link.link.isUp() && link.link.runId().startsWith(runId));
  }

  private static RedisCallException failureOf(Runnable call) {
    return catchThrowableOfType(RedisCallException.class, call::run);
  }

  @Test
  void shardsShouldBeFoundAndSpreadEvenlyOverTheMasters() throws InterruptedException {
    Topology topology = topology(cluster.uri());
    Map<Integer, Integer> shardsOfPort = new HashMap<>();
    for (int shard = 0; shard < SHARDS; shard++) {
      int port = portOf(topology, shard);
      assertThat(port).isEqualTo(cluster.masterOf(slotOf(shard)).port());
      shardsOfPort.merge(port, 1, Integer::sum);
    }
    assertThat(shardsOfPort.values()).containsExactly(2, 2, 2);
  }

  @Test
  void frozenSeedsShouldBePassedOver() throws InterruptedException {
    EmbeddedRedis frozen = cluster.nodes().get(5);
    int port = cluster.masterOf(slotOf(0)).port();
    frozen.pause();
    try {
      assertThat(portOf(topology(cluster.uri()), 0)).isEqualTo(port);
    } finally {
      frozen.resume();
    }
  }

  @Test
  void shardWithoutAMasterShouldBeTold() throws InterruptedException {
    EmbeddedRedis alone = TestRedis.start(RedisSpec::asClusterNode);
    opened.add(alone);
    TopologyTest.untilTold(
        topology("redis-cluster://127.0.0.1:" + alone.port()),
        3,
        "no master of the cluster serves slot " + slotOf(3) + " of shard 3");
  }

  @Test
  void nodeOfRedis7ShouldBeUnderstood() throws InterruptedException {
    ServerHost seven = Redis7.start("--cluster-enabled", "yes");
    opened.add(seven);
    try (Operator operator = new Operator(seven)) {
      operator.call("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
    }
    assertThat(portOf(topology("redis-cluster://127.0.0.1:" + seven.port()), 3))
        .isEqualTo(seven.port());
  }

  @Test
  void serverThatIsNoClusterNodeShouldBeTold() throws InterruptedException {
    String uri = TestRedis.shared().uri().replace("redis://", "redis-cluster://");
    TopologyTest.untilTold(
        topology(uri),
        0,
        "no seed tells the slots of the cluster, for example .*cluster support disabled");
  }

  @Test
  void RF_01_seedThatKnowsOnlyAnOldMapShouldNotBeBelieved() throws InterruptedException {
    EmbeddedRedis stale = TestRedis.clusterMode();
    opened.add(stale);
    String both = cluster.uri().replace("://", "://127.0.0.1:" + stale.port() + ",");
    Topology topology = topology(both);
    for (int shard = 0; shard < SHARDS; shard++) {
      int next = shard;
      // Not at once on a machine that is so busy that the others miss the bound of a look-up.
      Await.until(
          HEAL_BOUND,
          "the cluster's master is named",
          () -> portOf(topology, next) == cluster.masterOf(slotOf(next)).port());
    }
  }

  @Test
  void RF_01_linkShouldFollowWhenItsMasterIsKilled() throws InterruptedException {
    int shard = 2;
    TestLink link = link(shard);
    EmbeddedRedis old = cluster.masterOf(slotOf(shard));
    assertThat(leadsTo(link, old)).isTrue();
    old.kill();
    EmbeddedRedis promoted = cluster.awaitMasterInsteadOf(old, slotOf(shard));
    Await.until(HEAL_BOUND, "the link leads to the promoted node", () -> leadsTo(link, promoted));
    assertThat(link.call("HSET", KEYS[shard].head(), "x", "1")).hasToString("1");
    old.restart();
    Await.until(
        HEAL_BOUND, "the old master follows", () -> cluster.replicasOf(promoted).contains(old));
    assertThat(leadsTo(link, promoted)).isTrue();
  }

  @Test
  void RF_07_linkShouldFollowWhenItsMasterIsFrozen() throws InterruptedException {
    int shard = 4;
    TestLink link = link(shard);
    EmbeddedRedis old = cluster.masterOf(slotOf(shard));
    old.pause();
    EmbeddedRedis promoted = cluster.awaitMasterInsteadOf(old, slotOf(shard));
    Await.until(HEAL_BOUND, "the link leads to the promoted node", () -> leadsTo(link, promoted));
    old.resume();
    Await.until(
        HEAL_BOUND, "the old master follows", () -> cluster.replicasOf(promoted).contains(old));
    assertThat(leadsTo(link, promoted)).isTrue();
  }

  @Test
  void RF_01_demotedMasterShouldBeLeftAlsoWhileNothingIsCalled() throws InterruptedException {
    int shard = 0;
    TestLink link = link(shard);
    EmbeddedRedis promoted = cluster.failover(cluster.masterOf(slotOf(shard)));
    Await.until(HEAL_BOUND, "the link leads to the promoted node", () -> leadsTo(link, promoted));
  }

  @Test
  void movedSlotShouldBeFollowed() throws InterruptedException {
    int shard = 4;
    int slot = slotOf(shard);
    String key = KEYS[shard].head();
    TestLink link = link(shard);
    EmbeddedRedis from = cluster.masterOf(slot);
    EmbeddedRedis to = cluster.masterOf(slotOf(0));
    assertThat(link.call("HSET", key, "moves", "1")).hasToString("1");
    String before = link.runId();

    cluster.moveSlot(slot, to);
    try {
      expect(link, "MOVED", "HSET", key, "lost", "1");
      Await.until(HEAL_BOUND, "the link leads to the new node", () -> leadsTo(link, to));
      assertThat(link.runId()).isNotEqualTo(before);
      assertThat(link.call("HGETALL", key)).hasToString("[moves, 1]");
    } finally {
      cluster.moveSlot(slot, from);
    }
  }

  @Test
  void slotOnTheMoveShouldBeNotExecutedAndKeepTheLink() {
    int shard = 5;
    int slot = slotOf(shard);
    TestLink link = link(shard);
    EmbeddedRedis to = cluster.masterOf(slotOf(0));
    assertThat(link.call("HSET", KEYS[shard].head(), "moves", "1")).hasToString("1");
    EmbeddedRedis from = cluster.beginMove(slot, to);
    try {
      // Redis 7 answers TRYAGAIN to a call that has only some of its keys here.
      expect(link, "ASK", "DEL", KEYS[shard].head(), KEYS[shard].items());
      cluster.moveKeys(slot, from, to);
      expect(link, "ASK", "HGETALL", KEYS[shard].head());
      assertThat(link.ups).hasValue(1);
      assertThat(link.loop.get(link.link::isUp)).isTrue();
    } finally {
      cluster.endMove(slot, from, to);
      cluster.moveSlot(slot, from);
    }
  }

  private static void expect(TestLink link, String code, String name, String... words) {
    RedisCallException failure = failureOf(() -> link.call(name, words));
    assertThat(failure.code()).isEqualTo(code);
    assertThat(failure.kind()).isEqualTo(Kind.NOT_EXECUTED);
  }
}
