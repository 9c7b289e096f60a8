package io.seckill.lua;

import static io.seckill.lua.TestShard.TIMEOUT_MS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.seckill.embedded.EmbeddedServer;
import io.seckill.embedded.FileTrees;
import io.seckill.lua.RedisCallException.Kind;
import io.seckill.testkit.Await;
import io.seckill.testkit.RedisAddress;
import io.seckill.testkit.TestRedis;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors that a command raises inside a script, as each version of Redis words them. */
class RedisErrorsIT {

  private static final String WRITES = "redis.call('SET', KEYS[1], 'x')";
  private static final String WRONG_TYPE = "redis.call('LPUSH', KEYS[1], 'x')";
  private static final String WRITES_FIRST = WRITES + " redis.call('LPUSH', KEYS[1], 'x')";

  @ParameterizedTest
  @ValueSource(ints = {6, 7})
  void errorsRaisedInScriptsShouldBeSortedAlikeOnEveryVersion(int version)
      throws IOException, InterruptedException {
    try (EmbeddedServer server = start(version);
        TestShard shard =
            TestShard.connect(TestLoop.endpoint(new RedisAddress(server.host(), server.port())))) {
      shard.redis("SET", "text", "x");
      expect(shard, WRONG_TYPE, "WRONGTYPE", Kind.UNKNOWN);
      expect(shard, WRITES_FIRST, "WRONGTYPE", Kind.UNKNOWN);
      expect(shard, "return nil + 1", "ERR", Kind.UNKNOWN);

      shard.redis("CONFIG", "SET", "maxmemory", "1000");
      expect(shard, WRITES, "OOM", Kind.NOT_EXECUTED);
      shard.redis("CONFIG", "SET", "maxmemory", "0");

      failToSave(shard);
      expect(shard, WRITES, "MISCONF", Kind.NOT_EXECUTED);
      shard.redis("CONFIG", "SET", "stop-writes-on-bgsave-error", "no");
      // Else the server would refuse to stop.
      shard.redis("CONFIG", "SET", "save", "");

      shard.redis("REPLICAOF", "127.0.0.1", "1");
      expect(shard, WRITES, "READONLY", Kind.NOT_EXECUTED);
    }
  }

  private static EmbeddedServer start(int version) {
    if (version >= 7) {
      return Redis7.start("--enable-protected-configs", "yes");
    }
    return TestRedis.start();
  }

  private static void failToSave(TestShard shard) throws IOException, InterruptedException {
    Path gone = Files.createTempDirectory("seckill-gone-");
    shard.redis("CONFIG", "SET", "dir", gone.toString());
    FileTrees.delete(gone);
    // With save points in force a failed save stops writing; this one never comes by itself.
    shard.redis("CONFIG", "SET", "save", "3600 1000000");
    shard.redis("BGSAVE");
    Await.until(
        TestLoop.BOUND,
        "saving has failed",
        () -> shard.text("INFO", "persistence").contains("rdb_last_bgsave_status:err"));
  }

  private static void expect(TestShard shard, String script, String code, Kind kind) {
    RedisCallException failure =
        catchThrowableOfType(
            RedisCallException.class,
            () ->
                shard.run(
                    () ->
                        shard.link.send(
                            Request.cmd(Command.EVAL).arg(script).arg(1).arg("text"), TIMEOUT_MS)));
    assertThat(failure).as(script).isNotNull();
    assertThat(failure.code()).as(failure.getMessage()).isEqualTo(code);
    assertThat(failure.kind()).as(failure.getMessage()).isEqualTo(kind);
  }
}
