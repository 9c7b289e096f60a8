package io.seckill.launcher.demo;

import io.seckill.common.config.ConfigLoader;
import io.seckill.embedded.FileTrees;
import io.seckill.launcher.LaunchException;
import io.seckill.launcher.local.LocalOptions;
import io.seckill.launcher.local.LocalStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A system of its own for one demo, in a fresh temporary folder and on free ports. Nothing of it is
 * left afterwards, also when the program is told to stop in the middle.
 */
final class DemoStage implements AutoCloseable {

  /** A start that is under way when the program is told to stop has to end first. */
  private static final long START_ENDS_WITHIN_S = 30;

  private final Path folder;
  private final CompletableFuture<LocalStack> started = new CompletableFuture<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Thread onStop = new Thread(this::cleanUp, "demo-clean-up");

  private DemoStage(Path folder) {
    this.folder = folder;
  }

  /** Makes the folder. */
  static DemoStage open() {
    try {
      DemoStage stage = new DemoStage(Files.createTempDirectory("seckill-demo-"));
      Runtime.getRuntime().addShutdownHook(stage.onStop);
      return stage;
    } catch (IOException e) {
      throw new LaunchException("cannot make a temporary folder (" + e + ")", e);
    }
  }

  /**
   * Starts the system. The process' own configuration does not reach it: a demo is the same
   * everywhere and never touches a system that somebody uses.
   */
  LocalStack start(int shards) {
    try {
      LocalStack stack = LocalStack.start(systemIn(folder, shards));
      started.complete(stack);
      return stack;
    } catch (RuntimeException e) {
      started.completeExceptionally(e);
      throw e;
    }
  }

  /**
   * What a demo runs on.
   *
   * @param folder new or empty; deleted at the end
   * @param shards S
   */
  static LocalOptions systemIn(Path folder, int shards) {
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
    LocalStack stack = startedStack();
    if (stack != null) {
      stack.close();
    }
    try {
      if (Files.exists(folder)) {
        FileTrees.delete(folder);
      }
    } catch (IOException e) {
      throw new LaunchException("cannot delete " + folder + " (" + e + "): do it by hand", e);
    }
  }

  /** Null when it never started. */
  private LocalStack startedStack() {
    // The command's own thread comes here after its start has ended, so one without a result was
    // never begun. The hook may come in the middle of a start, and waits for it.
    if (Thread.currentThread() != onStop) {
      started.cancel(false);
    }
    try {
      return started.get(START_ENDS_WITHIN_S, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    } catch (TimeoutException | ExecutionException | CancellationException e) {
      return null;
    }
  }
}
