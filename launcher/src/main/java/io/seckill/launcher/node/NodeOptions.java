package io.seckill.launcher.node;

import java.util.Optional;

/**
 * How a node starts.
 *
 * @param runtime a Vert.x that is up already, which the node owns from then on and closes, also
 *     when its start fails; empty to let the node open one
 * @param startMs bound on the whole start, milliseconds
 */
public record NodeOptions(Optional<VertxRuntime> runtime, long startMs) {

  /** A cluster that forms and a ledger that migrates need their time; a minute is a fault. */
  private static final long START_MS = 60_000;

  /** A node that opens its own Vert.x. */
  public static NodeOptions defaults() {
    return new NodeOptions(Optional.empty(), START_MS);
  }

  /** A node on a Vert.x that is up already. */
  public static NodeOptions on(VertxRuntime runtime) {
    return new NodeOptions(Optional.of(runtime), START_MS);
  }
}
