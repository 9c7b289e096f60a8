package io.seckill.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the server of a {@link ServerPlan}: port, lock on the folder, start until ready, kill,
 * pause, restart, stop.
 */
public final class ServerHost implements EmbeddedServer {

  private static final Logger LOG = LoggerFactory.getLogger(ServerHost.class);

  /**
   * Loading a large append-only file or recovering after a crash may take this long; an empty
   * server needs about 1 s.
   */
  private static final Duration READY_BOUND = Duration.ofSeconds(60);

  /** After kill -9 the system may keep a port for a moment. */
  private static final Duration PORT_BOUND = Duration.ofSeconds(5);

  private static final int MAX_PORT_TRIES = 5;
  private static final int LOG_LINES = 12;
  private static final Pattern PORT_TAKEN =
      Pattern.compile("address already in use|failed listening on port", Pattern.CASE_INSENSITIVE);
  private static final Pattern MISSING_LIBRARY =
      Pattern.compile("error while loading shared libraries: (?:\\S*/)?([^:/\\s]+):");

  private final ServerPlan plan;
  private final FolderLock lock;
  private final Path log;
  private volatile int port;
  private volatile ServerProcess process;
  private volatile String version;
  private volatile Duration startTime;
  private boolean closed;

  private ServerHost(ServerPlan plan, FolderLock lock) {
    this.plan = plan;
    this.lock = lock;
    this.log = plan.folder().resolve(plan.label().name() + ".log");
  }

  /**
   * Starts the server and returns when it answers, at most 60 s later.
   *
   * @throws EmbeddedServerException when the folder or the port is taken, or the server does not
   *     come up; the message carries the last lines of its log
   */
  public static ServerHost start(ServerPlan plan) {
    ServerHost host;
    try {
      Files.createDirectories(plan.folder());
      host = new ServerHost(plan, FolderLock.take(plan.folder()));
    } catch (IOException e) {
      throw new EmbeddedServerException(
          "Cannot use the data folder %s: %s".formatted(plan.folder(), e), e);
    }
    try {
      host.startOnSomePort();
      return host;
    } catch (RuntimeException e) {
      host.unlock();
      throw e;
    }
  }

  private void startOnSomePort() {
    for (int tries = 1; ; tries++) {
      port = plan.port() != 0 ? plan.port() : FreePorts.choose();
      if (plan.port() != 0 && !FreePorts.free(port)) {
        throw portTaken();
      }
      if (launch()) {
        return;
      }
      if (plan.port() != 0 || tries == MAX_PORT_TRIES) {
        throw portTaken();
      }
    }
  }

  private EmbeddedServerException portTaken() {
    return new EmbeddedServerException(
        "Cannot start %s: port %d on 127.0.0.1 is taken by another program. Stop it, or choose another port (0 = any free one)."
            .formatted(plan.label().name(), port));
  }

  /** Returns false when the port was taken in between. */
  private boolean launch() {
    long begin = System.nanoTime();
    try {
      long logStart = Files.exists(log) ? Files.size(log) : 0;
      process =
          ServerProcess.launch(plan.command().line(port), plan.environment(), plan.folder(), log);
      Optional<String> answer = awaitReady(begin);
      if (answer.isPresent()) {
        version = answer.get();
        startTime = Duration.ofNanos(System.nanoTime() - begin);
        LOG.info(
            "{} {} on port {}, up in {} ms",
            plan.label().name(),
            version,
            port,
            startTime.toMillis());
        return true;
      }
      boolean exited = !process.alive();
      process.kill();
      String output = logSince(logStart);
      if (exited && PORT_TAKEN.matcher(output).find()) {
        return false;
      }
      throw failedStart(
          exited ? "it ended at once" : "it gave no answer for " + READY_BOUND.toSeconds() + " s",
          output);
    } catch (IOException e) {
      throw failedStart(e.toString(), "");
    } catch (InterruptedException e) {
      process.kill();
      Thread.currentThread().interrupt();
      throw new EmbeddedServerException(
          "Interrupted while starting %s.".formatted(plan.label().name()), e);
    }
  }

  private Optional<String> awaitReady(long begin) throws InterruptedException {
    while (process.alive() && System.nanoTime() - begin < READY_BOUND.toNanos()) {
      try {
        Optional<String> answer = plan.probe().version(port, process.pid());
        if (answer.isPresent()) {
          return answer;
        }
      } catch (IOException e) {
        LOG.trace("{} is not ready", plan.label().name(), e);
      }
      Thread.sleep(10);
    }
    return Optional.empty();
  }

  private EmbeddedServerException failedStart(String why, String output) {
    String name = plan.label().name();
    Matcher missing = MISSING_LIBRARY.matcher(output);
    String todo =
        missing.find()
            ? "The system library %s is missing: install it (Debian, Ubuntu: apt-get install %s). Or do without: "
                .formatted(missing.group(1), debianPackage(missing.group(1)))
            : "The whole log is " + log + ". To do without: ";
    return new EmbeddedServerException(
        "Cannot start %s: %s. %s%s%s"
            .formatted(
                name,
                why,
                todo,
                plan.label().instead(),
                output.isBlank() ? "" : "\nIts last lines:\n" + lastLines(output)));
  }

  /**
   * Debian drops the ".so." and, except after a digit, adds no dash: libssl.so.3 is in libssl3,
   * libaio.so.1 in libaio1.
   */
  private static String debianPackage(String library) {
    return library.replace(".so.", "").replaceAll("[^A-Za-z0-9.+-]", "");
  }

  private String logSince(long start) throws IOException {
    if (Files.notExists(log)) {
      return "";
    }
    byte[] bytes = Files.readAllBytes(log);
    int from = (int) Math.min(start, bytes.length);
    return new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8);
  }

  private static String lastLines(String output) {
    List<String> lines = output.lines().toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
  }

  @Override
  public int port() {
    return port;
  }

  @Override
  public long pid() {
    return process.pid();
  }

  /** The shell that ends the server when this JVM is gone. */
  long watchdogPid() {
    return process.watchdogPid();
  }

  @Override
  public String version() {
    return version;
  }

  @Override
  public Path dataFolder() {
    return plan.folder();
  }

  @Override
  public Duration startTime() {
    return startTime;
  }

  @Override
  public boolean running() {
    return process.alive();
  }

  @Override
  public synchronized void kill() {
    process.kill();
  }

  @Override
  public synchronized void pause() {
    process.pause();
  }

  @Override
  public synchronized void resume() {
    process.resume();
  }

  @Override
  public synchronized void restart() {
    if (closed) {
      throw new IllegalStateException(plan.label().name() + " is closed");
    }
    process.stop(STOP_BOUND);
    try {
      if (!FreePorts.awaitFree(port, PORT_BOUND) || !launch()) {
        throw portTaken();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EmbeddedServerException(
          "Interrupted while restarting %s.".formatted(plan.label().name()), e);
    }
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      process.stop(STOP_BOUND);
      unlock();
    }
  }

  private void unlock() {
    try {
      lock.close();
    } catch (IOException e) {
      LOG.debug("lock of {}", plan.folder(), e);
    }
  }
}
