package io.seckill.lua;

import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.concurrent.atomic.AtomicInteger;

/** A link under test with its loop. */
final class TestLink implements AutoCloseable {

  private static final long TIMEOUT_MS = 20_000;

  final TestLoop loop = new TestLoop();
  final RedisLink link;
  final AtomicInteger ups = new AtomicInteger();

  TestLink(Topology topology, int shard, RedisLink.Options options) {
    link = new RedisLink(TestLoop.VERTX, topology, shard, options);
  }

  TestLink open() {
    loop.get(
        () -> {
          link.open(ups::incrementAndGet);
          return true;
        });
    return this;
  }

  TestLink untilUp() {
    loop.until("the link is up", link::isUp);
    return this;
  }

  String runId() {
    return loop.get(link::runId);
  }

  Future<Response> echo(String word, long timeoutMs) {
    return loop.start(() -> link.send(Request.cmd(Command.ECHO).arg(word), timeoutMs));
  }

  /** One command; its failure is thrown. */
  Response call(String name, String... words) {
    Request request = Request.cmd(Command.create(name));
    for (String word : words) {
      request.arg(word);
    }
    return loop.await(() -> link.send(request, TIMEOUT_MS));
  }

  @Override
  public void close() {
    loop.await(link::close);
  }
}
