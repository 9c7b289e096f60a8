package io.seckill.testkit;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Asks whether a Docker engine is there and has an image, by one small HTTP request.
 * Testcontainers' own search takes seconds and prints pages where there is none, and pulling an
 * image on a machine without a registry takes minutes, so an image that is not there counts as no
 * engine. {@code docker pull} makes it count; {@code -Dseckill.test.docker=off} makes it never
 * count.
 */
final class DockerEngine {

  private static final long BOUND_MS = 2_000;
  private static final int HEAD_BYTES = 64;
  private static final String DEFAULT_SOCKET = "unix:///var/run/docker.sock";

  private DockerEngine() {}

  static boolean hasImage(String image) {
    if (System.getProperty("seckill.test.docker", "").equals("off")) {
      return false;
    }
    String address = System.getenv().getOrDefault("DOCKER_HOST", DEFAULT_SOCKET);
    if (address.startsWith("unix://") && Files.notExists(Path.of(URI.create(address).getPath()))) {
      return false;
    }
    // The channel has no read time-out, so the request has a thread of its own.
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    Thread thread = new Thread(() -> answer.complete(askQuietly(address, image)), "testkit-docker");
    thread.setDaemon(true);
    thread.start();
    try {
      return answer.get(BOUND_MS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static boolean askQuietly(String address, String image) {
    try {
      return ask(URI.create(address), image);
    } catch (IOException | RuntimeException e) {
      return false;
    }
  }

  private static boolean ask(URI engine, String image) throws IOException {
    boolean unix = "unix".equals(engine.getScheme());
    SocketAddress address =
        unix
            ? UnixDomainSocketAddress.of(engine.getPath())
            : new InetSocketAddress(engine.getHost(), engine.getPort());
    try (SocketChannel channel =
        unix ? SocketChannel.open(StandardProtocolFamily.UNIX) : SocketChannel.open()) {
      channel.connect(address);
      String request =
          "GET /images/" + image + "/json HTTP/1.1\r\nHost: docker\r\nConnection: close\r\n\r\n";
      channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
      ByteBuffer head = ByteBuffer.allocate(HEAD_BYTES);
      while (head.hasRemaining() && channel.read(head) >= 0) {
        // Until the status line is here.
      }
      return new String(head.array(), 0, head.position(), StandardCharsets.US_ASCII)
          .startsWith("HTTP/1.1 200");
    }
  }
}
