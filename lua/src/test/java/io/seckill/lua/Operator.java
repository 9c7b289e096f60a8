package io.seckill.lua;

import io.seckill.embedded.EmbeddedServer;
import io.seckill.embedded.RawRedis;
import io.seckill.testkit.RedisAddress;
import java.io.IOException;
import java.io.UncheckedIOException;

/** A connection beside the link under test, for what an operator would do. */
final class Operator implements AutoCloseable {

  private final RawRedis redis;

  Operator(RedisAddress address) {
    try {
      redis = new RawRedis(address.host(), address.port(), TestLoop.BOUND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Operator(EmbeddedServer server) {
    this(new RedisAddress(server.host(), server.port()));
  }

  String call(String... words) {
    try {
      return redis.call(words);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      redis.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
