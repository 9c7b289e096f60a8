package io.seckill.embedded;

import java.nio.file.Path;
import java.time.Duration;

/** A server whose process is a {@link ServerHost}'s business. */
abstract class HostedServer implements EmbeddedServer {

  private final ServerHost process;

  HostedServer(ServerHost process) {
    this.process = process;
  }

  /** The shell that ends the server when this JVM is gone. */
  long watchdogPid() {
    return process.watchdogPid();
  }

  @Override
  public final int port() {
    return process.port();
  }

  @Override
  public final long pid() {
    return process.pid();
  }

  @Override
  public final String version() {
    return process.version();
  }

  @Override
  public final Path dataFolder() {
    return process.dataFolder();
  }

  @Override
  public final Duration startTime() {
    return process.startTime();
  }

  @Override
  public final boolean running() {
    return process.running();
  }

  @Override
  public final void kill() {
    process.kill();
  }

  @Override
  public final void pause() {
    process.pause();
  }

  @Override
  public final void resume() {
    process.resume();
  }

  @Override
  public final void restart() {
    process.restart();
  }

  @Override
  public final void close() {
    process.close();
  }
}
