package io.seckill.testkit;

import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.EmbeddedServer;
import io.seckill.embedded.RedisSpec;
import io.seckill.embedded.RedisSpec.Appendonly;
import io.seckill.embedded.ServerHost;
import io.seckill.embedded.ServerPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * One master, two replicas and three sentinels (quorum 2) from real server processes on loopback.
 * Tests may kill, pause, resume and restart each of them. A dead or frozen master is replaced after
 * about 3 s; an old master that comes back is made a replica after about 10 s, and is a master by
 * its own account until then. All end with the JVM at the latest.
 */
public final class TestSentinels implements AutoCloseable {

  /** The name under which the sentinels know the master. */
  public static final String MASTER_NAME = "seckill";

  private static final int REPLICAS = 2;
  private static final int SENTINELS = 3;
  private static final int QUORUM = 2;

  /** Longer than a burst of compiling on a busy machine, so that nobody is called dead for it. */
  private static final int DOWN_AFTER_MS = 2_000;

  /** Bounds one try; the next one for the same master comes twice as late. */
  private static final int FAILOVER_TIMEOUT_MS = 4_000;

  /** Sentinels hear of each other every 2 s and ask for replicas every 10 s at first. */
  private static final Duration READY_BOUND = Duration.ofSeconds(90);

  /** A sentinel that stood still for 2 s with the machine does nothing for 30 s more (TILT). */
  private static final Duration FAILOVER_BOUND = Duration.ofSeconds(90);

  private static final ServerPlan.Label LABEL =
      new ServerPlan.Label("sentinel", "there is no test with sentinels without it");

  private final List<EmbeddedRedis> servers = new ArrayList<>();
  private final List<EmbeddedServer> sentinels = new ArrayList<>();

  private TestSentinels() {}

  /** Starts servers that keep nothing on disk; see {@link #start(UnaryOperator)}. */
  public static TestSentinels start() throws InterruptedException {
    return start(spec -> spec);
  }

  /**
   * Starts all and returns when the replicas are in step and the sentinels know everybody.
   *
   * @param change makes the data servers as the test wants them, such as with an append-only file;
   *     at first they keep nothing. It adds no options.
   */
  public static TestSentinels start(UnaryOperator<RedisSpec> change) throws InterruptedException {
    TestSentinels all = new TestSentinels();
    try {
      EmbeddedRedis master = all.startServer(change);
      for (int i = 0; i < REPLICAS; i++) {
        all.startServer(
            spec ->
                change
                    .apply(spec)
                    .withOptions("--replicaof", "127.0.0.1", Integer.toString(master.port())));
      }
      Await.until(READY_BOUND, "the replicas are in step", () -> inStep(master, REPLICAS));
      for (int i = 0; i < SENTINELS; i++) {
        all.sentinels.add(sentinelOf(master.port()));
      }
      Await.until(READY_BOUND, "the sentinels know everybody", all::sentinelsKnowEverybody);
      return all;
    } catch (InterruptedException | RuntimeException | AssertionError e) {
      all.close();
      throw e;
    }
  }

  private EmbeddedRedis startServer(UnaryOperator<RedisSpec> change) {
    EmbeddedRedis server =
        TestRedis.start(spec -> change.apply(spec.withAppendonly(Appendonly.NO)));
    servers.add(server);
    return server;
  }

  /** Whether the master has this many replicas that follow it. */
  static boolean inStep(EmbeddedServer master, int replicas) {
    return Ask.text(master, "INFO", "replication")
            .lines()
            .filter(line -> line.matches("slave\\d+:.*state=online.*"))
            .count()
        == replicas;
  }

  /**
   * Starts one more sentinel, which watches the server on this port of loopback as {@link
   * #MASTER_NAME}. It learns of others only from that server.
   */
  public static EmbeddedServer sentinelOf(int masterPort) {
    Path folder = TestResources.temporaryFolder("sentinel");
    return TestResources.owned(
        ServerHost.start(
            new ServerPlan(
                LABEL,
                folder,
                0,
                port -> command(folder, masterPort, port),
                Map.of(),
                EmbeddedRedis::probe)));
  }

  /** A sentinel keeps what it learns in its file, so that a restart goes on from there. */
  private static List<String> command(Path folder, int masterPort, int port) throws IOException {
    Path file = folder.resolve("sentinel.conf");
    if (Files.notExists(file)) {
      Files.writeString(
          file,
          """
          bind 127.0.0.1
          dir %s
          sentinel monitor %s 127.0.0.1 %d %d
          sentinel down-after-milliseconds %2$s %d
          sentinel failover-timeout %2$s %d
          sentinel parallel-syncs %2$s %d
          """
              .formatted(
                  folder,
                  MASTER_NAME,
                  masterPort,
                  QUORUM,
                  DOWN_AFTER_MS,
                  FAILOVER_TIMEOUT_MS,
                  REPLICAS));
    }
    return List.of(
        EmbeddedRedis.binary().toString(),
        file.toString(),
        "--sentinel",
        "--port",
        Integer.toString(port));
  }

  private boolean sentinelsKnowEverybody() {
    return sentinels.stream()
        .allMatch(
            sentinel -> {
              List<String> known = Ask.list(sentinel, "SENTINEL", "MASTER", MASTER_NAME);
              return field(known, "num-slaves").equals(Integer.toString(REPLICAS))
                  && field(known, "num-other-sentinels").equals(Integer.toString(SENTINELS - 1));
            });
  }

  private static String field(List<String> pairs, String name) {
    return pairs.get(pairs.indexOf(name) + 1);
  }

  /** Returns {@code redis-sentinel://…/seckill} with all sentinels. */
  public String uri() {
    return sentinels.stream()
        .map(sentinel -> "127.0.0.1:" + sentinel.port())
        .collect(Collectors.joining(",", "redis-sentinel://", "/" + MASTER_NAME));
  }

  /** Returns the three data servers; the first one was the master at the start. */
  public List<EmbeddedRedis> servers() {
    return List.copyOf(servers);
  }

  /** Returns the three sentinels. */
  public List<EmbeddedServer> sentinels() {
    return List.copyOf(sentinels);
  }

  /**
   * Returns the present master: named by a majority of the sentinels and a master by its own
   * account.
   *
   * @throws IllegalStateException while there is none
   */
  public EmbeddedRedis master() {
    return servers.stream()
        .filter(this::isMaster)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("there is no master now"));
  }

  private boolean isMaster(EmbeddedRedis server) {
    try {
      long votes =
          sentinels.stream()
              .filter(sentinel -> named(sentinel).equals(Optional.of(server.port())))
              .count();
      return votes >= QUORUM && Ask.info(server, "replication", "role").equals("master");
    } catch (RuntimeException e) {
      return false; // It is dead or frozen.
    }
  }

  /** The port of the master that a sentinel names; empty while it does not answer. */
  private static Optional<Integer> named(EmbeddedServer sentinel) {
    try {
      return Optional.of(
          Integer.valueOf(
              Ask.list(sentinel, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER_NAME).get(1)));
    } catch (RuntimeException e) {
      return Optional.empty();
    }
  }

  /** Waits, after the end of {@code old} as master, until another one is master, and returns it. */
  public EmbeddedRedis awaitMasterInsteadOf(EmbeddedRedis old) throws InterruptedException {
    Await.until(FAILOVER_BOUND, "another server is master", () -> master() != old);
    return master();
  }

  /**
   * Makes the sentinels replace a living master, and waits until they have. Within 8 s after
   * another failover it waits until they agree to.
   *
   * @return the new master
   */
  public EmbeddedRedis failover() throws InterruptedException {
    EmbeddedRedis old = master();
    Await.until(
        FAILOVER_BOUND,
        "a sentinel begins the failover",
        () -> Ask.text(sentinels.get(0), "SENTINEL", "FAILOVER", MASTER_NAME).equals("OK"));
    return awaitMasterInsteadOf(old);
  }

  /** Ends all with SIGKILL. */
  @Override
  public void close() {
    sentinels.forEach(TestSentinels::end);
    servers.forEach(TestSentinels::end);
  }

  /** What they hold is thrown away, so nothing is gained by a graceful stop. */
  static void end(EmbeddedServer server) {
    server.kill();
    server.close();
  }
}
