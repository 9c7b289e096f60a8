package io.seckill.testkit;

import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.RawRedis;
import io.seckill.embedded.RedisSpec;
import io.seckill.embedded.RedisSpec.Appendonly;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Three masters with a replica each, as a Redis Cluster of real server processes on loopback. Tests
 * may kill, pause, resume and restart each node, make a replica take over, and move slots. A dead
 * or frozen master is replaced after about 3 s; until then no slot is served (full coverage, as is
 * Redis' default). All end with the JVM at the latest.
 */
public final class TestCluster implements AutoCloseable {

  private static final int MASTERS = 3;
  private static final int SLOTS = 16_384;

  /** Longer than a burst of compiling on a busy machine, so that nobody is called dead for it. */
  private static final int NODE_TIMEOUT_MS = 2_000;

  private static final int KEYS_AT_ONCE = 100;
  private static final Duration READY_BOUND = Duration.ofSeconds(90);
  private static final Duration FAILOVER_BOUND = Duration.ofSeconds(90);

  /**
   * Redis gives a manual failover up after five seconds, without a word: when the replica is still
   * behind, or when the other masters have just voted for another one.
   */
  private static final Duration MANUAL_FAILOVER = Duration.ofSeconds(6);

  /** A stream of a million entries takes about a second. */
  private static final Duration MIGRATE_BOUND = Duration.ofSeconds(60);

  private final List<EmbeddedRedis> nodes = new ArrayList<>();

  private TestCluster() {}

  /** Starts nodes that keep nothing but their names on disk; see {@link #start(UnaryOperator)}. */
  public static TestCluster start() throws InterruptedException {
    return start(spec -> spec);
  }

  /**
   * Starts and joins six nodes and returns when every slot is served and every replica is in step.
   *
   * @param change makes the nodes as the test wants them, such as with an append-only file; at
   *     first they keep nothing. It adds no options.
   */
  public static TestCluster start(UnaryOperator<RedisSpec> change) throws InterruptedException {
    TestCluster cluster = new TestCluster();
    try {
      for (int i = 0; i < 2 * MASTERS; i++) {
        cluster.nodes.add(startNode(change));
      }
      cluster.meet();
      cluster.shareSlots();
      cluster.addReplicas();
      return cluster;
    } catch (InterruptedException | RuntimeException | AssertionError e) {
      cluster.close();
      throw e;
    }
  }

  private static EmbeddedRedis startNode(UnaryOperator<RedisSpec> change) {
    return TestRedis.start(
        spec ->
            change
                .apply(spec.withAppendonly(Appendonly.NO))
                .asClusterNode()
                .withOptions("--cluster-node-timeout", Integer.toString(NODE_TIMEOUT_MS)));
  }

  private void meet() throws InterruptedException {
    for (int i = 0; i < nodes.size(); i++) {
      Ask.text(nodes.get(i), "CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
    }
    String port = Integer.toString(nodes.get(0).port());
    for (EmbeddedRedis node : nodes.subList(1, nodes.size())) {
      Ask.text(node, "CLUSTER", "MEET", "127.0.0.1", port);
    }
    Await.until(READY_BOUND, "all nodes know each other", () -> allKnow(nodes.size()));
  }

  private boolean allKnow(int count) {
    return nodes.stream()
        .map(TestCluster::view)
        .allMatch(
            view -> view.size() == count && view.stream().noneMatch(node -> node.has("handshake")));
  }

  private void shareSlots() throws InterruptedException {
    for (int i = 0; i < MASTERS; i++) {
      Ask.text(
          nodes.get(i),
          Stream.concat(
                  Stream.of("CLUSTER", "ADDSLOTS"),
                  IntStream.range(i * SLOTS / MASTERS, (i + 1) * SLOTS / MASTERS)
                      .mapToObj(Integer::toString))
              .toArray(String[]::new));
    }
    Await.until(READY_BOUND, "every node says that all slots are served", this::allOk);
  }

  private boolean allOk() {
    return nodes.stream().filter(EmbeddedRedis::running).allMatch(TestCluster::isOk);
  }

  private static boolean isOk(EmbeddedRedis node) {
    return Ask.text(node, "CLUSTER", "INFO").contains("cluster_state:ok");
  }

  private void addReplicas() throws InterruptedException {
    for (int i = 0; i < MASTERS; i++) {
      Ask.text(nodes.get(MASTERS + i), "CLUSTER", "REPLICATE", idOf(nodes.get(i)));
    }
    Await.until(
        READY_BOUND,
        "every replica is in step and known to all",
        () ->
            nodes.subList(0, MASTERS).stream().allMatch(node -> TestSentinels.inStep(node, 1))
                && nodes.stream().allMatch(this::knowsAllReplicas)
                && allOk());
  }

  private boolean knowsAllReplicas(EmbeddedRedis node) {
    return view(node).stream().filter(known -> known.has("slave")).count() == MASTERS;
  }

  /** Returns {@code redis-cluster://…} with all nodes as seeds. */
  public String uri() {
    return nodes.stream()
        .map(node -> "127.0.0.1:" + node.port())
        .collect(Collectors.joining(",", "redis-cluster://", ""));
  }

  /**
   * Returns the six nodes. At the start the first three were masters of a third of the slots each,
   * in ascending order, and the others their replicas in the same order.
   */
  public List<EmbeddedRedis> nodes() {
    return List.copyOf(nodes);
  }

  /** Returns the slot of a key, which may have a hash tag. */
  public int slotOf(String key) {
    return Integer.parseInt(
        Ask.text(claims().findFirst().orElseThrow().node(), "CLUSTER", "KEYSLOT", key));
  }

  /**
   * Returns the node that serves a slot now: the one with the newest claim of those that answer.
   *
   * @throws IllegalStateException while there is none
   */
  public EmbeddedRedis masterOf(int slot) {
    return claims()
        .filter(claim -> claim.self().has("master") && claim.self().owns(slot))
        .max(Comparator.comparingLong(claim -> claim.self().epoch()))
        .map(Claim::node)
        .orElseThrow(() -> new IllegalStateException("nobody serves slot " + slot));
  }

  /** Returns the replicas of a master that answer now. */
  public List<EmbeddedRedis> replicasOf(EmbeddedRedis master) {
    String id = idOf(master);
    return claims()
        .filter(claim -> claim.self().has("slave") && claim.self().masterId().equals(id))
        .map(Claim::node)
        .toList();
  }

  /**
   * Waits, after the end of {@code old} as its master, until another node serves the slot, and
   * returns that.
   */
  public EmbeddedRedis awaitMasterInsteadOf(EmbeddedRedis old, int slot)
      throws InterruptedException {
    Await.until(
        FAILOVER_BOUND,
        "another node serves slot " + slot,
        () -> masterOf(slot) != old && isOk(masterOf(slot)));
    return masterOf(slot);
  }

  /**
   * Makes the replica of a living master take over without losing a write, and waits until it has.
   *
   * @return the new master
   */
  public EmbeddedRedis failover(EmbeddedRedis master) throws InterruptedException {
    int slot = selfOf(master).firstSlot();
    handOver(master);
    return awaitMasterInsteadOf(master, slot);
  }

  /**
   * The same, but waits only until the replica calls itself master: the other nodes may not have
   * heard of it. Asks again when nothing has come of it.
   */
  public void handOver(EmbeddedRedis master) throws InterruptedException {
    EmbeddedRedis replica = replicasOf(master).get(0);
    long[] askAgainAt = {System.nanoTime()};
    Await.until(
        FAILOVER_BOUND,
        "a replica takes over",
        () -> {
          if (System.nanoTime() - askAgainAt[0] >= 0) {
            Ask.text(replica, "CLUSTER", "FAILOVER");
            askAgainAt[0] = System.nanoTime() + MANUAL_FAILOVER.toNanos();
          }
          return Ask.info(replica, "replication", "role").equals("master");
        });
  }

  /** Moves a slot with its keys to another master, and tells all nodes. */
  public void moveSlot(int slot, EmbeddedRedis to) {
    EmbeddedRedis from = beginMove(slot, to);
    moveKeys(slot, from, to);
    endMove(slot, from, to);
  }

  /**
   * First part of {@link #moveSlot}: from now on the old master answers ASK for keys that it does
   * not hold, and TRYAGAIN for a call that needs keys of both.
   *
   * @return the master that the slot leaves
   */
  public EmbeddedRedis beginMove(int slot, EmbeddedRedis to) {
    EmbeddedRedis from = masterOf(slot);
    Ask.text(to, "CLUSTER", "SETSLOT", Integer.toString(slot), "IMPORTING", idOf(from));
    Ask.text(from, "CLUSTER", "SETSLOT", Integer.toString(slot), "MIGRATING", idOf(to));
    return from;
  }

  /** Second part of {@link #moveSlot}: the keys. */
  public void moveKeys(int slot, EmbeddedRedis from, EmbeddedRedis to) {
    try (RawRedis redis = new RawRedis(from.host(), from.port(), MIGRATE_BOUND)) {
      while (true) {
        List<String> keys =
            redis.list(
                "CLUSTER", "GETKEYSINSLOT", Integer.toString(slot), Integer.toString(KEYS_AT_ONCE));
        if (keys.isEmpty()) {
          return;
        }
        redis.call(
            Stream.concat(
                    Stream.of(
                        "MIGRATE",
                        to.host(),
                        Integer.toString(to.port()),
                        "",
                        "0",
                        Long.toString(MIGRATE_BOUND.toMillis()),
                        "KEYS"),
                    keys.stream())
                .toArray(String[]::new));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Last part of {@link #moveSlot}: the old master answers MOVED from now on. */
  public void endMove(int slot, EmbeddedRedis from, EmbeddedRedis to) {
    String id = idOf(to);
    // The new owner first: were the old one told first, the slot would be nobody's for a moment.
    Stream<EmbeddedRedis> told =
        Stream.concat(Stream.of(to, from), nodes.stream().filter(n -> n != to && n != from));
    told.filter(EmbeddedRedis::running)
        .filter(node -> selfOf(node).has("master"))
        .forEach(node -> Ask.text(node, "CLUSTER", "SETSLOT", Integer.toString(slot), "NODE", id));
  }

  private static String idOf(EmbeddedRedis node) {
    return Ask.text(node, "CLUSTER", "MYID");
  }

  private static Line selfOf(EmbeddedRedis node) {
    return view(node).stream().filter(line -> line.has("myself")).findFirst().orElseThrow();
  }

  private static List<Line> view(EmbeddedRedis node) {
    return Ask.text(node, "CLUSTER", "NODES").lines().map(Line::of).toList();
  }

  private Stream<Claim> claims() {
    return nodes.stream()
        .filter(EmbeddedRedis::running)
        .map(TestCluster::claim)
        .flatMap(Optional::stream);
  }

  private static Optional<Claim> claim(EmbeddedRedis node) {
    try {
      return Optional.of(new Claim(node, selfOf(node)));
    } catch (UncheckedIOException e) {
      return Optional.empty(); // It is dying or frozen.
    }
  }

  /** Ends all with SIGKILL. */
  @Override
  public void close() {
    nodes.forEach(TestSentinels::end);
  }

  /** What a node says of itself. */
  private record Claim(EmbeddedRedis node, Line self) {}

  /** A line of CLUSTER NODES: id, address, flags, master, ping, pong, epoch, link, slots. */
  private record Line(List<String> flags, String masterId, long epoch, List<int[]> ranges) {

    static Line of(String text) {
      String[] words = text.split(" ", -1);
      return new Line(
          List.of(words[2].split(",", -1)),
          words[3],
          Long.parseLong(words[6]),
          Arrays.stream(words, 8, words.length).map(Line::range).filter(Objects::nonNull).toList());
    }

    /** {@code 5}, {@code 5-9}; not {@code [5->-id]}, which tells of a move. */
    private static int[] range(String word) {
      if (word.startsWith("[")) {
        return null;
      }
      String[] ends = word.split("-", -1);
      return new int[] {Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1])};
    }

    boolean has(String flag) {
      return flags.contains(flag);
    }

    boolean owns(int slot) {
      return ranges.stream().anyMatch(range -> range[0] <= slot && slot <= range[1]);
    }

    int firstSlot() {
      return ranges.get(0)[0];
    }
  }
}
