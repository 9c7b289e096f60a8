package io.seckill.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.embedded.RawRedis;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FaultProxyIT {

  private static final Duration BOUND = Duration.ofSeconds(30);

  private final String key = "proxy:" + UUID.randomUUID();
  private FaultProxy proxy;
  private RawRedis direct;

  @BeforeEach
  void open() throws IOException {
    RedisAddress redis = TestRedis.shared();
    proxy = FaultProxy.before(redis);
    direct = new RawRedis(redis.host(), redis.port(), BOUND);
  }

  @AfterEach
  void close() throws IOException {
    direct.close();
    proxy.close();
  }

  private RawRedis connect(Duration bound) throws IOException {
    return new RawRedis(proxy.host(), proxy.port(), bound);
  }

  @Test
  void forwardsWhileNothingIsAskedOfIt() throws Exception {
    String large = "x".repeat(3_000_000);
    try (RawRedis redis = connect(BOUND)) {
      assertThat(redis.call("SET", key, large)).isEqualTo("OK");
      assertThat(redis.call("GET", key)).isEqualTo(large);
      assertThat(proxy.connections()).isEqualTo(1);
      redis.call("DEL", key);
    }
    Await.until(BOUND, "the proxy forgets a closed connection", () -> proxy.connections() == 0);
  }

  @Test
  void holdsRepliesBackForTheLatency() throws Exception {
    proxy.latency(Duration.ofMillis(120));
    try (RawRedis redis = connect(Duration.ofMillis(60))) {
      assertThatThrownBy(() -> redis.call("PING")).isInstanceOf(SocketTimeoutException.class);
    }
    try (RawRedis redis = connect(BOUND)) {
      assertThat(redis.call("PING")).isEqualTo("PONG");
    }
  }

  @Test
  void cutsOpenConnectionsAndAcceptsNewOnes() throws Exception {
    try (RawRedis redis = connect(BOUND)) {
      redis.call("PING");
      proxy.cutConnections();
      assertThatThrownBy(() -> redis.call("PING")).isInstanceOf(IOException.class);
    }
    try (RawRedis redis = connect(BOUND)) {
      assertThat(redis.call("PING")).isEqualTo("PONG");
    }
  }

  @Test
  void refusesNewConnectionsUntilHealed() throws Exception {
    try (RawRedis open = connect(BOUND)) {
      open.call("PING");
      proxy.refuseConnections();
      assertThatThrownBy(() -> connect(BOUND)).isInstanceOf(ConnectException.class);
      assertThat(open.call("PING")).isEqualTo("PONG");

      proxy.heal();
      try (RawRedis again = connect(BOUND)) {
        assertThat(again.call("PING")).isEqualTo("PONG");
      }
    }
  }

  @Test
  void refusesAtOnceAlsoWhileTheMachineIsBusy() throws Exception {
    AtomicBoolean end = new AtomicBoolean();
    for (int i = 0; i < 3; i++) {
      FaultProxy.daemon(
          "busy",
          () -> {
            while (!end.get()) {
              Thread.onSpinWait();
            }
          });
    }
    try {
      for (int i = 0; i < 50; i++) {
        proxy.refuseConnections();
        assertThatThrownBy(() -> connect(BOUND)).isInstanceOf(ConnectException.class);
        proxy.heal();
      }
    } finally {
      end.set(true);
    }
  }

  @Test
  void deliversAfterABlackHoleWhatWasSentIntoIt() throws Exception {
    try (RawRedis redis = connect(Duration.ofMillis(100))) {
      redis.call("SET", key, "before");
      proxy.blackhole();
      assertThatThrownBy(() -> redis.call("SET", key, "after"))
          .isInstanceOf(SocketTimeoutException.class);
      assertThat(direct.call("GET", key)).isEqualTo("before");

      proxy.heal();
      Await.until(BOUND, "the held request arrives", () -> direct.call("GET", key).equals("after"));
    }
  }

  @Test
  void losesTheReplyOfARequestThatTheServerHasCarriedOut() throws Exception {
    proxy.loseReplies(2, key);
    for (int i = 1; i <= 2; i++) {
      try (RawRedis redis = connect(BOUND)) {
        assertThat(redis.call("PING")).isEqualTo("PONG");
        assertThatThrownBy(() -> redis.call("INCR", key)).isInstanceOf(IOException.class);
      }
      assertThat(direct.call("GET", key)).isEqualTo(Integer.toString(i));
    }
    int losses = 2;
    Await.until(BOUND, "both losses are counted", () -> proxy.losses() == losses);
    try (RawRedis redis = connect(BOUND)) {
      assertThat(redis.call("INCR", key)).isEqualTo("3");
    }
  }

  @Test
  void losesARequestBeforeTheServerSeesIt() throws Exception {
    proxy.loseRequests(1, key);
    try (RawRedis redis = connect(BOUND)) {
      assertThatThrownBy(() -> redis.call("INCR", key)).isInstanceOf(IOException.class);
    }
    assertThat(direct.call("EXISTS", key)).isEqualTo("0");
    Await.until(BOUND, "the loss is counted", () -> proxy.losses() == 1);
    try (RawRedis redis = connect(BOUND)) {
      assertThat(redis.call("INCR", key)).isEqualTo("1");
    }
  }

  @Test
  void losesTheReplyOfACommitToTheDatabase() throws Exception {
    MySqlAddress database = TestMariaDb.shared().newDatabase();
    SqlServer.query(database, "CREATE TABLE t (id INT PRIMARY KEY)");
    try (FaultProxy before = FaultProxy.before(database.host(), database.port())) {
      before.loseReplies(1, "INSERT INTO t");
      MySqlAddress through = database.through(before.host(), before.port());
      assertThatThrownBy(() -> SqlServer.query(through, "INSERT INTO t VALUES (1)"))
          .isInstanceOf(IllegalStateException.class);
    }
    assertThat(SqlServer.query(database, "SELECT id FROM t")).hasSize(1);
  }
}
