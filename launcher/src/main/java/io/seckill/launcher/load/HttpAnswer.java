package io.seckill.launcher.load;

import io.vertx.core.buffer.Buffer;

/**
 * One answer, as it lies in the connection's own memory: valid only inside {@link
 * LoadRequest#answered}, and only on its event loop.
 */
public interface HttpAnswer {

  /** The status code, 100 … 599. */
  int status();

  /** {@code Retry-After} in milliseconds; −1 when the answer has none. */
  long retryAfterMs();

  /** Bytes of the body. */
  int bodyLength();

  /** Whether the body is byte for byte this. */
  boolean bodyEquals(byte[] other);

  /** A copy of the body. */
  Buffer body();
}
