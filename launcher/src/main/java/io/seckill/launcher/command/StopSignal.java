package io.seckill.launcher.command;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * SIGTERM and Ctrl-C as an orderly stop: the thread that runs the program is told, stops everything
 * itself, and the JVM waits for it, within a bound.
 */
final class StopSignal {

  private final Thread program = Thread.currentThread();
  private final AtomicBoolean starting = new AtomicBoolean(true);
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch stopped = new CountDownLatch(1);

  /**
   * Listens from now on, for the calling thread: until {@link #started()} it is interrupted.
   *
   * @param boundMs how long the JVM waits for {@link #stopped()}; what runs then is cut off
   */
  static StopSignal listen(long boundMs) {
    StopSignal signal = new StopSignal();
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> signal.stopWithin(boundMs), "orderly-stop"));
    return signal;
  }

  private void stopWithin(long boundMs) {
    if (stopped.getCount() == 0) {
      return; // The program ends by itself.
    }
    asked.countDown();
    if (starting.getAndSet(false)) {
      program.interrupt();
    }
    try {
      boolean inOrder = stopped.await(boundMs, TimeUnit.MILLISECONDS);
      // The exit code says how the stop went, not which signal asked for it.
      Runtime.getRuntime().halt(inOrder ? 0 : 1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The start is done: from now on the program waits for the signal itself. */
  void started() {
    starting.set(false);
  }

  /** Whether somebody has asked the program to stop. */
  boolean isAsked() {
    return asked.getCount() == 0;
  }

  /** Waits until somebody asks the program to stop. */
  void await() throws InterruptedException {
    asked.await();
  }

  /** Everything is stopped. */
  void stopped() {
    stopped.countDown();
  }
}
