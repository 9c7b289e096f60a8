package io.seckill.lua;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to the master of a shard that heals itself. Calls are pipelined in the order in
 * which they are made; every call has a deadline, and a call that misses it closes the connection,
 * so that a late reply can never be taken for another call's. While the link is down, calls fail at
 * once as NOT_EXECUTED.
 *
 * <p>On each new connection the link checks that the server is a master and learns its run id and
 * its clock. A connection serves one purpose: give a blocking read a link of its own.
 *
 * <p>Belongs to the event loop it was opened on; not safe for use from another thread.
 */
public final class RedisLink {

  private static final Logger LOG = LoggerFactory.getLogger(RedisLink.class);

  private static final long HEARTBEAT_MS = 1_000;
  private static final long BACKOFF_FIRST_MS = 50;
  private static final long BACKOFF_MAX_MS = 2_000;

  /** Far above what batching sends; a bound all the same. */
  private static final int MAX_PIPELINED = 16_384;

  /** So that a full pipeline does not look like a dead server. */
  private static final int HEARTBEAT_ROOM = 64;

  private static final long NO_TIMER = -1;

  /** A failure that repeats is logged this often at most. */
  private static final long LOG_EVERY_MS = 10_000;

  private final Vertx vertx;
  private final Topology topology;
  private final int shard;
  private final Options options;

  private Live live;
  private Attempt attempt;
  private String runId = "";
  private String lastFailure = "";
  private long clockOffsetNanos;
  private long backoffMs = BACKOFF_FIRST_MS;
  private long lastLoggedAtNanos = Long.MIN_VALUE;
  private long retryTimer = NO_TIMER;
  private boolean closed;
  private Runnable onUp = () -> {};

  /**
   * How a link behaves.
   *
   * @param connectTimeoutMs bound on making and checking a connection
   * @param blocking whether the link is used for blocking reads: those are not disturbed by
   *     heartbeats
   */
  public record Options(long connectTimeoutMs, boolean blocking) {}

  /**
   * Prepares a link; {@link #open} connects it.
   *
   * @param shard the shard whose master the link leads to
   */
  public RedisLink(Vertx vertx, Topology topology, int shard, Options options) {
    this.vertx = vertx;
    this.topology = topology;
    this.shard = shard;
    this.options = options;
  }

  /**
   * Starts connecting, for ever until closed, with backoff and jitter.
   *
   * @param onUp called on the event loop after each successful connection; must not throw
   */
  public void open(Runnable onUp) {
    this.onUp = onUp;
    connect();
  }

  /** Whether calls can be made now. */
  public boolean isUp() {
    return live != null;
  }

  /**
   * The run id of the connected server; the last one known while down, empty before the first
   * connection.
   */
  public String runId() {
    return runId;
  }

  /** Why the last connection or attempt failed, for people; empty when none has. */
  public String lastFailure() {
    return lastFailure;
  }

  /** What the server's clock shows now, epoch milliseconds; off by at most half a round trip. */
  public long serverTimeMs() {
    return (System.nanoTime() + clockOffsetNanos) / 1_000_000;
  }

  /**
   * The three arguments with which every script call begins.
   *
   * @param epoch the epoch that the caller believes in
   * @param timeoutMs the same time-out that the call itself gets
   */
  public Fence fence(long epoch, long timeoutMs) {
    return new Fence(epoch, runId, serverTimeMs() + timeoutMs);
  }

  /**
   * Makes one call. Fails with {@link RedisCallException} only.
   *
   * @param timeoutMs after this the call fails as UNKNOWN and the connection is closed; a call with
   *     0 or less is not made
   */
  public Future<Response> send(Request request, long timeoutMs) {
    Live current = live;
    if (current == null) {
      return notExecuted("DOWN", "no connection to Redis");
    }
    if (timeoutMs <= 0) {
      return notExecuted("TIMEOUT", "the deadline passed before the call");
    }
    if (current.inFlight >= MAX_PIPELINED) {
      return notExecuted("FULL", MAX_PIPELINED + " calls are in flight");
    }
    return sendOn(current, request, timeoutMs);
  }

  private static Future<Response> notExecuted(String code, String detail) {
    return Future.failedFuture(
        new RedisCallException(RedisCallException.Kind.NOT_EXECUTED, code, detail));
  }

  private Future<Response> sendOn(Live current, Request request, long timeoutMs) {
    Promise<Response> promise = Promise.promise();
    long timer =
        vertx.setTimer(
            timeoutMs,
            id -> {
              if (promise.future().isComplete()) {
                return;
              }
              // Out of use first: whoever hears of the failure may call again at once.
              detach(current);
              promise.tryFail(
                  new RedisCallException(
                      RedisCallException.Kind.UNKNOWN,
                      "TIMEOUT",
                      "no reply within " + timeoutMs + " ms"));
              finish(current, "a call timed out");
            });
    current.inFlight++;
    current
        .connection
        .send(request)
        .onComplete(
            reply -> {
              current.inFlight--;
              vertx.cancelTimer(timer);
              if (reply.succeeded()) {
                promise.tryComplete(reply.result());
              } else {
                RedisCallException failure = RedisErrors.translate(reply.cause());
                if (RedisErrors.meansWrongServer(failure)) {
                  drop(current, failure.getMessage());
                }
                promise.tryFail(failure);
              }
            });
    return promise.future();
  }

  /** Closes the connection and stops healing. Calls in flight fail as UNKNOWN. */
  public Future<Void> close() {
    closed = true;
    vertx.cancelTimer(retryTimer);
    Future<Void> attempted = attempt == null ? Future.succeededFuture() : end(attempt);
    Future<Void> lived = live == null ? Future.succeededFuture() : end(live);
    return Future.join(attempted, lived).mapEmpty();
  }

  /** Closes the present connection, so that the next one asks the topology again. */
  public void reconnect(String reason) {
    if (live != null) {
      drop(live, reason);
    }
  }

  private void connect() {
    Attempt current = new Attempt();
    attempt = current;
    current.timer =
        vertx.setTimer(
            options.connectTimeoutMs,
            id -> failed(current, "no connection within " + options.connectTimeoutMs + " ms"));
    Future.succeededFuture()
        .compose(start -> topology.masterOf(shard))
        .compose(endpoint -> dial(current, endpoint))
        .compose(RedisLink::identify)
        .onSuccess(identified -> up(current, identified))
        .onFailure(failure -> failed(current, failure.getMessage()));
  }

  private Future<RedisConnection> dial(Attempt current, RedisEndpoint endpoint) {
    if (current != attempt) {
      return Future.failedFuture("the attempt is over");
    }
    RedisOptions redis =
        new RedisOptions()
            .setConnectionString("redis://" + endpoint.host() + ":" + endpoint.port())
            .setMaxPoolSize(1)
            .setMaxPoolWaiting(1)
            .setPoolCleanerInterval(-1)
            .setMaxWaitingHandlers(MAX_PIPELINED + HEARTBEAT_ROOM)
            // RESP2 replies are plain arrays; scripts and streams read the same on 6.2, 7 and 8.
            .setProtocolNegotiation(false);
    if (!endpoint.password().isEmpty()) {
      redis.setPassword(endpoint.password());
    }
    redis
        .getNetClientOptions()
        .setConnectTimeout((int) options.connectTimeoutMs)
        .setTcpNoDelay(true)
        .setTcpKeepAlive(true);
    current.client = Redis.createClient(vertx, redis);
    return current.client.connect();
  }

  /**
   * A new connection is used only when it leads to a master; its run id and clock go into every
   * script call.
   */
  private static Future<Identified> identify(RedisConnection fresh) {
    return fresh
        .send(Request.cmd(Command.ROLE))
        .compose(
            role -> {
              String word = role.get(0).toString();
              return word.equals("master")
                  ? fresh.send(Request.cmd(Command.INFO).arg("server"))
                  : Future.failedFuture("the server is a " + word);
            })
        .map(info -> runIdOf(info.toString()))
        .compose(
            id -> {
              long sentAt = System.nanoTime();
              return fresh
                  .send(Request.cmd(Command.TIME))
                  .map(time -> new Identified(fresh, id, clockOffset(time, sentAt)));
            });
  }

  private static String runIdOf(String info) {
    for (String line : info.split("\r\n", -1)) {
      if (line.startsWith("run_id:")) {
        return line.substring("run_id:".length());
      }
    }
    throw new IllegalStateException("INFO server has no run_id");
  }

  /** The server read its clock somewhere within the round trip: its middle halves the error. */
  private static long clockOffset(Response time, long sentAt) {
    long middle = sentAt + (System.nanoTime() - sentAt) / 2;
    long serverNanos = time.get(0).toLong() * 1_000_000_000L + time.get(1).toLong() * 1_000L;
    return serverNanos - middle;
  }

  private void up(Attempt current, Identified identified) {
    if (current != attempt) {
      return; // Its end has closed the client.
    }
    vertx.cancelTimer(current.timer);
    attempt = null;
    Live fresh = new Live(current.client, identified.connection());
    live = fresh;
    // Only now: until here the run id and clock in use were those of the last connection.
    runId = identified.runId();
    clockOffsetNanos = identified.clockOffsetNanos();
    backoffMs = BACKOFF_FIRST_MS;
    fresh.connection.exceptionHandler(failure -> drop(fresh, String.valueOf(failure.getMessage())));
    // A connection that dies fires only its end handler.
    fresh.connection.endHandler(end -> drop(fresh, "the server closed the connection"));
    if (!options.blocking) {
      fresh.heartbeat = vertx.setPeriodic(HEARTBEAT_MS, id -> heartbeat(fresh));
    }
    onUp.run();
  }

  /** Keeps the clock right and notices a frozen or demoted server also while nothing is called. */
  private void heartbeat(Live current) {
    long sentAt = System.nanoTime();
    sendOn(current, Request.cmd(Command.TIME), options.connectTimeoutMs)
        .onSuccess(
            time -> {
              if (current == live) {
                clockOffsetNanos = clockOffset(time, sentAt);
              }
            })
        .onFailure(failure -> drop(current, failure.getMessage()));
    sendOn(current, Request.cmd(Command.ROLE), options.connectTimeoutMs)
        .onSuccess(
            role -> {
              if (!role.get(0).toString().equals("master")) {
                drop(current, "the server is not a master any more");
              }
            })
        .onFailure(failure -> drop(current, failure.getMessage()));
  }

  private void failed(Attempt current, String reason) {
    if (current == attempt) {
      end(current);
      retry(reason);
    }
  }

  private void drop(Live current, String reason) {
    detach(current);
    finish(current, reason);
  }

  /** From here no call goes out on the connection. */
  private void detach(Live current) {
    if (current == live) {
      live = null;
      vertx.cancelTimer(current.heartbeat);
    }
  }

  /** Closes a detached connection, once, and starts making the next one. */
  private void finish(Live current, String reason) {
    if (!current.finished) {
      current.finished = true;
      current.client.close();
      retry(reason);
    }
  }

  private void retry(String reason) {
    lastFailure = reason;
    if (closed) {
      return;
    }
    long now = System.nanoTime();
    if (lastLoggedAtNanos == Long.MIN_VALUE || now - lastLoggedAtNanos > LOG_EVERY_MS * 1_000_000) {
      lastLoggedAtNanos = now;
      LOG.warn("no connection to the Redis of shard {}: {}; trying again", shard, reason);
    }
    long pauseMs = backoffMs / 2 + ThreadLocalRandom.current().nextLong(backoffMs / 2 + 1) + 1;
    backoffMs = Math.min(backoffMs * 2, BACKOFF_MAX_MS);
    retryTimer = vertx.setTimer(pauseMs, id -> connect());
  }

  private Future<Void> end(Attempt current) {
    attempt = null;
    vertx.cancelTimer(current.timer);
    return current.client == null ? Future.succeededFuture() : current.client.close();
  }

  private Future<Void> end(Live current) {
    detach(current);
    current.finished = true;
    return current.client.close();
  }

  /** A connection in the making. Its client is its own, so a late answer cannot touch another's. */
  private static final class Attempt {
    private long timer = NO_TIMER;
    private Redis client;
  }

  /** The connection in use, with the client that owns its socket. */
  private static final class Live {
    private final Redis client;
    private final RedisConnection connection;
    private long heartbeat = NO_TIMER;
    private int inFlight;
    private boolean finished;

    Live(Redis client, RedisConnection connection) {
      this.client = client;
      this.connection = connection;
    }
  }

  private record Identified(RedisConnection connection, String runId, long clockOffsetNanos) {}
}
