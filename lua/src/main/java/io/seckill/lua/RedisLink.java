package io.seckill.lua;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to the master of a shard that heals itself. Calls are pipelined in the order in
 * which they are made; every call has a deadline, and a call that misses it closes the connection,
 * so that a late reply can never be taken for another call's. While the link is down, calls fail at
 * once as NOT_EXECUTED.
 *
 * <p>On each new connection the link checks that the server is a master and learns its identity and
 * its clock; it looks again each second. When the server is not a master any more, has another
 * identity, or says that it is the wrong one, or when the topology names another master, the link
 * leaves it and asks the topology again. A connection serves one purpose: give a blocking read a
 * link of its own.
 *
 * <p>Belongs to the event loop it was opened on; not safe for use from another thread.
 */
public final class RedisLink {

  private static final Logger LOG = LoggerFactory.getLogger(RedisLink.class);

  private static final long HEARTBEAT_MS = 1_000;

  /**
   * How often the topology is asked whether the server is still the right one: sentinels let an old
   * master be one for about 10 s after they have named another.
   */
  private static final int HEARTBEATS_PER_RECHECK = 2;

  /** All links of a process look around together, about once a second. */
  private static final long SHARED_AGE_MS = 1_000;

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

  /** Connections that take no calls any more, but still get replies. */
  private final Set<Live> draining = new HashSet<>();

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
   * @param blocking whether the link is used for blocking reads: no heartbeat stands in line behind
   *     them
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
    connect(SHARED_AGE_MS);
  }

  /** Whether calls can be made now. */
  public boolean isUp() {
    return live != null;
  }

  /**
   * A reply and how many replicas have what it tells of.
   *
   * @param reply of the request
   * @param replicas how many replicas acknowledged in time; 0 also when that is not known
   */
  public record Replicated(Response reply, int replicas) {}

  /**
   * The identity of the connected server: {@code <run_id>.<master_replid>}. The first part changes
   * when its process starts again, the second when its data may have been exchanged: when it has
   * been a replica meanwhile, but also when its first replica comes. While down the last one known,
   * before the first connection empty.
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
    RedisCallException refusal = refusal(1, timeoutMs);
    return refusal == null ? sendOn(live, request, timeoutMs) : Future.failedFuture(refusal);
  }

  /**
   * Makes one call and waits until replicas have what the connection wrote up to it (WAIT, in the
   * same pipeline). Later calls on this link are answered after the wait. Fails as {@link #send}
   * does when the call itself does; a wait that is not met, or whose end is not known, is told by
   * the number of replicas.
   *
   * @param replicas how many are waited for
   * @param waitMs how long the server waits for them, at least 1; less than {@code timeoutMs}
   * @param timeoutMs bound on both together
   */
  public Future<Replicated> sendAndWait(
      Request request, int replicas, long waitMs, long timeoutMs) {
    RedisCallException refusal = refusal(2, timeoutMs);
    if (refusal != null) {
      return Future.failedFuture(refusal);
    }
    Live current = live;
    Future<Response> reply = sendOn(current, request, timeoutMs);
    Future<Integer> acknowledged =
        sendOn(current, Request.cmd(Command.WAIT).arg(replicas).arg(waitMs), timeoutMs)
            .map(Response::toInteger)
            .otherwise(0);
    return reply.compose(told -> acknowledged.map(count -> new Replicated(told, count)));
  }

  /** Why calls cannot be made now; null when they can. */
  private RedisCallException refusal(int calls, long timeoutMs) {
    if (live == null) {
      return notExecuted("DOWN", "no connection to Redis");
    }
    if (timeoutMs <= 0) {
      return notExecuted("TIMEOUT", "the deadline passed before the call");
    }
    if (live.inFlight + calls > MAX_PIPELINED) {
      return notExecuted("FULL", MAX_PIPELINED + " calls are in flight");
    }
    return null;
  }

  private static RedisCallException notExecuted(String code, String detail) {
    return new RedisCallException(RedisCallException.Kind.NOT_EXECUTED, code, detail);
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
                // Only now: a wrong server lets itself be connected to again and again.
                backoffMs = BACKOFF_FIRST_MS;
                promise.tryComplete(reply.result());
              } else {
                RedisCallException failure = RedisErrors.translate(reply.cause());
                if (RedisErrors.meansWrongServer(failure)) {
                  leave(current, failure.getMessage());
                }
                promise.tryFail(failure);
              }
              if (current.left && current.inFlight == 0) {
                finish(current, "its last reply is here");
              }
            });
    return promise.future();
  }

  /** Closes the connection and stops healing. Calls in flight fail as UNKNOWN. */
  public Future<Void> close() {
    closed = true;
    vertx.cancelTimer(retryTimer);
    List<Future<Void>> ends = new ArrayList<>();
    if (attempt != null) {
      ends.add(end(attempt));
    }
    if (live != null) {
      ends.add(end(live));
    }
    draining.forEach(left -> ends.add(end(left)));
    return Future.join(ends).mapEmpty();
  }

  /** Closes the present connection, so that the next one asks the topology again. */
  public void reconnect(String reason) {
    if (live != null) {
      drop(live, reason);
    }
  }

  /**
   * Asks the topology whether the server is still the right one, and leaves it when another master
   * is named. The link does so itself every 2 s; to be called by who has a reason not to wait.
   */
  public void recheck() {
    if (live != null) {
      recheck(live);
    }
  }

  /** What the topology told up to {@code maxAgeMs} ago will do. */
  private void connect(long maxAgeMs) {
    Attempt current = new Attempt();
    attempt = current;
    current.timer =
        vertx.setTimer(
            options.connectTimeoutMs,
            id -> failed(current, "no connection within " + options.connectTimeoutMs + " ms"));
    Future.succeededFuture()
        .compose(start -> topology.masterOf(vertx, shard, maxAgeMs))
        .compose(endpoint -> dial(current, endpoint))
        .compose(RedisLink::identify)
        .onSuccess(identified -> up(current, identified))
        .onFailure(failure -> failed(current, failure.getMessage()));
  }

  private Future<RedisConnection> dial(Attempt current, RedisEndpoint endpoint) {
    if (current != attempt) {
      return Future.failedFuture("the attempt is over");
    }
    current.endpoint = endpoint;
    current.client =
        endpoint.client(vertx, options.connectTimeoutMs, MAX_PIPELINED + HEARTBEAT_ROOM);
    return current.client.connect().map(RedisEndpoint::quiet);
  }

  /** A new connection is used only when it leads to a master. */
  private static Future<Identified> identify(RedisConnection fresh) {
    return look(fresh::send)
        .compose(
            seen ->
                seen.isMaster()
                    ? Future.succeededFuture(new Identified(fresh, seen))
                    : Future.failedFuture("the server is a " + seen.role()));
  }

  /** One small pipeline; the clock first, so that nothing else is in its round trip. */
  private static Future<Seen> look(Function<Request, Future<Response>> send) {
    long sentAt = System.nanoTime();
    Future<Long> clock =
        send.apply(Request.cmd(Command.TIME)).map(time -> clockOffset(time, sentAt));
    Future<String> server =
        send.apply(Request.cmd(Command.INFO).arg("server")).map(Response::toString);
    Future<String> replication =
        send.apply(Request.cmd(Command.INFO).arg("replication")).map(Response::toString);
    return Future.all(clock, server, replication)
        .map(
            all ->
                new Seen(
                    InfoText.field(replication.result(), "role"),
                    InfoText.field(server.result(), "run_id")
                        + '.'
                        + InfoText.field(replication.result(), "master_replid"),
                    clock.result()));
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
    Live fresh = new Live(current, identified.connection());
    live = fresh;
    // Only now: until here the identity and clock in use were those of the last connection.
    runId = identified.seen().identity();
    clockOffsetNanos = identified.seen().clockOffsetNanos();
    fresh.connection.exceptionHandler(failure -> drop(fresh, String.valueOf(failure.getMessage())));
    // A connection that dies fires only its end handler.
    fresh.connection.endHandler(end -> drop(fresh, "the server closed the connection"));
    fresh.heartbeat = vertx.setPeriodic(HEARTBEAT_MS, id -> beat(fresh));
    onUp.run();
  }

  private void beat(Live current) {
    if (!options.blocking) {
      heartbeat(current);
    }
    current.beats++;
    if (current.beats % HEARTBEATS_PER_RECHECK == 0) {
      recheck(current);
    }
  }

  /**
   * The named server is looked at before this one is left: a topology that is behind names a
   * replica, and one server may have several names.
   */
  private void recheck(Live current) {
    Future.succeededFuture()
        .compose(start -> topology.masterOf(vertx, shard, SHARED_AGE_MS))
        .onSuccess(
            named -> {
              if (current == live && !named.equals(current.endpoint)) {
                leaveFor(current, named);
              }
            })
        // Then this server stays the best guess; when it is lost too, lastFailure tells.
        .onFailure(failure -> LOG.debug("nobody names the master of shard {}", shard, failure));
  }

  private void leaveFor(Live current, RedisEndpoint named) {
    Redis client = named.client(vertx, options.connectTimeoutMs, HEARTBEAT_ROOM);
    client
        .connect()
        .map(RedisEndpoint::quiet)
        .compose(connection -> look(connection::send))
        .timeout(options.connectTimeoutMs, TimeUnit.MILLISECONDS)
        .onComplete(end -> client.close())
        .onSuccess(
            seen -> {
              if (current == live && seen.isMaster() && !seen.identity().equals(runId)) {
                leave(current, "the master is " + named + " now");
              }
            })
        .onFailure(failure -> LOG.debug("{} is named, but does not answer", named, failure));
  }

  /**
   * Keeps the clock right and notices a server that is frozen, was demoted or got other data, also
   * while nothing is called.
   */
  private void heartbeat(Live current) {
    look(request -> sendOn(current, request, options.connectTimeoutMs))
        .onSuccess(
            seen -> {
              if (current != live) {
                return;
              }
              clockOffsetNanos = seen.clockOffsetNanos();
              if (!seen.isMaster()) {
                leave(current, "the server is a " + seen.role() + " now");
              } else if (!seen.identity().equals(runId)) {
                leave(current, "the data of the server may have been exchanged");
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

  /** For a connection that is broken: calls in flight fail. */
  private void drop(Live current, String reason) {
    detach(current);
    finish(current, reason);
  }

  /**
   * For a server that is the wrong one: the calls in flight have their replies on the way, which
   * say whether they were executed.
   */
  private void leave(Live current, String reason) {
    if (current.left || current.finished) {
      return;
    }
    detach(current);
    current.left = true;
    draining.add(current);
    retry(reason);
    if (current.inFlight == 0) {
      finish(current, reason);
    }
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
      draining.remove(current);
      current.client.close();
      if (!current.left) {
        retry(reason);
      }
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
    retryTimer = vertx.setTimer(pauseMs, id -> connect(pauseMs));
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
    private RedisEndpoint endpoint;
    private Redis client;
  }

  /** The connection in use, with the client that owns its socket. */
  private static final class Live {
    private final Redis client;
    private final RedisEndpoint endpoint;
    private final RedisConnection connection;
    private long heartbeat = NO_TIMER;
    private int beats;
    private int inFlight;

    /** Whether it was left, and the next connection is being made. */
    private boolean left;

    private boolean finished;

    Live(Attempt attempt, RedisConnection connection) {
      this.client = attempt.client;
      this.endpoint = attempt.endpoint;
      this.connection = connection;
    }
  }

  /** What a look at a server shows. */
  private record Seen(String role, String identity, long clockOffsetNanos) {

    boolean isMaster() {
      return role.equals("master");
    }
  }

  private record Identified(RedisConnection connection, Seen seen) {}
}
