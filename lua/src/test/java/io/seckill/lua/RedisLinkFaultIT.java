package io.seckill.lua;

import static io.seckill.lua.TestShard.NO_LIMITS;
import static io.seckill.lua.TestShard.TIMEOUT_MS;
import static io.seckill.lua.TestShard.buy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.RawRedis;
import io.seckill.embedded.RedisSpec.Appendonly;
import io.seckill.lua.DecidePurchases.Decision;
import io.seckill.lua.DecidePurchases.Purchase;
import io.seckill.lua.DecidePurchases.Refused;
import io.seckill.lua.RedisCallException.Kind;
import io.seckill.testkit.Await;
import io.seckill.testkit.FaultProxy;
import io.seckill.testkit.RedisAddress;
import io.seckill.testkit.Stalls;
import io.seckill.testkit.TestRedis;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a link makes of every fault between it and its server. */
class RedisLinkFaultIT {

  /** More patient than a machine stands still: such a link is lost by what a test does only. */
  private static final RedisLink.Options PATIENT = new RedisLink.Options(10_000, false);

  /** For tests that wait until it has had enough. */
  private static final RedisLink.Options HASTY = new RedisLink.Options(500, false);

  private final List<AutoCloseable> opened = new ArrayList<>();
  private EmbeddedRedis redis;
  private RedisAddress address;

  @BeforeEach
  void start() {
    redis = owned(TestRedis.start(spec -> spec.withAppendonly(Appendonly.ALWAYS)));
    address = TestRedis.address(redis);
  }

  @AfterEach
  void end() throws Exception {
    for (int i = opened.size() - 1; i >= 0; i--) {
      opened.get(i).close();
    }
  }

  private <T extends AutoCloseable> T owned(T resource) {
    opened.add(resource);
    return resource;
  }

  private TestLink client(Topology topology) {
    return owned(new TestLink(topology, 0, PATIENT));
  }

  private TestLink client() {
    return client(Topology.standalone(TestLoop.endpoint(address))).open().untilUp();
  }

  private TestLink hasty(Topology topology) {
    return owned(new TestLink(topology, 0, HASTY));
  }

  private TestLink hasty() {
    return hasty(Topology.standalone(TestLoop.endpoint(address))).open().untilUp();
  }

  private static RedisEndpoint endpoint(FaultProxy proxy) {
    return new RedisEndpoint(proxy.host(), proxy.port(), "");
  }

  private static RedisCallException failureOf(Supplier<?> call) {
    return catchThrowableOfType(RedisCallException.class, call::get);
  }

  private String operator(String... words) {
    try (Operator operator = new Operator(address)) {
      return operator.call(words);
    }
  }

  private long info(String section, String field) {
    return operator("INFO", section)
        .lines()
        .filter(line -> line.startsWith(field + ":"))
        .mapToLong(line -> Long.parseLong(line.substring(field.length() + 1).strip()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void callShouldBeNotExecutedWhileTheLinkIsDown() {
    TestLink client = client(Topology.standalone(new RedisEndpoint("127.0.0.1", 1, ""))).open();
    RedisCallException failure =
        failureOf(
            () -> client.loop.await(() -> client.link.send(Request.cmd(Command.PING), TIMEOUT_MS)));
    assertThat(failure.kind()).isEqualTo(Kind.NOT_EXECUTED);
    assertThat(failure.code()).isEqualTo("DOWN");
    assertThat(client.runId()).isEmpty();
  }

  @Test
  void callShouldNotBeMadeWhenItsDeadlineHasPassed() {
    TestLink client = client();
    RedisCallException failure =
        failureOf(() -> client.loop.await(() -> client.link.send(Request.cmd(Command.PING), 0)));
    assertThat(failure.kind()).isEqualTo(Kind.NOT_EXECUTED);
    assertThat(failure.code()).isEqualTo("TIMEOUT");
    assertThat(client.loop.get(client.link::isUp)).isTrue();
  }

  @Test
  void linkShouldComeBackWhenItsConnectionIsKilled() {
    TestLink client = client();
    operator("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    client.loop.until("the link came up again", () -> client.ups.get() == 2);
    assertThat(client.loop.await(() -> client.link.send(Request.cmd(Command.PING), TIMEOUT_MS)))
        .hasToString("PONG");
  }

  @Test
  void callInFlightShouldBeUnknownWhenItsConnectionIsKilled() throws InterruptedException {
    TestLink client = client();
    Future<Response> blocked =
        client.loop.start(
            () ->
                client.link.send(
                    Request.cmd(Command.BLPOP).arg("nothing-comes").arg(0), TIMEOUT_MS));
    Await.until(TestLoop.BOUND, "it is blocked", () -> info("clients", "blocked_clients") == 1);
    operator("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");

    RedisCallException failure = failureOf(() -> client.loop.await(() -> blocked));
    assertThat(failure.kind()).isEqualTo(Kind.UNKNOWN);
    assertThat(failure.code()).isEqualTo("CLOSED");
  }

  @Test
  void restartedServerShouldFenceTheOldEpoch() {
    TestShard shard = owned(TestShard.open(address));
    ItemId item = shard.sell(1, 10);
    String runId = shard.loop.get(shard.link::runId);
    redis.kill();
    shard.loop.until("the link is down", () -> !shard.link.isUp());
    redis.restart();
    shard.loop.until("the link is up", shard.link::isUp);

    assertThat(shard.loop.get(shard.link::runId)).isNotEqualTo(runId).hasSize(81);
    assertThat(shard.call(shard.fence(), NO_LIMITS, buy("alice", null, item, 1)))
        .isEqualTo(new Refused(FenceStatus.FENCED));
    assertThat(shard.stock(item)).isEqualTo("10");
    shard.reopen();
    assertThat(shard.decideOne(buy("alice", null, item, 1)).status()).isEqualTo(PurchaseStatus.WIN);
  }

  @Test
  void emptiedServerShouldFenceAndHaveNoHead() {
    TestShard shard = owned(TestShard.open(address));
    ItemId item = shard.sell(1, 10);
    operator("FLUSHALL");
    assertThat(shard.call(shard.fence(), NO_LIMITS, buy("alice", null, item, 1)))
        .isEqualTo(new Refused(FenceStatus.FENCED));
    assertThat(shard.run(() -> ReadHead.run(shard.link, shard.keys, TIMEOUT_MS))).isEmpty();
  }

  @Test
  void linkShouldStayDownWhileTheServerIsLoading() throws InterruptedException {
    EmbeddedRedis slow =
        owned(
            TestRedis.start(
                spec ->
                    spec.withAppendonly(Appendonly.EVERYSEC)
                        .withOptions("--aof-use-rdb-preamble", "no", "--key-load-delay", "500")));
    TestLink client =
        client(Topology.standalone(TestLoop.endpoint(TestRedis.address(slow)))).open().untilUp();
    // Each command costs the delay when it is loaded, and clients are served now and then.
    List<Future<Response>> writes =
        client.loop.get(
            () -> {
              List<Future<Response>> started = new ArrayList<>();
              for (int i = 0; i < 4_000; i++) {
                started.add(
                    client.link.send(Request.cmd(Command.SET).arg("k" + i).arg("v"), TIMEOUT_MS));
              }
              return started;
            });
    client.loop.await(() -> Future.all(writes));
    Thread restart = new Thread(slow::restart, "restart");
    restart.start();
    Await.until(
        TestLoop.BOUND,
        "the server says that it is loading",
        () -> {
          try (RawRedis raw = new RawRedis(slow.host(), slow.port(), TestLoop.BOUND)) {
            return raw.info("persistence", "loading").equals("1");
          }
        });
    assertThat(client.loop.get(client.link::isUp)).isFalse();
    RedisCallException failure =
        failureOf(() -> client.loop.await(() -> client.echo("x", TIMEOUT_MS)));
    assertThat(failure.kind()).isEqualTo(Kind.NOT_EXECUTED);
    restart.join(TestLoop.BOUND.toMillis());
    client.untilUp();
    assertThat(client.loop.await(() -> client.echo("x", TIMEOUT_MS))).hasToString("x");
  }

  @Test
  void RF_07_callsShouldEndByTheirDeadlineWhenTheServerIsFrozen() {
    TestLink client = hasty();
    long stalledBefore = Stalls.nanos();
    redis.pause();
    List<Future<Response>> calls = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      calls.add(client.echo("frozen-" + i, 300 + i));
    }
    for (Future<Response> call : calls) {
      RedisCallException failure = failureOf(() -> client.loop.await(() -> call));
      assertThat(failure.kind()).isEqualTo(Kind.UNKNOWN);
      assertThat(failure.code()).isIn("TIMEOUT", "CLOSED");
    }
    // The first to end ends the connection. When the machine stood still that may be a heartbeat.
    if (Stalls.nanos() == stalledBefore) {
      assertThat(failureOf(() -> client.loop.await(() -> calls.get(0))).code())
          .isEqualTo("TIMEOUT");
    }
    assertThat(client.loop.get(client.link::isUp)).isFalse();

    redis.resume();
    client.untilUp();
    for (int i = 0; i < 50; i++) {
      String word = "after-" + i;
      assertThat(client.loop.await(() -> client.echo(word, TIMEOUT_MS))).hasToString(word);
    }
  }

  @Test
  void RF_07_frozenServerShouldBeNoticedWhileNothingIsCalled() {
    TestLink client = hasty();
    redis.pause();
    client.loop.until("the link is down", () -> !client.link.isUp());
    redis.resume();
    client.untilUp();
  }

  @Test
  void RF_07_expiredCallShouldTakeNothingWhenTheFrozenServerGoesOn() throws InterruptedException {
    TestShard shard = owned(TestShard.open(address));
    ItemId item = shard.sell(1, 10);
    shard.win(buy("bob", null, item, 1));
    operator("CONFIG", "RESETSTAT");
    Purchase purchase = buy("alice", null, item, 1);
    redis.pause();
    Future<DecidePurchases.Result> call =
        shard.loop.start(
            () ->
                DecidePurchases.run(
                    shard.link,
                    shard.link.fence(shard.epoch(), 200),
                    shard.keys,
                    TestShard.batch(List.of(purchase)),
                    200));
    RedisCallException failure = failureOf(() -> shard.loop.await(() -> call));
    assertThat(failure.code()).isIn("TIMEOUT", "CLOSED");
    assertThat(failure.kind()).isEqualTo(Kind.UNKNOWN);
    long before = shard.loop.get(shard.link::serverTimeMs);
    shard.loop.until("not-after has passed", () -> shard.link.serverTimeMs() > before + 250);
    redis.resume();
    shard.loop.until("the link is up", shard.link::isUp);
    // The request was in the server's socket all the time; it ran, and refused itself.
    Await.until(
        TestLoop.BOUND,
        "the late call ran",
        () -> operator("INFO", "commandstats").contains("cmdstat_evalsha"));
    assertThat(shard.stock(item)).isEqualTo("9");
    assertThat(shard.wins()).hasSize(1);
  }

  @Test
  void RF_01_demotedServerShouldBeLeftAndNotTakenAgain() throws InterruptedException {
    AtomicInteger asked = new AtomicInteger();
    TestLink client =
        client(
                (vertx, shard, maxAgeMs) -> {
                  asked.incrementAndGet();
                  return Future.succeededFuture(TestLoop.endpoint(address));
                })
            .open()
            .untilUp();
    operator("REPLICAOF", "127.0.0.1", "1");
    RedisCallException failure =
        failureOf(
            () ->
                client.loop.await(
                    () ->
                        client.link.send(Request.cmd(Command.SET).arg("k").arg("v"), TIMEOUT_MS)));
    assertThat(failure.kind()).isEqualTo(Kind.NOT_EXECUTED);
    assertThat(failure.code()).isEqualTo("READONLY");
    assertThat(client.loop.get(client.link::isUp)).isFalse();

    Await.until(
        TestLoop.BOUND, "it tried and refused the replica three times", () -> asked.get() >= 5);
    assertThat(client.ups).hasValue(1);
    operator("REPLICAOF", "NO", "ONE");
    client.untilUp();
    assertThat(client.ups).hasValue(2);
  }

  @Test
  void RF_01_demotionShouldBeNoticedWhileNothingIsCalled() {
    TestLink client = client();
    operator("REPLICAOF", "127.0.0.1", "1");
    client.loop.until("the link is down", () -> !client.link.isUp());
  }

  @Test
  void OL_02_lostReplyShouldBeUnknownAndTheRepetitionAReplay() {
    FaultProxy proxy = owned(FaultProxy.before(address));
    TestShard shard = owned(TestShard.connect(endpoint(proxy)));
    shard.reopen();
    ItemId item = shard.sell(1, 10);
    shard.win(buy("bob", null, item, 1));
    Purchase purchase = buy("alice-of-the-lost-reply", null, item, 1);
    proxy.loseReplies(1, "alice-of-the-lost-reply");

    RedisCallException failure = failureOf(() -> shard.decideOne(purchase));
    assertThat(failure.kind()).isEqualTo(Kind.UNKNOWN);
    assertThat(failure.code()).isEqualTo("CLOSED");
    shard.loop.until("one reply is lost", () -> proxy.losses() == 1);
    shard.loop.until("the link is up", shard.link::isUp);
    EntryId win = shard.wins().get(1).id();
    assertThat(shard.decideOne(purchase)).isEqualTo(new Decision(PurchaseStatus.REPLAY, win, 0));
    assertThat(shard.stock(item)).isEqualTo("8");
  }

  @Test
  void OL_02_lostRequestShouldBeUnknownAndTheRepetitionAWin() {
    FaultProxy proxy = owned(FaultProxy.before(address));
    TestShard shard = owned(TestShard.connect(endpoint(proxy)));
    shard.reopen();
    ItemId item = shard.sell(1, 10);
    Purchase purchase = buy("alice-of-the-lost-request", null, item, 1);
    proxy.loseRequests(1, "alice-of-the-lost-request");

    assertThat(failureOf(() -> shard.decideOne(purchase)).kind()).isEqualTo(Kind.UNKNOWN);
    shard.loop.until("the link is up", shard.link::isUp);
    assertThat(shard.stock(item)).isEqualTo("10");
    assertThat(shard.decideOne(purchase).status()).isEqualTo(PurchaseStatus.WIN);
  }

  @Test
  void RF_05_fiveThousandCallsAtOnceShouldAllBeAnswered() {
    TestLink client = client();
    List<Future<Response>> calls =
        client.loop.get(
            () -> {
              List<Future<Response>> started = new ArrayList<>();
              for (int i = 0; i < 5_000; i++) {
                started.add(client.link.send(Request.cmd(Command.ECHO).arg("w" + i), TIMEOUT_MS));
              }
              return started;
            });
    client.loop.await(() -> Future.all(calls));
    for (int i = 0; i < calls.size(); i++) {
      assertThat(calls.get(i).result()).hasToString("w" + i);
    }
  }

  @Test
  void RF_05_callsBeyondTheBoundShouldBeNotExecuted() {
    TestLink client = client();
    List<Future<Response>> calls =
        client.loop.get(
            () -> {
              List<Future<Response>> started = new ArrayList<>();
              for (int i = 0; i < 20_000; i++) {
                started.add(client.link.send(Request.cmd(Command.PING), TIMEOUT_MS));
              }
              return started;
            });
    client.loop.await(() -> Future.join(calls).otherwiseEmpty());
    List<Future<Response>> refused = calls.stream().filter(Future::failed).toList();
    // A heartbeat may take three places.
    assertThat(refused).hasSizeBetween(20_000 - 16_384, 20_000 - 16_384 + 3);
    assertThat(refused)
        .allSatisfy(
            call -> {
              RedisCallException failure = (RedisCallException) call.cause();
              assertThat(failure.kind()).isEqualTo(Kind.NOT_EXECUTED);
              assertThat(failure.code()).isEqualTo("FULL");
            });
    assertThat(client.loop.await(() -> client.echo("still-there", TIMEOUT_MS)))
        .hasToString("still-there");
  }

  @Test
  void closeShouldLeaveNothingBehindWhenItComesBeforeTheTopologyAnswers() {
    FaultProxy proxy = owned(FaultProxy.before(address));
    Promise<RedisEndpoint> answer = Promise.promise();
    TestLink client = client((vertx, shard, maxAgeMs) -> answer.future()).open();
    client.loop.await(client.link::close);
    client.loop.get(() -> answer.tryComplete(endpoint(proxy)));

    assertThat(client.loop.get(client.link::isUp)).isFalse();
    assertThat(proxy.connections()).isZero();
    assertThat(client.ups).hasValue(0);
  }

  @Test
  void closeShouldLeaveNothingBehindWhenItComesDuringConnecting() throws InterruptedException {
    FaultProxy proxy = owned(FaultProxy.before(address));
    proxy.blackhole();
    TestLink client = client(Topology.standalone(endpoint(proxy))).open();
    Await.until(TestLoop.BOUND, "it is connecting", () -> proxy.connections() == 1);
    client.loop.await(client.link::close);
    proxy.heal();
    Await.until(TestLoop.BOUND, "the connection is gone", () -> proxy.connections() == 0);
    assertThat(client.ups).hasValue(0);
    assertThat(client.loop.get(client.link::isUp)).isFalse();
  }

  @Test
  void closeShouldLeaveNothingBehindWhenTheLinkIsUp() throws InterruptedException {
    FaultProxy proxy = owned(FaultProxy.before(address));
    TestLink client = client(Topology.standalone(endpoint(proxy))).open().untilUp();
    Future<Response> blocked =
        client.loop.start(
            () ->
                client.link.send(
                    Request.cmd(Command.BLPOP).arg("nothing-comes").arg(0), TIMEOUT_MS));
    Await.until(TestLoop.BOUND, "it is blocked", () -> info("clients", "blocked_clients") == 1);
    client.loop.await(client.link::close);
    assertThat(failureOf(() -> client.loop.await(() -> blocked)).kind()).isEqualTo(Kind.UNKNOWN);
    Await.until(TestLoop.BOUND, "the connection is gone", () -> proxy.connections() == 0);
  }

  @Test
  void attemptShouldEndAndBeRepeatedWhenTheServerAcceptsButNeverAnswers()
      throws InterruptedException {
    FaultProxy proxy = owned(FaultProxy.before(address));
    proxy.blackhole();
    AtomicInteger asked = new AtomicInteger();
    TestLink client =
        hasty(
                (vertx, shard, maxAgeMs) -> {
                  asked.incrementAndGet();
                  return Future.succeededFuture(endpoint(proxy));
                })
            .open();
    Await.until(TestLoop.BOUND, "it tried three times", () -> asked.get() >= 3);
    proxy.heal();
    client.untilUp();
    Await.until(TestLoop.BOUND, "the old ones are gone", () -> proxy.connections() == 1);
  }

  @Test
  void lateAnswerOfTheTopologyShouldNotTouchTheLinkThatIsUp() {
    FaultProxy late = owned(FaultProxy.before(address));
    Promise<RedisEndpoint> first = Promise.promise();
    AtomicInteger asked = new AtomicInteger();
    TestLink client =
        client(
                (vertx, shard, maxAgeMs) ->
                    asked.incrementAndGet() == 1
                        ? first.future()
                        : Future.succeededFuture(TestLoop.endpoint(address)))
            .open()
            .untilUp();
    client.loop.get(() -> first.tryComplete(endpoint(late)));
    assertThat(client.loop.await(() -> client.echo("here", TIMEOUT_MS))).hasToString("here");
    assertThat(late.connections()).isZero();
    assertThat(client.ups).hasValue(1);
  }

  @Test
  void runIdShouldNeverComeFromAConnectionThatIsNotUsed() throws InterruptedException {
    EmbeddedRedis other = owned(TestRedis.start());
    FaultProxy proxy = owned(FaultProxy.before(TestRedis.address(other)));
    // The other server tells its run id, but never its clock.
    proxy.loseRequests(1, "\r\ntime\r\n");
    AtomicReference<RedisEndpoint> next = new AtomicReference<>(TestLoop.endpoint(address));
    AtomicInteger asked = new AtomicInteger();
    TestLink client =
        client(
                (vertx, shard, maxAgeMs) -> {
                  asked.incrementAndGet();
                  RedisEndpoint endpoint = next.get();
                  if (endpoint == null) {
                    return Future.failedFuture("nobody knows");
                  }
                  if (endpoint.port() == proxy.port()) {
                    next.set(null);
                  }
                  return Future.succeededFuture(endpoint);
                })
            .open()
            .untilUp();
    String runId = client.runId();
    next.set(endpoint(proxy));
    client.loop.get(
        () -> {
          client.link.reconnect("the test wants it");
          return true;
        });
    Await.until(TestLoop.BOUND, "the attempt failed half-way", () -> proxy.losses() == 1);
    int then = asked.get();
    Await.until(TestLoop.BOUND, "it asked again", () -> asked.get() > then);
    assertThat(client.runId()).isEqualTo(runId);

    next.set(TestLoop.endpoint(TestRedis.address(other)));
    client.untilUp();
    assertThat(client.runId()).isNotEqualTo(runId);
  }

  @Test
  void clockShouldBeTheServers() {
    TestLink client = client();
    long beforeMs = serverTimeMs(client);
    long estimatedMs = client.loop.get(client.link::serverTimeMs);
    assertThat(estimatedMs).isBetween(beforeMs - 100, serverTimeMs(client) + 100);
  }

  private static long serverTimeMs(TestLink client) {
    return client.loop.await(
        () ->
            client
                .link
                .send(Request.cmd(Command.TIME), TIMEOUT_MS)
                .map(t -> t.get(0).toLong() * 1_000 + t.get(1).toLong() / 1_000));
  }

  @Test
  void passwordShouldOpenTheServer() {
    operator("CONFIG", "SET", "requirepass", "secret");
    TestLink right =
        client(Topology.standalone(new RedisEndpoint("127.0.0.1", address.port(), "secret")))
            .open()
            .untilUp();
    assertThat(right.loop.await(() -> right.echo("x", TIMEOUT_MS))).hasToString("x");
    AtomicInteger asked = new AtomicInteger();
    TestLink wrong =
        client(
                (vertx, shard, maxAgeMs) -> {
                  asked.incrementAndGet();
                  return Future.succeededFuture(
                      new RedisEndpoint("127.0.0.1", address.port(), "wrong"));
                })
            .open();
    wrong.loop.until("it tried three times", () -> asked.get() >= 3);
    assertThat(wrong.loop.get(wrong.link::isUp)).isFalse();
  }

  @Test
  void RF_02_dataOfAnOlderCopyShouldBeNoticedWithoutANewConnectionOfTheServer()
      throws InterruptedException {
    EmbeddedRedis copy = owned(TestRedis.start());
    follow(copy, redis);
    TestShard shard = owned(TestShard.open(address));
    ItemId item = shard.sell(1, 10);
    Await.until(
        TestLoop.BOUND,
        "the copy has it",
        () -> text(copy, "GET", shard.keys.stock(item)).equals("10"));
    text(copy, "REPLICAOF", "NO", "ONE");
    shard.win(buy("alice", null, item, 1));
    String before = shard.loop.get(shard.link::runId);
    follow(redis, copy);
    text(redis, "REPLICAOF", "NO", "ONE");

    shard.loop.until(
        "the link is up with another identity",
        () -> shard.link.isUp() && !shard.link.runId().equals(before));
    assertThat(shard.loop.get(shard.link::runId).substring(0, 40))
        .isEqualTo(before.substring(0, 40));
    assertThat(shard.stock(item)).isEqualTo("10");
    assertThat(shard.call(shard.fence(), NO_LIMITS, buy("bob", null, item, 1)))
        .isEqualTo(new Refused(FenceStatus.FENCED));
  }

  private static void follow(EmbeddedRedis replica, EmbeddedRedis master)
      throws InterruptedException {
    text(replica, "REPLICAOF", "127.0.0.1", Integer.toString(master.port()));
    Await.until(
        TestLoop.BOUND,
        "the replica is in step",
        () -> text(replica, "INFO", "replication").contains("master_link_status:up"));
  }

  private static String text(EmbeddedRedis server, String... words) {
    try (Operator operator = new Operator(TestRedis.address(server))) {
      return operator.call(words);
    }
  }

  @Test
  void waitShouldTellHowManyReplicasHaveIt() throws InterruptedException {
    EmbeddedRedis replica = owned(TestRedis.start());
    follow(replica, redis);
    TestLink client = client();
    assertThat(write(client, 1, 3_000)).isEqualTo(1);
    assertThat(write(client, 2, 50)).isEqualTo(1);
    replica.pause();
    assertThat(write(client, 1, 50)).isZero();
    replica.resume();
    assertThat(write(client, 1, 3_000)).isEqualTo(1);
  }

  private static int write(TestLink client, int replicas, long waitMs) {
    RedisLink.Replicated written =
        client.loop.await(
            () ->
                client.link.sendAndWait(
                    Request.cmd(Command.INCR).arg("written"), replicas, waitMs, TIMEOUT_MS));
    assertThat(written.reply().toLong()).isPositive();
    return written.replicas();
  }

  @Test
  void waitShouldFailAsItsCallDoes() {
    TestLink client = client();
    Supplier<Object> wait =
        () ->
            client.loop.await(
                () ->
                    client.link.sendAndWait(
                        Request.cmd(Command.EVALSHA).arg("0".repeat(40)).arg(0),
                        1,
                        50,
                        TIMEOUT_MS));
    assertThat(failureOf(wait).code()).isEqualTo("NOSCRIPT");
    redis.kill();
    client.loop.until("the link is down", () -> !client.link.isUp());
    assertThat(failureOf(wait).kind()).isEqualTo(Kind.NOT_EXECUTED);
  }

  @Test
  void RF_01_callsInFlightShouldHaveTheirRepliesWhenTheServerWasDemoted() {
    TestLink client = client();
    operator("REPLICAOF", "127.0.0.1", "1");
    List<Future<Response>> calls =
        client.loop.get(
            () ->
                Stream.of("SET", "ECHO", "SET")
                    .map(
                        word ->
                            client.link.send(
                                word.equals("SET")
                                    ? Request.cmd(Command.SET).arg("k").arg("v")
                                    : Request.cmd(Command.ECHO).arg("still"),
                                TIMEOUT_MS))
                    .toList());
    for (int write : List.of(0, 2)) {
      RedisCallException failure = failureOf(() -> client.loop.await(() -> calls.get(write)));
      assertThat(failure.kind()).isEqualTo(Kind.NOT_EXECUTED);
      assertThat(failure.code()).isEqualTo("READONLY");
    }
    assertThat(client.loop.await(() -> calls.get(1))).hasToString("still");
    assertThat(client.loop.get(client.link::isUp)).isFalse();
  }

  @Test
  void RF_01_linkShouldLeaveItsServerOnlyForAnotherMaster() throws InterruptedException {
    EmbeddedRedis other = owned(TestRedis.start());
    EmbeddedRedis replica = owned(TestRedis.start());
    text(replica, "REPLICAOF", "127.0.0.1", "1");
    AtomicReference<RedisEndpoint> named = new AtomicReference<>(TestLoop.endpoint(address));
    AtomicInteger asked = new AtomicInteger();
    TestLink client =
        client(
                (vertx, shard, maxAgeMs) -> {
                  asked.incrementAndGet();
                  return Future.succeededFuture(named.get());
                })
            .open()
            .untilUp();
    String before = client.runId();

    named.set(new RedisEndpoint("localhost", address.port(), ""));
    recheckTwice(client, asked);
    named.set(TestLoop.endpoint(TestRedis.address(replica)));
    recheckTwice(client, asked);
    assertThat(client.ups).hasValue(1);
    assertThat(client.loop.get(client.link::isUp)).isTrue();

    named.set(TestLoop.endpoint(TestRedis.address(other)));
    recheckTwice(client, asked);
    client.loop.until("the link came up again", () -> client.ups.get() == 2);
    assertThat(client.runId()).isNotEqualTo(before);
  }

  private static void recheckTwice(TestLink client, AtomicInteger asked)
      throws InterruptedException {
    int then = asked.get();
    client.loop.get(
        () -> {
          client.link.recheck();
          return true;
        });
    // The second one comes by itself, long after the first has looked at the named server.
    Await.until(TestLoop.BOUND, "it asked twice", () -> asked.get() >= then + 2);
  }
}
