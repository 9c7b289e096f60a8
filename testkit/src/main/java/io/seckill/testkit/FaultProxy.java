package io.seckill.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A TCP proxy on loopback in front of one server, which spoils connections on demand: late replies,
 * cut or refused connections, a black hole, and the two losses that matter most: a request that
 * never arrived, and a reply that was lost after the server had done its work. At first it only
 * forwards. It knows no protocol: a request is recognised by its bytes.
 *
 * <p>All methods may be called from any thread, also while traffic flows.
 */
public final class FaultProxy implements AutoCloseable {

  private static final int BACKLOG = 511;

  /** Leaving accept takes no longer than the next time slice. */
  private static final long ACCEPTOR_END_MS = 5_000;

  private final InetSocketAddress server;
  private final int port;
  private final Set<FaultProxyLink> links = ConcurrentHashMap.newKeySet();
  private final AtomicInteger lost = new AtomicInteger();

  /** Opened by {@link #heal()}; while it is closed no byte passes. */
  private final Gate gate = new Gate();

  private volatile long latencyNanos;
  private volatile Loss loss = Loss.NONE;
  private volatile ServerSocket listener;
  private volatile Thread acceptor;
  private volatile boolean closed;

  private FaultProxy(InetSocketAddress server) throws IOException {
    this.server = server;
    this.listener = listen(0);
    this.port = listener.getLocalPort();
  }

  /** Starts a proxy in front of the server at this address, on a port that the system chooses. */
  public static FaultProxy before(String host, int port) {
    try {
      FaultProxy proxy =
          new FaultProxy(new InetSocketAddress(InetAddress.getAllByName(host)[0], port));
      proxy.acceptFrom(proxy.listener);
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts a proxy in front of this Redis. */
  public static FaultProxy before(RedisAddress redis) {
    return before(redis.host(), redis.port());
  }

  /** Returns the host to connect to instead of the server's. */
  public String host() {
    return "127.0.0.1";
  }

  /** Returns the port to connect to instead of the server's; it never changes. */
  public int port() {
    return port;
  }

  /**
   * Holds each reply back for this long, without slowing the stream otherwise: a longer way, not a
   * narrower one.
   */
  public void latency(Duration latency) {
    latencyNanos = latency.toNanos();
  }

  /** Resets all connections now. New ones are accepted. */
  public void cutConnections() {
    links.forEach(FaultProxyLink::cut);
  }

  /** Refuses new connections from now on. The open ones live on. */
  public synchronized void refuseConnections() {
    closeListener();
  }

  /**
   * Swallows the network: connections stay open and new ones are accepted, but no byte passes in
   * either direction. Bytes sent meanwhile arrive after {@link #heal()}, as TCP would send them
   * again.
   */
  public void blackhole() {
    gate.close();
  }

  /**
   * Loses the replies to the next {@code count} requests that contain {@code pattern}: each such
   * request reaches the server, the server answers, and then the connection is reset before its
   * answer passes. Replies on the same connection that come after the match is forwarded are lost
   * too. It counts one match a connection.
   */
  public void loseReplies(int count, String pattern) {
    loss = new Loss(latin1(pattern), new AtomicInteger(count), false);
  }

  /**
   * Loses the next {@code count} requests that contain {@code pattern}: the connection is reset
   * before the server sees them.
   */
  public void loseRequests(int count, String pattern) {
    loss = new Loss(latin1(pattern), new AtomicInteger(count), true);
  }

  /** One char a byte, as the links look at the stream. */
  private static String latin1(String pattern) {
    byte[] bytes = pattern.getBytes(StandardCharsets.UTF_8);
    if (bytes.length == 0 || bytes.length > FaultProxyLink.MAX_PATTERN) {
      throw new IllegalArgumentException(
          "the pattern must have 1.." + FaultProxyLink.MAX_PATTERN + " bytes");
    }
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /** Ends all faults: no latency, no losses, new connections welcome, held bytes delivered. */
  public synchronized void heal() {
    latencyNanos = 0;
    loss = Loss.NONE;
    gate.open();
    if (listener.isClosed() && !closed) {
      try {
        listener = listen(port);
        acceptFrom(listener);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /**
   * Returns how many requests or replies were lost by {@link #loseRequests} and {@link
   * #loseReplies} so far.
   */
  public int losses() {
    return lost.get();
  }

  /** Returns how many connections are open. */
  public int connections() {
    return links.size();
  }

  /** Resets all connections and stops listening. */
  @Override
  public synchronized void close() {
    closed = true;
    closeListener();
    cutConnections();
    gate.open();
  }

  private void closeListener() {
    try {
      listener.close();
      // Until its thread has left accept the kernel goes on taking connections, and so may it.
      acceptor.join(ACCEPTOR_END_MS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static ServerSocket listen(int port) throws IOException {
    ServerSocket socket = new ServerSocket();
    socket.setReuseAddress(true);
    socket.bind(
        new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port), BACKLOG);
    return socket;
  }

  private void acceptFrom(ServerSocket socket) {
    acceptor = daemon("proxy-accept", () -> accept(socket));
  }

  private void accept(ServerSocket socket) {
    while (!socket.isClosed()) {
      try {
        FaultProxyLink link = new FaultProxyLink(this, socket.accept());
        link.start();
        // Closed meanwhile: an accept that had begun took one connection more.
        if (socket.isClosed()) {
          link.cut();
        }
      } catch (IOException e) {
        // The listener was closed: new connections are refused from here on.
        return;
      }
    }
  }

  static Thread daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  InetSocketAddress server() {
    return server;
  }

  long latencyNanos() {
    return latencyNanos;
  }

  Loss loss() {
    return loss;
  }

  Gate gate() {
    return gate;
  }

  void opened(FaultProxyLink link) {
    links.add(link);
    if (closed) {
      link.cut();
    }
  }

  void ended(FaultProxyLink link) {
    links.remove(link);
  }

  void counted() {
    lost.incrementAndGet();
  }

  /** What to lose: {@code left} more requests that contain {@code pattern}, or their replies. */
  record Loss(String pattern, AtomicInteger left, boolean beforeServer) {
    static final Loss NONE = new Loss("", new AtomicInteger(), false);

    /** Takes one of the losses that are left. */
    boolean take() {
      return left.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
    }
  }

  /** Holds threads back while it is closed. */
  static final class Gate {
    private boolean closed;

    synchronized void close() {
      closed = true;
    }

    synchronized void open() {
      closed = false;
      notifyAll();
    }

    synchronized void pass() throws InterruptedException {
      while (closed) {
        wait();
      }
    }
  }

  /**
   * Closes with a reset, so that the other side sees a broken connection and not an orderly end.
   */
  static void reset(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
    } catch (IOException e) {
      // It is closed already; closing again does no harm.
    }
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
