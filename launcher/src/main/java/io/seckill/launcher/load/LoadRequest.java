package io.seckill.launcher.load;

import io.vertx.core.buffer.Buffer;

/** One request that a {@link LoadLane} sends. All methods run on the lane's event loop. */
public interface LoadRequest {

  /** The whole request, head and body, fresh each time: a buffer that was sent is spent. */
  Buffer render();

  /**
   * The answer has come.
   *
   * @param answer valid only during this call
   * @param sentNs when it was written, {@link System#nanoTime}
   * @param nowNs when the last byte of the answer was there
   */
  void answered(HttpAnswer answer, long sentNs, long nowNs);

  /**
   * There will be no answer: the connection broke, the time was over, or what came was no HTTP.
   * What the server did is not known.
   *
   * @param why for people
   */
  void broken(String why);
}
