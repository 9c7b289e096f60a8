package io.seckill.embedded;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * One server process and its watchdog.
 *
 * <p>The watchdog is a shell that reads from a pipe whose other end only this JVM holds. When the
 * JVM ends in any way, {@code kill -9} included, the pipe closes and the shell sends SIGKILL, which
 * also ends a stopped server. When the server ends first, the shell is told so and ends. There is
 * no shutdown hook on purpose: the JVM runs its hooks all at once, so one here would take the
 * servers away from under a program that is still finishing its work. Who wants a graceful stop
 * closes the server.
 */
final class ServerProcess {

  private static final String WATCHDOG =
      "trap '' INT TERM HUP; if read -r line && [ \"$line\" = done ]; then exit 0; fi; kill -KILL \"$1\" 2>/dev/null";
  private static final Duration KILL_BOUND = Duration.ofSeconds(10);

  /**
   * Keeps the pipes reachable: a collected pipe closes, and its watchdog would kill a server that
   * is in use.
   */
  private static final Set<ServerProcess> LIVE = ConcurrentHashMap.newKeySet();

  private final Process server;
  private final Process watchdog;

  private ServerProcess(Process server, Process watchdog) {
    this.server = server;
    this.watchdog = watchdog;
  }

  /**
   * Launches {@code command} in {@code folder} with both output streams appended to {@code log};
   * does not wait for it.
   */
  static ServerProcess launch(
      List<String> command, Map<String, String> environment, Path folder, Path log)
      throws IOException {
    ProcessBuilder builder = inOwnSession(command).directory(folder.toFile());
    builder.environment().putAll(environment);
    builder.redirectInput(new File("/dev/null"));
    builder
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    Process server = builder.start();
    try {
      ServerProcess process = new ServerProcess(server, watch(server.pid()));
      LIVE.add(process);
      server.onExit().thenRun(process::release);
      return process;
    } catch (IOException e) {
      server.destroyForcibly();
      throw e;
    }
  }

  private static Process watch(long pid) throws IOException {
    return inOwnSession(List.of("/bin/sh", "-c", WATCHDOG, "watchdog", Long.toString(pid)))
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private static ProcessBuilder inOwnSession(List<String> command) {
    List<String> line = new ArrayList<>(Platform.ownSession());
    line.addAll(command);
    return new ProcessBuilder(line);
  }

  private void release() {
    try (OutputStream pipe = watchdog.getOutputStream()) {
      pipe.write("done\n".getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      // The watchdog was killed by somebody: nothing is left to tell it.
      watchdog.destroyForcibly();
    }
    LIVE.remove(this);
  }

  long pid() {
    return server.pid();
  }

  long watchdogPid() {
    return watchdog.pid();
  }

  boolean alive() {
    return server.isAlive();
  }

  void kill() {
    server.destroyForcibly();
    if (!awaitExit(KILL_BOUND)) {
      throw new EmbeddedServerException("Process %d does not end after SIGKILL.".formatted(pid()));
    }
  }

  /** Asks the process to end, and kills it when it has not within {@code bound}. */
  void stop(Duration bound) {
    if (!alive()) {
      return;
    }
    resume();
    server.destroy();
    if (!awaitExit(bound)) {
      kill();
    }
  }

  void pause() {
    signal("STOP");
    long deadline = System.nanoTime() + KILL_BOUND.toNanos();
    while (!stopped()) {
      if (!alive() || System.nanoTime() - deadline > 0) {
        throw new EmbeddedServerException(
            "Process %d does not stop after SIGSTOP.".formatted(pid()));
      }
      Thread.onSpinWait();
    }
  }

  void resume() {
    signal("CONT");
  }

  /** SIGSTOP takes effect a moment later; Linux shows when. Elsewhere we take the signal's word. */
  private boolean stopped() {
    Path stat = Path.of("/proc", Long.toString(pid()), "stat");
    try {
      if (Files.notExists(stat)) {
        return alive();
      }
      String line = Files.readString(stat, StandardCharsets.ISO_8859_1);
      return line.charAt(line.lastIndexOf(')') + 2) == 'T';
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void signal(String name) {
    try {
      Process kill = new ProcessBuilder("/bin/sh", "-c", "kill -" + name + " " + pid()).start();
      int code = kill.waitFor();
      if (code != 0 && alive()) {
        throw new EmbeddedServerException(
            "kill -%s %d failed with code %d.".formatted(name, pid(), code));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EmbeddedServerException("Interrupted while sending SIG" + name + ".", e);
    }
  }

  private boolean awaitExit(Duration bound) {
    try {
      return server.waitFor(bound.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      // An interrupted caller wants to leave now: the rest is done by SIGKILL, which needs no
      // waiting.
      server.destroyForcibly();
      Thread.currentThread().interrupt();
      return true;
    }
  }
}
