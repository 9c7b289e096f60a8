package io.seckill.lua;

import static io.seckill.lua.TopologyTest.portOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.EmbeddedServer;
import io.seckill.testkit.Await;
import io.seckill.testkit.TestRedis;
import io.seckill.testkit.TestSentinels;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Finding the master by real sentinels, while servers and sentinels fail. */
class SentinelTopologyIT {

  private static final RedisLink.Options OPTIONS = new RedisLink.Options(2_000, false);

  /**
   * The sentinels look at an old master that came back for 8 s before they demote it, and do
   * nothing for 30 s when they stood still with the machine.
   */
  private static final Duration HEAL_BOUND = Duration.ofSeconds(90);

  private static TestSentinels servers;

  private final List<AutoCloseable> opened = new ArrayList<>();

  @BeforeAll
  static void start() throws InterruptedException {
    servers = TestSentinels.start();
  }

  @AfterAll
  static void end() {
    servers.close();
  }

  @AfterEach
  void closeLinks() throws Exception {
    for (AutoCloseable resource : opened) {
      resource.close();
    }
  }

  private TestLink link(Topology topology) {
    TestLink link = new TestLink(topology, 0, OPTIONS);
    opened.add(link);
    return link.open();
  }

  private static Topology topology(String uri) {
    return TopologyTest.topology(uri, 4, "");
  }

  private static String runIdOf(EmbeddedServer server) {
    try (Operator operator = new Operator(server)) {
      return InfoText.field(operator.call("INFO", "server"), "run_id");
    }
  }

  private static boolean leadsTo(TestLink link, String runId) {
    return link.loop.get(() -> link.link.isUp() && link.link.runId().startsWith(runId));
  }

  /** Waits until what another test has done to the servers is mended. */
  private static void untilAllFollow() throws InterruptedException {
    Await.until(
        HEAL_BOUND,
        "the others follow the master",
        () -> {
          try (Operator operator = new Operator(servers.master())) {
            return operator.call("INFO", "replication").split("state=online", -1).length == 3;
          }
        });
  }

  @Test
  void everyShardShouldBeOnTheMasterThatTheSentinelsName() throws InterruptedException {
    Topology topology = topology(servers.uri());
    for (int shard = 0; shard < 4; shard++) {
      assertThat(portOf(topology, shard)).isEqualTo(servers.master().port());
    }
  }

  @Test
  void deadAndFrozenSentinelsShouldBePassedOver() throws InterruptedException {
    EmbeddedServer dead = servers.sentinels().get(0);
    EmbeddedServer frozen = servers.sentinels().get(1);
    int master = servers.master().port();
    dead.kill();
    frozen.pause();
    try {
      assertThat(portOf(topology(servers.uri()), 0)).isEqualTo(master);
    } finally {
      frozen.resume();
      dead.restart();
    }
  }

  @Test
  void unknownMasterNameShouldBeTold() throws InterruptedException {
    Topology topology = topology(servers.uri().replace("/seckill", "/nobody"));
    TopologyTest.untilTold(
        topology, 0, "no sentinel names the master nobody, for example .*No such master");
  }

  @Test
  void RF_01_linkShouldFollowWhenTheMasterIsKilled() throws InterruptedException {
    untilAllFollow();
    TestLink link = link(topology(servers.uri())).untilUp();
    EmbeddedRedis old = servers.master();
    assertThat(leadsTo(link, runIdOf(old))).isTrue();
    old.kill();
    EmbeddedRedis promoted = servers.awaitMasterInsteadOf(old);
    Await.until(
        HEAL_BOUND,
        "the link leads to the promoted server",
        () -> leadsTo(link, runIdOf(promoted)));
    assertThat(link.call("SET", "after", "failover")).hasToString("OK");

    // It is a master by its own account again, and for some seconds nobody tells it otherwise.
    old.restart();
    assertThat(portOf(topology(servers.uri()), 0)).isEqualTo(promoted.port());
    assertThat(leadsTo(link, runIdOf(promoted))).isTrue();
    untilAllFollow();
    assertThat(leadsTo(link, runIdOf(promoted))).isTrue();
  }

  @Test
  void RF_01_demotedMasterShouldBeLeftAlsoWhileNothingIsCalled() throws InterruptedException {
    untilAllFollow();
    TestLink link = link(topology(servers.uri())).untilUp();
    // The old one is a master by its own account for some seconds more.
    EmbeddedRedis promoted = servers.failover();
    Await.until(
        HEAL_BOUND,
        "the link leads to the promoted server",
        () -> leadsTo(link, runIdOf(promoted)));
  }

  @Test
  void RF_01_sentinelThatKeepsNamingADemotedServerShouldNotBeBelieved()
      throws InterruptedException {
    EmbeddedRedis demoted = TestRedis.start();
    opened.add(demoted);
    EmbeddedServer stale = TestSentinels.sentinelOf(demoted.port());
    opened.add(stale);
    if (servers.master() == servers.servers().get(0)) {
      // From here the others know an epoch that the stale one has never heard of.
      servers.failover();
    }
    String both = servers.uri().replace("://", "://127.0.0.1:" + stale.port() + ",");
    TestLink link = link(topology(both)).untilUp();
    // Not at once on a machine that is so busy that the others miss the bound of a look-up.
    String runId = runIdOf(servers.master());
    Await.until(HEAL_BOUND, "the link leads to the master", () -> leadsTo(link, runId));
  }

  @Test
  void RF_01_sentinelThatKeepsNamingADemotedServerShouldNotMakeAHotLoop()
      throws InterruptedException {
    EmbeddedRedis demoted = TestRedis.start();
    opened.add(demoted);
    EmbeddedServer stale = TestSentinels.sentinelOf(demoted.port());
    opened.add(stale);
    Topology alone =
        topology("redis-sentinel://127.0.0.1:" + stale.port() + "/" + TestSentinels.MASTER_NAME);
    AtomicInteger asked = new AtomicInteger();
    try (Operator operator = new Operator(demoted)) {
      operator.call("REPLICAOF", "127.0.0.1", "1");
      long startedAt = System.nanoTime();
      TestLink link =
          link(
              (vertx, shard, maxAgeMs) -> {
                asked.incrementAndGet();
                return alone.masterOf(vertx, shard, maxAgeMs);
              });
      Await.until(TestLoop.BOUND, "the link tried five times", () -> asked.get() >= 5);
      // The pauses between them: at least half of 50, 100, 200 and 400 ms.
      assertThat(System.nanoTime() - startedAt).isGreaterThan(375_000_000L);
      assertThat(link.ups).hasValue(0);
      operator.call("REPLICAOF", "NO", "ONE");
      link.untilUp();
    }
  }
}
