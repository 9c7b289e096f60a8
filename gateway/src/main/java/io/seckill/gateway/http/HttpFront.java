package io.seckill.gateway.http;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.gateway.admission.AddressRate;
import io.seckill.gateway.admission.Layer;
import io.seckill.gateway.admission.RateLimitFields;
import io.seckill.gateway.token.Identity;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.impl.HttpServerConnection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Takes every request of one port on one event loop, lets it pass the layers in their order, gives
 * it to its endpoint, and writes the answer. The order: connections → framing and declared size →
 * rate of the address → route → media type → token → body. All of it happens at once when the head
 * has arrived; the body is read before anything asynchronous starts, so none can be missed.
 */
final class HttpFront {

  private final Vertx vertx;
  private final HttpServerOptions options;
  private final HttpLimits limits;
  private final Guards guards;
  private final RouteTable routes;
  private final Set<Connection> connections = new HashSet<>();
  private boolean stopping;

  HttpFront(
      Vertx vertx,
      HttpServerOptions options,
      HttpLimits limits,
      Guards guards,
      List<Endpoint> endpoints) {
    this.vertx = vertx;
    this.options = options;
    this.limits = limits;
    this.guards = guards;
    this.routes = new RouteTable(endpoints);
  }

  /** A connection was opened; its requests come here. */
  void onConnection(HttpConnection opened) {
    HttpServerConnection http = (HttpServerConnection) opened;
    int open = guards.connections().incrementAndGet();
    guards.metrics().connections().incrementAndGet();
    if (open > limits.maxConnections()) {
      http.closeHandler(unused -> uncount());
      guards.metrics().refused(Layer.CONNECTION, ErrorCode.BUSY);
      http.close();
      return;
    }
    Connection connection = new Connection(vertx, http, options, guards.proxies());
    connections.add(connection);
    http.closeHandler(
        unused -> {
          uncount();
          connections.remove(connection);
        });
    http.handler(request -> onRequest(connection, request));
    http.invalidRequestHandler(request -> onMalformed(connection, request));
  }

  private void uncount() {
    guards.connections().decrementAndGet();
    guards.metrics().connections().decrementAndGet();
  }

  /** Ends what has been arriving for too long. */
  void endOverdue() {
    long now = System.nanoTime();
    long limit = TimeUnit.MILLISECONDS.toNanos(limits.requestTimeoutMs());
    for (Connection connection : List.copyOf(connections)) {
      Exchange overdue = connection.endOverdue(now, limit);
      if (overdue != null) {
        overdue.makeLast();
        answer(connection, overdue, refuse(Layer.HTTP, ErrorCode.REQUEST_TIMEOUT));
      }
    }
  }

  /** Ends answers that go on, for good: nobody waits for them at a stop, and clients come again. */
  void endLive() {
    stopping = true;
    for (Connection connection : List.copyOf(connections)) {
      if (connection.live() != null) {
        connection.live().end();
      }
    }
  }

  private void onRequest(Connection connection, HttpServerRequest request) {
    if (connection.isClosing()) {
      return;
    }
    Exchange exchange = new Exchange(request);
    connection.begin(exchange);
    Reply refusal = refusalByHead(connection, exchange);
    if (refusal != null) {
      answer(connection, exchange, refusal);
    } else if (hasBody(request)) {
      readBody(connection, exchange);
    } else {
      serve(connection, exchange);
    }
  }

  /** What Netty could not read. Vert.x closes the connection after the answer. */
  private void onMalformed(Connection connection, HttpServerRequest request) {
    Exchange exchange = new Exchange(request);
    connection.begin(exchange);
    exchange.makeLast();
    guards.metrics().refused(Layer.HTTP, ErrorCode.INVALID_REQUEST);
    Throwable cause = request.decoderResult().cause();
    answer(
        connection,
        exchange,
        cause instanceof TooLongHttpLineException
            ? Problems.malformed(414, "The request line is too long.")
            : cause instanceof TooLongHttpHeaderException
                ? Problems.malformed(431, "The headers are too long.")
                : Problems.malformed(400, "The request is not well-formed HTTP."));
  }

  private Reply refusalByHead(Connection connection, Exchange exchange) {
    Reply refusal = framing(exchange);
    if (refusal != null) {
      return refusal;
    }
    // Looked up before the rate, which is not the same on all routes; told only after it.
    HttpServerRequest request = exchange.request();
    RouteTable.Match match = routes.find(request.method(), request.path());
    refusal = addressRate(connection, exchange, match);
    if (refusal == null) {
      refusal = route(exchange, match);
    }
    if (refusal == null) {
      refusal = mediaType(exchange);
    }
    if (refusal == null) {
      refusal = token(exchange);
    }
    return refusal;
  }

  private Reply framing(Exchange exchange) {
    HttpServerRequest request = exchange.request();
    Reply refusal = framingOf(request);
    if (refusal != null) {
      exchange.makeLast();
    }
    return refusal;
  }

  private Reply framingOf(HttpServerRequest request) {
    HttpVersion version = request.version();
    MultiMap headers = request.headers();
    if (version == null) {
      guards.metrics().refused(Layer.HTTP, ErrorCode.INVALID_REQUEST);
      return Problems.malformed(505, "HTTP/1.1 or HTTP/1.0 is spoken here.");
    }
    int hosts = headers.getAll(HttpHeaders.HOST).size();
    if (hosts > 1 || (hosts == 0 && version == HttpVersion.HTTP_1_1)) {
      return refuse(Layer.HTTP, Json.invalid("There must be exactly one Host header."));
    }
    if (headers.contains(HttpHeaders.TRANSFER_ENCODING)) {
      List<String> codings = headers.getAll(HttpHeaders.TRANSFER_ENCODING);
      boolean plain = codings.size() == 1 && codings.get(0).equalsIgnoreCase("chunked");
      if (!plain || version != HttpVersion.HTTP_1_1) {
        return refuse(Layer.HTTP, Json.invalid("This Transfer-Encoding is not understood."));
      }
    }
    return declaredBytes(request) > limits.maxBodyBytes()
        ? refuse(Layer.HTTP, ErrorCode.PAYLOAD_TOO_LARGE)
        : null;
  }

  private Reply addressRate(Connection connection, Exchange exchange, RouteTable.Match match) {
    boolean signed =
        match instanceof RouteTable.Found found && found.endpoint().access() == Access.SIGNED;
    AddressRate rate = signed ? guards.rates().signers() : guards.rates().clients();
    long outcome = rate.tryTake(connection.client(exchange, guards.proxies()));
    exchange.counted(rate, outcome);
    if (outcome >= 0) {
      return null;
    }
    guards.metrics().refused(Layer.ADDRESS_RATE, ErrorCode.RATE_LIMITED);
    return Problems.retryLater(ErrorCode.RATE_LIMITED, TimeUnit.NANOSECONDS.toMillis(-outcome));
  }

  private Reply route(Exchange exchange, RouteTable.Match match) {
    HttpServerRequest request = exchange.request();
    if (match instanceof RouteTable.Found found) {
      exchange.routeTo(found);
      guards.metrics().request(found.endpoint().path());
      return null;
    }
    guards.metrics().request(null);
    if (match instanceof RouteTable.OtherMethod other) {
      return request.method().equals(HttpMethod.OPTIONS)
          ? guards.cors().options(request.headers(), other.allow())
          : refuse(Layer.HTTP, ErrorCode.METHOD_NOT_ALLOWED).with(HttpHeaders.ALLOW, other.allow());
    }
    return refuse(Layer.HTTP, ErrorCode.NOT_FOUND);
  }

  private Reply mediaType(Exchange exchange) {
    HttpServerRequest request = exchange.request();
    if (exchange.endpoint().body() == BodyRule.NONE || !hasBody(request)) {
      return null;
    }
    boolean encoded = request.headers().contains(HttpHeaders.CONTENT_ENCODING);
    return encoded || !isJson(request.getHeader(HttpHeaders.CONTENT_TYPE))
        ? refuse(Layer.HTTP, ErrorCode.UNSUPPORTED_MEDIA_TYPE)
        : null;
  }

  private static boolean isJson(String contentType) {
    if (contentType == null) {
      return false;
    }
    if (contentType.equals("application/json")) {
      return true;
    }
    String folded = contentType.toLowerCase(Locale.ROOT).replace(" ", "").replace("\"", "");
    return folded.equals("application/json") || folded.equals("application/json;charset=utf-8");
  }

  private Reply token(Exchange exchange) {
    Access access = exchange.endpoint().access();
    if (access == Access.ANYBODY || access == Access.SIGNED) {
      return null;
    }
    Optional<Identity> identity =
        guards.tokens().verify(exchange.request().headers().getAll(HttpHeaders.AUTHORIZATION));
    if (identity.isEmpty()) {
      return refuse(Layer.TOKEN, ErrorCode.UNAUTHENTICATED);
    }
    if (access == Access.ADMIN && !identity.get().isAdmin()) {
      return refuse(Layer.TOKEN, ErrorCode.FORBIDDEN);
    }
    exchange.identify(identity.get());
    return null;
  }

  private void readBody(Connection connection, Exchange exchange) {
    HttpServerRequest request = exchange.request();
    if (request.headers().contains(HttpHeaders.EXPECT, HttpHeaders.CONTINUE, true)) {
      request.response().writeContinue();
    }
    request.exceptionHandler(cause -> onBrokenBody(connection, exchange, cause));
    Buffer body = Buffer.buffer();
    request.handler(
        chunk -> {
          if (exchange.isAnswered()) {
            return;
          }
          if (body.length() + chunk.length() > limits.maxBodyBytes()) {
            exchange.makeLast();
            answer(connection, exchange, refuse(Layer.HTTP, ErrorCode.PAYLOAD_TOO_LARGE));
            return;
          }
          body.appendBuffer(chunk);
        });
    request.endHandler(
        unused -> {
          exchange.body(body);
          if (!exchange.isAnswered()) {
            serve(connection, exchange);
          }
        });
  }

  /** A body whose framing cannot be read, or a client that has gone in the middle of one. */
  private void onBrokenBody(Connection connection, Exchange exchange, Throwable cause) {
    if (cause instanceof HttpClosedException || exchange.isAnswered()) {
      return;
    }
    exchange.answered();
    guards.metrics().refused(Layer.HTTP, ErrorCode.INVALID_REQUEST);
    connection.endMalformed();
  }

  private void serve(Connection connection, Exchange exchange) {
    Future<Reply> reply;
    try {
      reply = exchange.endpoint().handle(exchange);
    } catch (RuntimeException e) {
      reply = Future.failedFuture(e);
    }
    reply.onComplete(outcome -> answer(connection, exchange, replyOf(exchange, outcome)));
  }

  private Reply replyOf(Exchange exchange, AsyncResult<Reply> outcome) {
    if (outcome.succeeded()) {
      return outcome.result();
    }
    String route = exchange.endpoint().path();
    if (outcome.cause() instanceof SeckillException known) {
      // BUSY is a plain "not now" of a part that is well.
      if (known.code().httpStatus() >= 500 && known.code() != ErrorCode.BUSY) {
        guards.log().known(route, known.code().name(), known.getMessage());
      }
      return refuse(Layer.HANDLER, known);
    }
    guards.log().unexpected(route, outcome.cause());
    return refuse(Layer.HANDLER, ErrorCode.UNAVAILABLE);
  }

  private void answer(Connection connection, Exchange exchange, Reply reply) {
    if (stopping && reply.live() != null) {
      // A stop would wait for it.
      forget(reply.live());
      exchange.makeLast();
      answer(connection, exchange, refuse(Layer.EVENT_STREAMS, ErrorCode.BUSY));
      return;
    }
    HttpServerRequest request = exchange.request();
    HttpServerResponse response = request.response();
    LiveContent live = reply.live();
    if (exchange.isAnswered() || response.closed() || response.ended()) {
      exchange.answered();
      forget(live);
      return;
    }
    exchange.answered();
    boolean goesOn = live != null && !request.method().equals(HttpMethod.HEAD);
    boolean last = goesOn || exchange.isLast() || isBodyOpen(request);
    writeHead(exchange, reply, last);
    if (goesOn) {
      new LiveBody(vertx.getOrCreateContext(), connection, exchange, live).begin(reply.body());
      return;
    }
    forget(live);
    Future<Void> written = response.end(reply.body());
    if (last) {
      written.onComplete(unused -> connection.closeAfter(exchange));
    }
    connection.end(exchange);
  }

  private static void forget(LiveContent live) {
    if (live != null) {
      live.over(false);
    }
  }

  /**
   * Whether a body is still to come of which nobody knows how long it is, or whether it comes at
   * all. A refused body of a known, small size is dropped as it arrives.
   */
  private static boolean isBodyOpen(HttpServerRequest request) {
    return !request.isEnded()
        && (request.headers().contains(HttpHeaders.TRANSFER_ENCODING)
            || request.headers().contains(HttpHeaders.EXPECT));
  }

  private void writeHead(Exchange exchange, Reply reply, boolean last) {
    HttpServerRequest request = exchange.request();
    HttpServerResponse response = request.response();
    MultiMap headers = response.headers();
    response.setStatusCode(reply.status());
    headers.set(Fields.CONTENT_TYPE_OPTIONS, Fields.NOSNIFF);
    if (reply.contentType() != null) {
      headers.set(HttpHeaders.CONTENT_TYPE, reply.contentType());
    }
    reply.headers().forEach(headers::set);
    if (exchange.countedBy() != null) {
      RateLimitFields fields = exchange.countedBy().fields();
      headers.set(Fields.RATE_LIMIT_POLICY, fields.policy());
      headers.set(Fields.RATE_LIMIT, fields.state(exchange.rateOutcome()));
    }
    guards.cors().decorate(request.headers(), headers);
    if (request.method().equals(HttpMethod.HEAD) && reply.live() == null) {
      headers.set(HttpHeaders.CONTENT_LENGTH, Integer.toString(reply.body().length()));
    }
    if (last) {
      headers.set(HttpHeaders.CONNECTION, Fields.CLOSE);
    }
  }

  private Reply refuse(Layer layer, ErrorCode code) {
    guards.metrics().refused(layer, code);
    return Problems.of(code);
  }

  private Reply refuse(Layer layer, SeckillException failure) {
    guards.metrics().refused(layer, failure.code());
    return Problems.of(failure);
  }

  private static boolean hasBody(HttpServerRequest request) {
    return declaredBytes(request) > 0 || request.headers().contains(HttpHeaders.TRANSFER_ENCODING);
  }

  private static long declaredBytes(HttpServerRequest request) {
    String declared = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    // Netty has refused everything that is not a number by now.
    return declared == null ? 0 : Long.parseLong(declared);
  }
}
