package io.seckill.launcher.bench;

import io.seckill.launcher.LaunchException;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The first baseline: {@link PlainScript} over connections with one call in flight on each, as a
 * pool of a usual client makes them. One thread and one selector serve all of them, with ready-made
 * requests: no client library costs less, and on two cores that is the server's.
 */
final class PlainClients implements AutoCloseable {

  private static final int BUFFER = 1_024;
  private static final long SELECT_BOUND_MS = 10_000;
  private static final byte[] CRLF = PlainScript.bytes("\r\n");

  private final List<Connection> connections = new ArrayList<>();
  private final Selector selector;
  private final boolean waits;

  /**
   * Connects.
   *
   * @param count connections
   * @param waits whether each call is followed by WAIT for one replica before it counts
   */
  PlainClients(BenchRedis redis, int count, boolean waits) {
    this.waits = waits;
    try {
      selector = Selector.open();
      for (int i = 0; i < count; i++) {
        connections.add(new Connection(redis));
      }
    } catch (IOException e) {
      throw new LaunchException("cannot connect to Redis (" + e + ")", e);
    }
  }

  /**
   * Sells for a while, on the caller's thread.
   *
   * @param buyers the start of the buyers' names; each buys once
   */
  Rate run(PlainScript.Sale sale, String buyers, Bounds bounds) {
    try {
      return new Run(sale, buyers, bounds).run();
    } catch (IOException e) {
      throw new LaunchException("the baseline failed (" + e + ")", e);
    }
  }

  @Override
  public void close() {
    try {
      for (Connection connection : connections) {
        connection.channel.close();
      }
      selector.close();
    } catch (IOException e) {
      throw new LaunchException("cannot close connections to Redis", e);
    }
  }

  /** One socket with its call. */
  private final class Connection {

    private final SocketChannel channel;
    private final SelectionKey key;
    private final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER);
    private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER);

    Connection(BenchRedis redis) throws IOException {
      channel = SocketChannel.open(new InetSocketAddress(redis.host(), redis.port()));
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.configureBlocking(false);
      key = channel.register(selector, SelectionKey.OP_READ, this);
    }

    void send(byte[] head, byte[] user, byte[] tail) throws IOException {
      out.clear();
      out.put(head);
      bulk(user);
      out.put(tail);
      out.flip();
      // A few hundred bytes always fit into an idle socket's buffer.
      while (out.hasRemaining()) {
        channel.write(out);
      }
      in.clear();
    }

    private void bulk(byte[] word) {
      out.put((byte) '$').put(PlainScript.bytes(Integer.toString(word.length))).put(CRLF);
      out.put(word).put(CRLF);
    }

    /** The script's answer, or −1 while something is missing. */
    int receive() throws IOException {
      if (channel.read(in) < 0) {
        throw new EOFException("Redis closed the connection");
      }
      int lines = 0;
      for (int i = 0; i < in.position(); i++) {
        lines += in.get(i) == '\n' ? 1 : 0;
      }
      if (lines < (waits ? 2 : 1)) {
        return -1;
      }
      if (in.get(0) != ':') {
        byte[] said = new byte[in.position()];
        in.flip().get(said);
        throw new IOException(new String(said, StandardCharsets.UTF_8).strip());
      }
      return in.get(1) - '0';
    }
  }

  /** One measurement. */
  private final class Run {

    private final byte[] head;
    private final byte[] tail;
    private final String buyers;
    private final Bounds bounds;
    private final long startNs = System.nanoTime();
    private long sent;
    private long answered;
    private long wins;

    Run(PlainScript.Sale sale, String buyers, Bounds bounds) {
      StringBuilder text = new StringBuilder("*8\r\n$7\r\nEVALSHA\r\n");
      for (byte[] word : sale.words()) {
        append(text, new String(word, StandardCharsets.US_ASCII));
      }
      head = PlainScript.bytes(text.toString());
      text.setLength(0);
      append(text, new String(PlainScript.ITEM, StandardCharsets.US_ASCII));
      if (waits) {
        text.append("*3\r\n");
        append(text, "WAIT");
        append(text, "1");
        append(text, "1000");
      }
      tail = PlainScript.bytes(text.toString());
      this.buyers = buyers;
      this.bounds = bounds;
    }

    private void append(StringBuilder text, String word) {
      text.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
    }

    Rate run() throws IOException {
      long untilNs = startNs + bounds.time().toNanos();
      for (Connection connection : connections) {
        next(connection, startNs, untilNs);
      }
      long now = startNs;
      while (answered < sent) {
        if (selector.select(SELECT_BOUND_MS) == 0) {
          throw new IOException(
              "no answer within " + Duration.ofMillis(SELECT_BOUND_MS).toSeconds() + " s");
        }
        now = System.nanoTime();
        for (SelectionKey ready : selector.selectedKeys()) {
          Connection connection = (Connection) ready.attachment();
          int answer = connection.receive();
          if (answer >= 0) {
            answered++;
            wins += answer == PlainScript.WON ? 1 : 0;
            next(connection, now, untilNs);
          }
        }
        selector.selectedKeys().clear();
      }
      return new Rate(answered, wins, (System.nanoTime() - startNs) / 1e9);
    }

    private void next(Connection connection, long now, long untilNs) throws IOException {
      if (now < untilNs && sent < bounds.purchases() && connection.key.isValid()) {
        connection.send(head, PlainScript.bytes(buyers + sent), tail);
        sent++;
      }
    }
  }
}
