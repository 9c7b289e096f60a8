package io.seckill.gateway.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;
import io.seckill.common.error.ErrorCode;
import io.seckill.gateway.admission.ClientAddress;
import io.seckill.gateway.admission.TrustedProxies;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.core.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * One connection: its peer, its decoder, its latest request, and its end. Belongs to its event
 * loop.
 *
 * <p>The one place that reaches below the public API of Vert.x: no option there gives a deadline
 * for a whole request, a refusal of ambiguous framing, or half a close.
 */
final class Connection {

  private static final String DECODER = "httpDecoder";

  /** How long a client that is still sending may take to read the refusal before it is cut off. */
  private static final long LINGER_MS = 500;

  private static final byte[] TIMEOUT_RESPONSE =
      lastResponse("408 Request Timeout", Problems.of(ErrorCode.REQUEST_TIMEOUT));

  private static final byte[] MALFORMED_RESPONSE =
      lastResponse(
          "400 Bad Request", Problems.malformed(400, "The body is not framed as HTTP says."));

  private final Vertx vertx;
  private final HttpServerConnection http;
  private final StrictRequestDecoder decoder;
  private final ClientAddress peer;
  private final boolean peerMaySpeakForOthers;
  private Exchange latest;

  /** Null while no answer goes on. */
  private LiveBody live;

  private boolean closing;

  Connection(
      Vertx vertx, HttpServerConnection http, HttpServerOptions options, TrustedProxies proxies) {
    this.vertx = vertx;
    this.http = http;
    decoder = new StrictRequestDecoder(options);
    http.channelHandlerContext().pipeline().replace(DECODER, DECODER, decoder);
    SocketAddress remote = http.remoteAddress();
    String address = remote == null ? null : remote.hostAddress();
    ClientAddress parsed = ClientAddress.parse(address);
    // No address, no privilege: such a connection shares one bucket with its like.
    peer = parsed == null ? new ClientAddress(0) : parsed;
    peerMaySpeakForOthers = parsed != null && proxies.trusts(address);
  }

  HttpServerConnection http() {
    return http;
  }

  /** Whose request it is. */
  ClientAddress client(Exchange exchange, TrustedProxies proxies) {
    if (!peerMaySpeakForOthers) {
      return peer;
    }
    List<String> hops = exchange.request().headers().getAll(Fields.FORWARDED_FOR);
    return proxies.clientBehind(peer, hops);
  }

  void begin(Exchange exchange) {
    latest = exchange;
  }

  /** Lets go of what was answered, so that an idle connection holds no request. */
  void end(Exchange exchange) {
    if (latest == exchange && exchange.request().isEnded()) {
      latest = null;
    }
  }

  void goLive(LiveBody body) {
    live = body;
  }

  void endLive() {
    live = null;
  }

  /** The answer that goes on; null when there is none. */
  LiveBody live() {
    return live;
  }

  boolean isClosing() {
    return closing;
  }

  /**
   * What to do with a request that has been arriving for too long.
   *
   * @return the exchange to be answered with REQUEST_TIMEOUT, or null when this has been dealt with
   */
  Exchange endOverdue(long nowNanos, long limitNanos) {
    if (closing || !decoder.isOverdue(nowNanos, limitNanos)) {
      return null;
    }
    if (latest != null && !latest.request().isEnded()) {
      if (!latest.isAnswered()) {
        return latest;
      }
      close();
    } else if (live != null) {
      // Half a further request: no answer to it can come before the one that goes on.
      live.end();
    } else if (latest == null || latest.isAnswered()) {
      // There is no request yet that could be answered, so the bytes are written as they are.
      writeLast(TIMEOUT_RESPONSE);
    }
    return null;
  }

  /**
   * Answers a request whose body cannot be read any further. Vert.x drops the connection as soon as
   * it has told of that, with all that is not on its way by then; so the bytes are written as they
   * are.
   */
  void endMalformed() {
    writeLast(MALFORMED_RESPONSE);
  }

  private void writeLast(byte[] response) {
    closing = true;
    ChannelHandlerContext context = channel().pipeline().context(decoder);
    context
        .writeAndFlush(Unpooled.wrappedBuffer(response))
        .addListener(ChannelFutureListener.CLOSE);
  }

  /**
   * Ends the connection after the last answer. While the client is still sending, only our half is
   * closed at first: closing all of it would reset the connection and take the answer with it.
   */
  void closeAfter(Exchange exchange) {
    boolean stillSending = !exchange.request().isEnded();
    closing = true;
    if (stillSending && channel() instanceof DuplexChannel duplex) {
      duplex.shutdownOutput();
      vertx.setTimer(LINGER_MS, unused -> http.close());
    } else {
      http.close();
    }
  }

  void close() {
    closing = true;
    http.close();
  }

  private Channel channel() {
    return http.channelHandlerContext().channel();
  }

  private static byte[] lastResponse(String status, Reply problem) {
    Buffer body = problem.body();
    String head =
        "HTTP/1.1 "
            + status
            + "\r\nconnection: close\r\ncontent-type: "
            + Fields.PROBLEM_JSON
            + "\r\ncontent-length: "
            + body.length()
            + "\r\n\r\n";
    return Buffer.buffer(head.getBytes(StandardCharsets.US_ASCII)).appendBuffer(body).getBytes();
  }
}
