package io.seckill.launcher.bench;

import io.seckill.launcher.Waiting;
import io.seckill.lua.RedisLink;
import io.seckill.lua.Topology;
import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The second baseline: {@link PlainScript}, still one purchase a call, but pipelined over the
 * engine's own kind of connections with as many purchases under way as the engine has.
 *
 * <p>With WAIT the calls go out in groups with one WAIT behind each: a WAIT for each call would
 * stop the connection for a round trip to the replica each time.
 */
final class PlainPipeline implements AutoCloseable {

  private static final Duration CONNECT_BOUND = Duration.ofSeconds(10);
  private static final long CONNECT_MS = 2_000;
  private static final long CALL_MS = 5_000;
  private static final int GROUPS_UNDER_WAY = 2;

  private final List<Link> links = new ArrayList<>();
  private final boolean waits;
  private boolean closed;

  /** A connection on an event loop of its own. */
  private record Link(Context loop, RedisLink link) {}

  /**
   * Connects.
   *
   * @param connections as many as the engine has, each on its own event loop
   * @param waits whether calls count only when one replica has them
   */
  PlainPipeline(Vertx vertx, BenchRedis redis, int connections, boolean waits) {
    this.waits = waits;
    Topology topology = Topology.standalone(redis.endpoint());
    for (Context loop : EventLoops.of(vertx, connections)) {
      RedisLink link = new RedisLink(vertx, topology, 0, new RedisLink.Options(CONNECT_MS, false));
      CompletableFuture<Void> up = new CompletableFuture<>();
      loop.runOnContext(turn -> link.open(() -> up.complete(null)));
      links.add(new Link(loop, link));
      Waiting.forResult(up, CONNECT_BOUND, "a connection to Redis");
    }
  }

  /**
   * Sells for a while.
   *
   * @param buyers the start of the buyers' names; each buys once
   * @param inFlight purchases under way
   */
  Rate run(PlainScript.Sale sale, String buyers, int inFlight, Bounds bounds) {
    long startNs = System.nanoTime();
    List<Future<Lane>> ends = new ArrayList<>();
    for (int i = 0; i < links.size(); i++) {
      Link link = links.get(i);
      int share = Math.max(1, inFlight / links.size());
      String names = buyers + i + "x";
      ends.add(
          EventLoops.on(
              link.loop,
              loop -> new Lane(link.link, sale.words(), names, bounds).start(share, startNs)));
    }
    Waiting.forResult(Future.all(ends), bounds.waiting(), "the baseline");
    double seconds = (System.nanoTime() - startNs) / 1e9;
    long calls = ends.stream().mapToLong(end -> end.result().answered).sum();
    long wins = ends.stream().mapToLong(end -> end.result().wins).sum();
    return new Rate(calls, wins, seconds);
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    for (Link link : links) {
      Waiting.forResult(
          EventLoops.on(link.loop, loop -> link.link.close()), CONNECT_BOUND, "a connection's end");
    }
  }

  /** One connection's part of a measurement. */
  private final class Lane {

    private final RedisLink link;
    private final List<byte[]> words;
    private final String buyers;
    private final Bounds bounds;
    private final Promise<Lane> end = Promise.promise();
    private long untilNs;
    private long sent;
    private long answered;
    private long wins;
    private int underWay;

    Lane(RedisLink link, List<byte[]> words, String buyers, Bounds bounds) {
      this.link = link;
      this.words = words;
      this.buyers = buyers;
      this.bounds = bounds;
    }

    Future<Lane> start(int inFlight, long startNs) {
      untilNs = startNs + bounds.time().toNanos();
      int groups = waits ? GROUPS_UNDER_WAY : inFlight;
      for (int i = 0; i < groups; i++) {
        next(waits ? Math.max(1, inFlight / groups) : 1);
      }
      endIfOver();
      return end.future();
    }

    private void next(int size) {
      if (System.nanoTime() >= untilNs || sent * links.size() >= bounds.purchases()) {
        return;
      }
      underWay++;
      if (!waits) {
        call().onComplete(answer -> over(size, answer));
        return;
      }
      List<Future<Response>> group = new ArrayList<>(size);
      for (int i = 0; i < size; i++) {
        group.add(call());
      }
      Request wait = Request.cmd(Command.WAIT).arg(1).arg(CALL_MS);
      Future<Response> waited = link.send(wait, CALL_MS);
      Future.all(Future.all(group), waited).onComplete(done -> groupOver(size, group, done));
    }

    private Future<Response> call() {
      Request call = Request.cmd(Command.EVALSHA);
      for (byte[] word : words) {
        call.arg(word);
      }
      call.arg(PlainScript.bytes(buyers + sent++)).arg(PlainScript.ITEM);
      return link.send(call, CALL_MS);
    }

    private void over(int size, AsyncResult<Response> answer) {
      underWay--;
      if (answer.failed()) {
        end.tryFail(answer.cause());
        return;
      }
      count(answer.result());
      next(size);
      endIfOver();
    }

    private void groupOver(int size, List<Future<Response>> group, AsyncResult<?> done) {
      underWay--;
      if (done.failed()) {
        end.tryFail(done.cause());
        return;
      }
      group.forEach(each -> count(each.result()));
      next(size);
      endIfOver();
    }

    private void count(Response answer) {
      answered++;
      wins += answer.toInteger() == PlainScript.WON ? 1 : 0;
    }

    private void endIfOver() {
      if (underWay == 0) {
        end.tryComplete(this);
      }
    }
  }
}
