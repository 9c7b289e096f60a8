package io.seckill.embedded;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How to run one server.
 *
 * @param label what it is called and what a user can do without it
 * @param folder holds the log and the lock; made when missing
 * @param port the port, or 0 to choose a free one
 * @param command makes the command line
 * @param environment variables added to this JVM's
 * @param probe tells when it is ready
 */
public record ServerPlan(
    Label label,
    Path folder,
    int port,
    Command command,
    Map<String, String> environment,
    Probe probe) {

  /** Checks the port and copies the environment. */
  public ServerPlan {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port must be 0..65535: " + port);
    }
    environment = Map.copyOf(environment);
  }

  /**
   * The server's name.
   *
   * @param name in lower case; also names the log file
   * @param instead a sentence that tells the user how to do without the embedded server
   */
  public record Label(String name, String instead) {}

  /** Makes the command line. */
  @FunctionalInterface
  public interface Command {
    /**
     * Returns the command line for this port. Called before each launch with the folder locked, so
     * it may prepare files.
     */
    List<String> line(int port) throws IOException;
  }

  /** Asks a server whether it is ready. */
  @FunctionalInterface
  public interface Probe {
    /**
     * Returns the server's version once the process {@code pid} answers on {@code port}; empty
     * while it does not, or when somebody else answers there. Must return within about a second. An
     * exception means the same as empty.
     */
    Optional<String> version(int port, long pid) throws IOException;
  }
}
