package io.seckill.launcher.demo;

import io.seckill.common.id.ItemId;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.RawRedis;
import io.seckill.launcher.load.CrowdSize;
import io.seckill.launcher.local.LocalStack;
import io.seckill.launcher.local.TemporaryStage;
import io.seckill.lua.RedisKeys;
import io.seckill.testkit.MySqlAddress;
import io.seckill.testkit.SqlServer;
import io.seckill.testkit.TestMariaDb;
import io.seckill.testkit.TestRedis;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * What {@code demo} runs on, with the MariaDB that all tests share, and with doors for those who
 * want to break something.
 */
final class DemoSystem implements AutoCloseable {

  private static final Duration BOUND = Duration.ofSeconds(30);

  private final EmbeddedRedis redis = TestRedis.start();
  private final MySqlAddress mysql = TestMariaDb.shared().newDatabase();
  private final int shards;
  private final LocalStack stack;
  private long nextItem = 1;

  DemoSystem(Path folder, int shards) {
    this.shards = shards;
    stack =
        LocalStack.start(
            TemporaryStage.systemIn(folder, shards)
                .withServers(
                    Optional.of(TestRedis.address(redis).uri()), Optional.of(mysql.uri())));
  }

  /** A sale of fresh items. */
  SaleRun sale(DemoOptions options) {
    SaleRun.Items items = new SaleRun.Items(new ItemId(nextItem++), new ItemId(nextItem++));
    return new SaleRun(SaleSite.of(stack), options, items, line -> {});
  }

  DemoOptions options(int stock, CrowdSize crowd, Duration warmUp) {
    DemoOptions.Play play = new DemoOptions.Play(32, 7, warmUp);
    return new DemoOptions(stock, crowd, shards, play, Optional.empty());
  }

  /** A sale of which wins are paid. */
  DemoOptions options(int stock, CrowdSize crowd, Paying paying) {
    DemoOptions.Play play = new DemoOptions.Play(32, 7, Duration.ZERO);
    return new DemoOptions(stock, crowd, shards, play, Optional.of(paying));
  }

  RedisKeys keys(int shard) {
    return RedisKeys.forShards(shards)[shard];
  }

  String redis(String... command) throws IOException {
    try (RawRedis connection = new RawRedis(redis.host(), redis.port(), BOUND)) {
      return connection.call(command);
    }
  }

  void sql(String statement) {
    SqlServer.query(mysql, statement);
  }

  @Override
  public void close() {
    stack.close();
    redis.close();
  }
}
