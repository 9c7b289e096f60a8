package io.seckill.launcher.local;

import io.seckill.common.config.ConfigLoader;
import io.seckill.embedded.FileTrees;
import io.seckill.launcher.LaunchException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Systems of one's own for one command, in a fresh temporary folder and on free ports. Nothing of
 * them is left afterwards, also when the program is told to stop in the middle.
 */
public final class TemporaryStage implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(TemporaryStage.class);

  /** A start that is under way when the program is told to stop has to end first. */
  private static final long START_ENDS_WITHIN_S = 30;

  private final Path folder;
  private final Deque<CompletableFuture<AutoCloseable>> started = new ArrayDeque<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Thread onStop = new Thread(this::cleanUp, "clean-up");

  private TemporaryStage(Path folder) {
    this.folder = folder;
  }

  /**
   * Makes the folder.
   *
   * @param prefix of its name
   */
  public static TemporaryStage open(String prefix) {
    try {
      TemporaryStage stage = new TemporaryStage(Files.createTempDirectory(prefix));
      Runtime.getRuntime().addShutdownHook(stage.onStop);
      return stage;
    } catch (IOException e) {
      throw new LaunchException("cannot make a temporary folder (" + e + ")", e);
    }
  }

  /** The folder, deleted at the end. */
  public Path folder() {
    return folder;
  }

  /**
   * Starts something that the end of the stage closes, the latest first. For the thread of the
   * command.
   */
  public <T extends AutoCloseable> T start(Supplier<T> start) {
    CompletableFuture<AutoCloseable> starting = new CompletableFuture<>();
    synchronized (started) {
      started.push(starting);
    }
    try {
      T running = start.get();
      starting.complete(running);
      return running;
    } catch (RuntimeException e) {
      starting.completeExceptionally(e);
      throw e;
    }
  }

  /**
   * A whole system whose crowd comes from this process. The process' own configuration does not
   * reach it: it is the same everywhere and never touches a system that somebody uses.
   *
   * @param folder new or empty; deleted at the end
   * @param shards S
   */
  public static LocalOptions systemIn(Path folder, int shards) {
    return LocalOptions.in(folder)
        .thrownAway()
        .withLoader(ConfigLoader.ofNothing())
        .onFreePorts()
        .with(
            Map.of(
                "redis.shards",
                Integer.toString(shards),
                // Each buyer of the crowd stands behind this proxy with an address of his own.
                "gateway.trustedProxies",
                "127.0.0.1"));
  }

  @Override
  public void close() {
    cleanUp();
    try {
      Runtime.getRuntime().removeShutdownHook(onStop);
    } catch (IllegalStateException e) {
      // The program is being stopped, and the hook is what it waits for.
    }
  }

  private synchronized void cleanUp() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    while (true) {
      CompletableFuture<AutoCloseable> next;
      synchronized (started) {
        next = started.poll();
      }
      if (next == null) {
        break;
      }
      close(next);
    }
    try {
      if (Files.exists(folder)) {
        FileTrees.delete(folder);
      }
    } catch (IOException e) {
      throw new LaunchException("cannot delete " + folder + " (" + e + "): do it by hand", e);
    }
  }

  private void close(CompletableFuture<AutoCloseable> starting) {
    // The command's own thread comes here after its start has ended. The hook may come in the
    // middle of a start, and waits for it.
    if (Thread.currentThread() != onStop) {
      starting.cancel(false);
    }
    try {
      starting.get(START_ENDS_WITHIN_S, TimeUnit.SECONDS).close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException | ExecutionException | CancellationException e) {
      // It never started.
    } catch (Exception e) {
      LOG.warn("a part did not stop in order", e);
    }
  }
}
