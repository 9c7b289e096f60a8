package io.seckill.launcher.load;

import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.OrderId;
import io.seckill.launcher.load.PurchaseAnswer.Refused;
import io.seckill.launcher.load.PurchaseAnswer.Won;
import io.seckill.launcher.load.PurchaseAnswer.Wrong;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Holds every answer against the contract: status, body, code, order id, {@code Retry-After}. On a
 * sold-out night nearly all answers are the same few bytes; those are judged once and recognised
 * after that.
 *
 * <p>For one event loop.
 */
final class PurchaseAnswers {

  /** Distinct refusals that are remembered; a sale has about ten. */
  private static final int MAX_KNOWN = 32;

  private static final int MAX_QUOTED_CHARS = 200;

  /** What a good purchase of an item on sale can be refused with. */
  private static final Set<ErrorCode> POSSIBLE =
      EnumSet.of(
          ErrorCode.NOT_READY,
          ErrorCode.NOT_STARTED,
          ErrorCode.ENDED,
          ErrorCode.PAUSED,
          ErrorCode.SOLD_OUT,
          ErrorCode.INSUFFICIENT_STOCK,
          ErrorCode.LIMIT_REACHED,
          ErrorCode.RATE_LIMITED,
          ErrorCode.BUSY,
          ErrorCode.UNAVAILABLE,
          ErrorCode.OUTCOME_UNKNOWN);

  private final List<Known> known = new ArrayList<>();

  /** A refusal that has been judged. */
  private static final class Known {

    private final int status;
    private final long retryAfterMs;
    private final byte[] body;
    private final PurchaseAnswer meaning;

    Known(HttpAnswer answer, PurchaseAnswer meaning) {
      this.status = answer.status();
      this.retryAfterMs = answer.retryAfterMs();
      this.body = answer.body().getBytes();
      this.meaning = meaning;
    }

    boolean matches(HttpAnswer answer) {
      return status == answer.status()
          && retryAfterMs == answer.retryAfterMs()
          && answer.bodyEquals(body);
    }
  }

  /** Judges one answer. */
  PurchaseAnswer judge(HttpAnswer answer) {
    for (Known each : known) {
      if (each.matches(answer)) {
        return each.meaning;
      }
    }
    PurchaseAnswer meaning = read(answer);
    if (meaning instanceof Refused && known.size() < MAX_KNOWN) {
      known.add(new Known(answer, meaning));
    }
    return meaning;
  }

  private static PurchaseAnswer read(HttpAnswer answer) {
    JsonObject body;
    try {
      body = answer.body().toJsonObject();
    } catch (DecodeException | ClassCastException e) {
      return wrong(answer, "no JSON object");
    }
    try {
      return switch (answer.status()) {
        case 200, 202 -> won(answer, body);
        default -> refused(answer, body);
      };
    } catch (ClassCastException e) {
      return wrong(answer, "a field of another type");
    }
  }

  private static PurchaseAnswer won(HttpAnswer answer, JsonObject body) {
    if (!"ACCEPTED".equals(body.getString("status"))) {
      return wrong(answer, "a win without status ACCEPTED");
    }
    Object remaining = body.getValue("remaining");
    if (remaining != null && !(remaining instanceof Integer || remaining instanceof Long)) {
      return wrong(answer, "remaining is no integer");
    }
    try {
      return new Won(new OrderId(body.getString("orderId", "")), answer.status() == 200);
    } catch (IllegalArgumentException e) {
      return wrong(answer, "a win without a good order id");
    }
  }

  private static PurchaseAnswer refused(HttpAnswer answer, JsonObject body) {
    ErrorCode code = ErrorCode.byName(body.getString("code", "")).orElse(null);
    if (code == null) {
      return wrong(answer, "no code of the table");
    }
    boolean statusFits =
        code.httpStatus() == answer.status()
            && Integer.valueOf(answer.status()).equals(body.getInteger("status"));
    if (!statusFits) {
      return wrong(answer, "the status does not fit the code");
    }
    if (!POSSIBLE.contains(code)) {
      return wrong(answer, "a good purchase cannot be refused like this");
    }
    boolean later = answer.status() == 429 || answer.status() == 503;
    if (later && answer.retryAfterMs() < 1) {
      return wrong(answer, "a refusal for now without Retry-After");
    }
    if (!code.outcomeKnown() && !"unknown".equals(body.getString("outcome"))) {
      return wrong(answer, "an unknown outcome that does not say so");
    }
    return new Refused(code, answer.retryAfterMs());
  }

  private static Wrong wrong(HttpAnswer answer, String why) {
    String body = answer.body().toString();
    String quoted =
        body.length() <= MAX_QUOTED_CHARS ? body : body.substring(0, MAX_QUOTED_CHARS) + "…";
    boolean stable = body.contains("\"code\":\"");
    return new Wrong(
        answer.status() >= 500 && !stable, why + ": " + answer.status() + " " + quoted);
  }
}
