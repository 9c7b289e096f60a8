package io.seckill.gateway.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.util.HashMap;
import java.util.Map;

/**
 * An answer as a value. Immutable; may be sent any number of times.
 *
 * @param status the HTTP status
 * @param contentType null when there is no body
 * @param body the body, empty for none
 * @param headers further headers
 * @param live what follows the body; null for an answer that ends with it. Such a reply is sent
 *     once, and is the last of its connection
 */
public record Reply(
    int status,
    CharSequence contentType,
    Buffer body,
    Map<CharSequence, CharSequence> headers,
    LiveContent live) {

  private static final Buffer EMPTY = Buffer.buffer();

  /** Copies the headers. */
  public Reply {
    headers = Map.copyOf(headers);
  }

  /** An answer that ends. */
  public Reply(
      int status, CharSequence contentType, Buffer body, Map<CharSequence, CharSequence> headers) {
    this(status, contentType, body, headers, null);
  }

  /** JSON for one person, never cached. */
  public static Reply json(int status, Buffer body) {
    return new Reply(status, Fields.JSON, body, Map.of(HttpHeaders.CACHE_CONTROL, Fields.NO_STORE));
  }

  /** A status without a body. */
  public static Reply empty(int status, Map<CharSequence, CharSequence> headers) {
    return new Reply(status, null, EMPTY, headers);
  }

  /** The same with one more header. */
  public Reply with(CharSequence name, CharSequence value) {
    Map<CharSequence, CharSequence> more = new HashMap<>(headers);
    more.put(name, value);
    return new Reply(status, contentType, body, more, live);
  }
}
