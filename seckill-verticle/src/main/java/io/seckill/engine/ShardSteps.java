package io.seckill.engine;

import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.lua.FenceStatus;
import io.seckill.lua.RedisLink;
import io.seckill.lua.StepResult;
import io.vertx.core.Future;

/** Makes one change of one shard, and lets the shard's session know what its refusal says. */
final class ShardSteps {

  private ShardSteps() {}

  /** A script call under an epoch. */
  @FunctionalInterface
  interface Call {

    /** Makes the call. */
    Future<StepResult> make(RedisLink link, long epoch);
  }

  /**
   * Makes the call. Succeeds when the change is there, or a newer one; fails with UNAVAILABLE and
   * the reason otherwise.
   *
   * @param what the change, for people
   */
  static Future<StepResult> run(ShardSession session, String what, Call call) {
    return call(session, call)
        .compose(
            result ->
                switch (result.status()) {
                  // A newer generation is there: somebody went further, which is as good.
                  case OK, ALREADY, STALE, MORE -> Future.succeededFuture(result);
                  default ->
                      unavailable(
                          "shard "
                              + session.shard()
                              + " refused "
                              + what
                              + " as "
                              + result.status());
                });
  }

  /**
   * Makes the call. Succeeds with what the script says of the change; fails with UNAVAILABLE when
   * it said nothing, or when the shard has to be opened again.
   */
  static Future<StepResult> call(ShardSession session, Call call) {
    RedisLink link = session.openLink().orElse(null);
    if (link == null) {
      return unavailable("shard " + session.shard() + " is not open");
    }
    return call.make(link, session.epoch())
        .recover(failure -> unavailable("shard " + session.shard() + ": " + failure.getMessage()))
        .compose(
            result ->
                switch (result.status()) {
                  case FENCED, FROZEN, EXPIRED -> {
                    session.refused(FenceStatus.valueOf(result.status().name()));
                    yield unavailable("shard " + session.shard() + " is being opened again");
                  }
                  case LOST -> {
                    session.refused(FenceStatus.FROZEN);
                    yield unavailable("shard " + session.shard() + " has lost keys");
                  }
                  default -> Future.succeededFuture(result);
                });
  }

  private static <T> Future<T> unavailable(String detail) {
    return Future.failedFuture(new SeckillException(ErrorCode.UNAVAILABLE, detail));
  }
}
