package io.seckill.consumer;

import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.vertx.core.Future;

/** How this role says no to whoever asks over the bus. */
public final class Refusals {

  private Refusals() {}

  /** Says no, with a sentence of its own. */
  public static <T> Future<T> refuse(ErrorCode code, String detail) {
    return Future.failedFuture(new SeckillException(code, detail));
  }

  /** Says no, with the code's own sentence. */
  public static <T> Future<T> refuse(ErrorCode code) {
    return refuse(code, code.title());
  }
}
