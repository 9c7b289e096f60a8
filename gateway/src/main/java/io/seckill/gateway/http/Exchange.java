package io.seckill.gateway.http;

import io.seckill.common.id.IdempotencyKey;
import io.seckill.common.id.UserId;
import io.seckill.gateway.admission.AddressRate;
import io.seckill.gateway.token.Identity;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Set;

/**
 * One request on its way through the gateway, and what the layers learned of it. Belongs to the
 * event loop of its connection.
 */
public final class Exchange {

  private static final byte[] NO_BODY = {};

  private final HttpServerRequest request;
  private Endpoint endpoint;
  private List<String> parameters = List.of();
  private Identity identity;
  private byte[] body = NO_BODY;
  private AddressRate countedBy;
  private long rateOutcome;
  private boolean answered;
  private boolean last;

  Exchange(HttpServerRequest request) {
    this.request = request;
  }

  /** The segment of the path that stood for the template's name of that index. */
  public String parameter(int index) {
    return parameters.get(index);
  }

  /** Who asks; only on endpoints that want a token. */
  public UserId user() {
    return identity.user();
  }

  /** When his token stops being good, epoch milliseconds. */
  public long userUntilMs() {
    return identity.untilMs();
  }

  /** The body, empty when none came. */
  public byte[] body() {
    return body;
  }

  /** Whether a body came. */
  public boolean hasBody() {
    return body.length > 0;
  }

  /** A header's first value, null when it is missing. */
  public String header(CharSequence name) {
    return request.getHeader(name);
  }

  /** A header's one value, null when it is missing or there are several. */
  public String onlyHeader(CharSequence name) {
    List<String> values = request.headers().getAll(name);
    return values.size() == 1 ? values.get(0) : null;
  }

  /**
   * The buyer's key for this request.
   *
   * @return {@link IdempotencyKey#NONE} without one
   * @throws io.seckill.common.error.SeckillException INVALID_REQUEST when it is malformed or there
   *     are several
   */
  public IdempotencyKey idempotencyKey() {
    if (!request.headers().contains(Fields.IDEMPOTENCY_KEY)) {
      return IdempotencyKey.NONE;
    }
    List<String> values = request.headers().getAll(Fields.IDEMPOTENCY_KEY);
    if (values.size() != 1 || !IdempotencyKey.isValid(values.get(0))) {
      throw Json.invalid("Idempotency-Key must be one value of [A-Za-z0-9_.:-]{1,64}.");
    }
    return new IdempotencyKey(values.get(0));
  }

  /**
   * The query's parameters.
   *
   * @param known the names that the endpoint knows
   * @throws io.seckill.common.error.SeckillException INVALID_REQUEST for an unknown or repeated
   *     name, or a query that cannot be decoded
   */
  public MultiMap query(Set<String> known) {
    MultiMap params;
    try {
      params = request.params();
    } catch (IllegalArgumentException e) {
      throw Json.invalid("The query cannot be decoded.");
    }
    for (String name : params.names()) {
      if (!known.contains(name) || params.getAll(name).size() != 1) {
        throw Json.invalid("The query has a parameter that is not known, or has one twice.");
      }
    }
    return params;
  }

  HttpServerRequest request() {
    return request;
  }

  Endpoint endpoint() {
    return endpoint;
  }

  void routeTo(RouteTable.Found found) {
    endpoint = found.endpoint();
    parameters = found.parameters();
  }

  void identify(Identity verified) {
    identity = verified;
  }

  void body(Buffer received) {
    body = received.getBytes();
  }

  void counted(AddressRate rate, long outcome) {
    countedBy = rate;
    rateOutcome = outcome;
  }

  /** The rate that has counted this request; null when none has. */
  AddressRate countedBy() {
    return countedBy;
  }

  long rateOutcome() {
    return rateOutcome;
  }

  boolean isAnswered() {
    return answered;
  }

  void answered() {
    answered = true;
  }

  /** No further request may follow on this connection. */
  void makeLast() {
    last = true;
  }

  boolean isLast() {
    return last;
  }
}
