package io.seckill.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One connection through a {@link FaultProxy}: a thread forwards requests, one reads replies, one
 * writes them when their time has come.
 */
final class FaultProxyLink {

  static final int MAX_PATTERN = 1_024;

  private static final int CHUNK = 16_384;
  private static final int MAX_CHUNKS_IN_FLIGHT = 1_024;
  private static final int TICK_MS = 10;
  private static final int CONNECT_BOUND_MS = 2_000;

  /**
   * A doomed connection is cut when the server has answered and both ways were still for this long,
   * …
   */
  private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

  /** … and at the latest this long after the answer began, under endless traffic. */
  private static final long DOOM_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final FaultProxy proxy;
  private final Socket client;
  private final Socket server = new Socket();
  private final BlockingQueue<Chunk> replies = new ArrayBlockingQueue<>(MAX_CHUNKS_IN_FLIGHT);
  private final AtomicBoolean over = new AtomicBoolean();

  private volatile boolean doomed;
  private volatile long lastByteNanos;

  FaultProxyLink(FaultProxy proxy, Socket client) {
    this.proxy = proxy;
    this.client = client;
  }

  /** Bytes for the client, due at a moment of {@link System#nanoTime()}; no bytes mean the end. */
  private record Chunk(ByteBuffer bytes, long dueNanos) {}

  /** A step that moves bytes until the connection ends. */
  @FunctionalInterface
  private interface Pump {
    void run() throws IOException, InterruptedException;
  }

  void start() {
    proxy.opened(this);
    FaultProxy.daemon("proxy-requests", () -> guarded(this::connectAndForward));
  }

  private void guarded(Pump pump) {
    try {
      pump.run();
    } catch (IOException e) {
      cut();
    } catch (InterruptedException e) {
      cut();
      Thread.currentThread().interrupt();
    }
  }

  private void connectAndForward() throws IOException, InterruptedException {
    proxy.gate().pass();
    client.setTcpNoDelay(true);
    server.setTcpNoDelay(true);
    server.setSoTimeout(TICK_MS);
    server.connect(proxy.server(), CONNECT_BOUND_MS);
    FaultProxy.daemon("proxy-replies", () -> guarded(this::readReplies));
    FaultProxy.daemon("proxy-writer", () -> guarded(this::writeReplies));
    forwardRequests();
  }

  private void forwardRequests() throws IOException, InterruptedException {
    InputStream in = client.getInputStream();
    OutputStream out = server.getOutputStream();
    byte[] chunk = new byte[CHUNK];
    String tail = "";
    int length;
    while ((length = in.read(chunk)) >= 0) {
      proxy.gate().pass();
      String window = tail + new String(chunk, 0, length, StandardCharsets.ISO_8859_1);
      FaultProxy.Loss loss = proxy.loss();
      if (!doomed && endsInNewBytes(window, tail.length(), loss.pattern()) && loss.take()) {
        if (loss.beforeServer()) {
          // Counted first: whoever sees the reset may ask for the count.
          proxy.counted();
          cut();
          return;
        }
        doomed = true;
      }
      lastByteNanos = System.nanoTime();
      out.write(chunk, 0, length);
      tail = window.substring(Math.max(0, window.length() - MAX_PATTERN + 1));
    }
    server.shutdownOutput();
  }

  /**
   * The pattern may begin before the new bytes, which start at {@code newFrom}, but must end in
   * them.
   */
  private static boolean endsInNewBytes(String window, int newFrom, String pattern) {
    return !pattern.isEmpty()
        && window.indexOf(pattern, Math.max(0, newFrom - pattern.length() + 1)) >= 0;
  }

  private void readReplies() throws IOException, InterruptedException {
    InputStream in = server.getInputStream();
    byte[] chunk = new byte[CHUNK];
    long answeredNanos = 0;
    boolean answered = false;
    while (true) {
      int length = 0;
      try {
        length = in.read(chunk);
      } catch (SocketTimeoutException e) {
        // A tick: time to look whether a doomed connection is quiet.
      }
      long now = System.nanoTime();
      if (length > 0 && doomed) {
        answeredNanos = answered ? answeredNanos : now;
        answered = true;
        lastByteNanos = now;
      } else if (length > 0) {
        proxy.gate().pass();
        replies.put(
            new Chunk(ByteBuffer.wrap(Arrays.copyOf(chunk, length)), now + proxy.latencyNanos()));
      }
      if (answered
          && (length < 0
              || now - lastByteNanos > QUIET_NANOS
              || now - answeredNanos > DOOM_NANOS)) {
        proxy.counted();
        cut();
        return;
      }
      if (length < 0) {
        replies.put(new Chunk(ByteBuffer.allocate(0), now + proxy.latencyNanos()));
        return;
      }
    }
  }

  private void writeReplies() throws IOException, InterruptedException {
    OutputStream out = client.getOutputStream();
    while (!over.get()) {
      Chunk chunk = replies.poll(TICK_MS, TimeUnit.MILLISECONDS);
      if (chunk == null) {
        continue;
      }
      TimeUnit.NANOSECONDS.sleep(chunk.dueNanos() - System.nanoTime());
      proxy.gate().pass();
      if (!chunk.bytes().hasRemaining()) {
        end();
        return;
      }
      out.write(chunk.bytes().array());
    }
  }

  /** The server has closed: so do we, in order. */
  private void end() throws IOException {
    if (over.compareAndSet(false, true)) {
      client.close();
      server.close();
      proxy.ended(this);
    }
  }

  /** Resets both sides. */
  void cut() {
    if (over.compareAndSet(false, true)) {
      FaultProxy.reset(client);
      FaultProxy.reset(server);
      replies.clear();
      proxy.ended(this);
    }
  }
}
