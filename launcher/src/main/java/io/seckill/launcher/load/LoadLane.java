package io.seckill.launcher.load;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Keep-alive connections to one server, each with one request under way at a time, all on one event
 * loop. A connection that is idle pulls the next request from the source: a closed loop, so its
 * latencies say nothing about a queue before the connections.
 *
 * <p>Raw sockets and a reader of our own cost about a third of a full HTTP client; on shared cores
 * that is the server's.
 *
 * <p>Made and used on one event loop only.
 */
public final class LoadLane {

  /**
   * No answer within this is a hang, which promise I5 rules out. Far above the gateway's own budget
   * for a purchase.
   */
  private static final long ANSWER_TIMEOUT_NS = 10_000_000_000L;

  private static final long SWEEP_MS = 500;
  private static final long RECONNECT_MS = 50;
  private static final long MAX_RECONNECT_MS = 1_000;

  private final Vertx vertx;
  private final NetClient client;
  private final SocketAddress target;
  private final Supplier<LoadRequest> source;
  private final List<Connection> connections = new ArrayList<>();
  private final ArrayDeque<Connection> idle = new ArrayDeque<>();
  private long sweeper = -1;
  private boolean started;
  private boolean closed;

  /**
   * A lane without connections.
   *
   * @param vertx whose event loop this is called on
   * @param client makes the connections; the caller closes it
   * @param target the server
   * @param source the next request, or null when there is none now: then {@link #wake} must follow
   *     when there is
   */
  public LoadLane(
      Vertx vertx, NetClient client, SocketAddress target, Supplier<LoadRequest> source) {
    this.vertx = vertx;
    this.client = client;
    this.target = target;
    this.source = source;
  }

  /**
   * Opens the connections; nothing is sent yet.
   *
   * @param count how many
   * @return fails when one cannot be opened
   */
  public Future<Void> open(int count) {
    List<Future<Void>> opened = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Connection connection = new Connection();
      connections.add(connection);
      opened.add(connection.open());
    }
    sweeper = vertx.setPeriodic(SWEEP_MS, id -> sweep());
    return Future.all(opened).mapEmpty();
  }

  /** Sends: from now on every connection pulls. */
  public void start() {
    started = true;
    wake();
  }

  /** Work has appeared: connections that found none pull again. */
  public void wake() {
    for (int i = idle.size(); i > 0 && !idle.isEmpty(); i--) {
      if (!idle.poll().pull()) {
        return;
      }
    }
  }

  /** Closes all connections; requests under way are dropped without a word. */
  public Future<Void> close() {
    closed = true;
    vertx.cancelTimer(sweeper);
    List<Future<Void>> ends = new ArrayList<>();
    for (Connection connection : connections) {
      ends.add(connection.close());
    }
    return Future.join(ends).<Void>mapEmpty().recover(e -> Future.succeededFuture());
  }

  private void sweep() {
    long now = System.nanoTime();
    for (Connection connection : connections) {
      connection.expire(now);
    }
  }

  /** One socket after another, and at most one request on it. */
  private final class Connection {

    private final AnswerReader reader = new AnswerReader();
    private NetSocket socket;
    private LoadRequest request;
    private long sentNs;
    private long reconnectMs = RECONNECT_MS;

    Future<Void> open() {
      return client.connect(target).map(this::opened);
    }

    private Void opened(NetSocket fresh) {
      if (closed) {
        fresh.close();
        return null;
      }
      socket = fresh;
      reader.clear();
      fresh.handler(data -> received(fresh, data));
      fresh.exceptionHandler(e -> lost(fresh, String.valueOf(e.getMessage())));
      fresh.closeHandler(v -> lost(fresh, "closed by the server"));
      if (started) {
        pull();
      } else {
        idle.add(this);
      }
      return null;
    }

    /** Takes the next request; returns false when there is none. */
    boolean pull() {
      if (closed || socket == null) {
        return true; // comes back when it is connected again
      }
      LoadRequest next = source.get();
      if (next == null) {
        idle.push(this);
        return false;
      }
      request = next;
      Buffer bytes = next.render();
      sentNs = System.nanoTime();
      socket.write(bytes);
      return true;
    }

    private void received(NetSocket from, Buffer data) {
      if (from != socket) {
        return;
      }
      boolean whole;
      try {
        if (request == null) {
          throw new MalformedAnswerException("an answer that nobody asked for");
        }
        whole = reader.offer(data);
      } catch (MalformedAnswerException e) {
        lost(from, e.getMessage());
        return;
      }
      if (whole) {
        finish();
      }
    }

    private void finish() {
      LoadRequest done = request;
      request = null;
      reconnectMs = RECONNECT_MS;
      done.answered(reader, sentNs, System.nanoTime());
      boolean closes = reader.closes();
      reader.clear();
      if (closes) {
        drop();
        reconnect();
      } else {
        pull();
      }
    }

    private void lost(NetSocket which, String why) {
      if (which != socket || closed) {
        return;
      }
      idle.remove(this);
      LoadRequest hurt = request;
      request = null;
      drop();
      reconnectLater();
      if (hurt != null) {
        hurt.broken(why);
      }
    }

    void expire(long now) {
      if (request != null && now - sentNs > ANSWER_TIMEOUT_NS) {
        lost(socket, "no answer within " + ANSWER_TIMEOUT_NS / 1_000_000 + " ms");
      }
    }

    private void drop() {
      NetSocket old = socket;
      socket = null;
      if (old != null) {
        old.close();
      }
    }

    private void reconnect() {
      if (!closed) {
        open().onFailure(e -> reconnectLater());
      }
    }

    /** Ever later until there is an answer again; ends when the owner closes the lane. */
    private void reconnectLater() {
      vertx.setTimer(reconnectMs, id -> reconnect());
      reconnectMs = Math.min(reconnectMs * 2, MAX_RECONNECT_MS);
    }

    Future<Void> close() {
      return socket == null ? Future.succeededFuture() : socket.close();
    }
  }
}
