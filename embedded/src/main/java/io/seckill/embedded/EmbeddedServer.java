package io.seckill.embedded;

import java.nio.file.Path;
import java.time.Duration;

/**
 * A server process on loopback that this JVM owns.
 *
 * <p>All methods may be called from any thread; the ones that change the process block and run one
 * at a time. A server that is never closed ends with the JVM.
 */
public interface EmbeddedServer extends AutoCloseable {

  /** How long {@link #close} waits for a graceful end. */
  Duration STOP_BOUND = Duration.ofSeconds(10);

  /** Returns the host, always {@code 127.0.0.1}. */
  default String host() {
    return "127.0.0.1";
  }

  /** Returns the TCP port; it stays the same over {@link #restart()}. */
  int port();

  /** Returns the process id of the server, or of the last one when it is not running. */
  long pid();

  /** Returns the version that the server itself reported at its last start. */
  String version();

  /** Returns the folder that holds the data and the server's log. */
  Path dataFolder();

  /** Returns how long the last start took, from launching the process until it answered. */
  Duration startTime();

  /** Tells whether the process exists; a paused server is running. */
  boolean running();

  /**
   * Ends the process with SIGKILL, as a crash would, and waits until it is gone. Data that was not
   * synced may be lost.
   */
  void kill();

  /** Freezes the process with SIGSTOP: connections stay open and get no answers. */
  void pause();

  /** Lets a paused process go on. Does nothing when it is not paused. */
  void resume();

  /**
   * Starts the server again on the same port and folder, after a graceful stop if it is still
   * running. Returns when it answers.
   *
   * @throws EmbeddedServerException when it does not come up
   */
  void restart();

  /**
   * Stops the server gracefully, within 10 s; after that by SIGKILL. The data stays. Safe to call
   * twice.
   */
  @Override
  void close();
}
