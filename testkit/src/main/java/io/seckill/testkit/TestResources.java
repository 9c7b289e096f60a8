package io.seckill.testkit;

import io.seckill.embedded.EmbeddedServer;
import io.seckill.embedded.FileTrees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What this JVM's tests have started, and its end with the JVM: servers are killed, temporary
 * folders deleted.
 */
final class TestResources {

  private static final Queue<EmbeddedServer> SERVERS = new ConcurrentLinkedQueue<>();
  private static final Queue<Path> FOLDERS = new ConcurrentLinkedQueue<>();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(TestResources::end, "testkit-end"));
  }

  private TestResources() {}

  /** Makes a folder that is deleted when the JVM ends. */
  static Path temporaryFolder(String name) {
    try {
      Path folder = Files.createTempDirectory("seckill-" + name + "-");
      FOLDERS.add(folder);
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sees to it that the server ends before its folder is deleted. */
  static <S extends EmbeddedServer> S owned(S server) {
    SERVERS.add(server);
    return server;
  }

  static void announce(String what, String version, String how, String address) {
    System.out.printf("[testkit] %s %s, %s, at %s%n", what, version, how, address);
  }

  private static void end() {
    // The data is thrown away, so there is no need for a graceful stop.
    for (EmbeddedServer server : SERVERS) {
      try {
        server.kill();
      } catch (RuntimeException e) {
        System.err.println("[testkit] " + e);
      }
    }
    for (Path folder : FOLDERS) {
      try {
        FileTrees.delete(folder);
      } catch (IOException e) {
        System.err.println("[testkit] cannot delete " + folder + ": " + e);
      }
    }
  }
}
