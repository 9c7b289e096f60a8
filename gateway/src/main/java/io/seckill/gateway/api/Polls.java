package io.seckill.gateway.api;

import io.seckill.common.id.UserId;
import io.seckill.gateway.GatewayMetrics;
import io.seckill.gateway.admission.PollRate;
import io.seckill.gateway.admission.Refusal;
import io.seckill.gateway.http.Problems;
import io.seckill.gateway.http.Reply;
import io.vertx.core.Future;
import java.util.function.Supplier;

/**
 * The layer in front of everything that a user asks again and again. Shared by all event loops.
 *
 * @param rate how often
 * @param metrics counts
 */
public record Polls(PollRate rate, GatewayMetrics metrics) {

  /** Asks, or refuses when the user has asked too often. */
  public Future<Reply> ask(UserId user, Supplier<Future<Reply>> question) {
    Refusal refusal = rate.tryAsk(user);
    return refusal == null ? question.get() : refused(refusal);
  }

  /** Says no, and counts it. */
  Future<Reply> refused(Refusal refusal) {
    metrics.refused(refusal.layer(), refusal.code());
    return Future.succeededFuture(Problems.of(refusal));
  }
}
