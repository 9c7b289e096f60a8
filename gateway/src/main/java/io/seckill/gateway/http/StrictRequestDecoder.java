package io.seckill.gateway.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.VertxHttpRequestDecoder;
import java.util.List;

/**
 * Vert.x' request decoder with three things added that no option offers. A request with both {@code
 * Content-Length} and {@code Transfer-Encoding} is malformed, because two servers may see two
 * requests in it (RFC 9112 §6.1). And the time of a request's first byte is kept, so that a byte
 * now and then cannot hold a connection for ever. And {@linkplain ChunkExtensions extensions of
 * chunks} are ignored.
 *
 * <p>Belongs to one connection and its event loop.
 */
final class StrictRequestDecoder extends VertxHttpRequestDecoder {

  private boolean receiving;
  private long firstByteNanos;

  /** Null while no chunked body is being read. */
  private ChunkExtensions chunks;

  StrictRequestDecoder(HttpServerOptions options) {
    super(options);
  }

  /** Whether a request has begun to arrive and has not ended, and began so long ago. */
  boolean isOverdue(long nowNanos, long limitNanos) {
    return receiving && nowNanos - firstByteNanos > limitNanos;
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf buffer, List<Object> out)
      throws Exception {
    if (!receiving && buffer.isReadable()) {
      receiving = true;
      firstByteNanos = System.nanoTime();
    }
    if (chunks == null) {
      super.decode(ctx, buffer, out);
    } else {
      decodeChunk(ctx, buffer, out);
    }
    if (out.isEmpty()) {
      return;
    }
    Object latest = out.get(out.size() - 1);
    if (latest instanceof LastHttpContent) {
      receiving = false;
      chunks = null;
    } else if (latest instanceof HttpMessage message
        && HttpUtil.isTransferEncodingChunked(message)) {
      chunks = new ChunkExtensions();
    }
  }

  private void decodeChunk(ChannelHandlerContext ctx, ByteBuf buffer, List<Object> out)
      throws Exception {
    int lineBytes = chunks.blank(buffer);
    int before = buffer.readerIndex();
    super.decode(ctx, buffer, out);
    chunks.consumed(buffer.readerIndex() - before - lineBytes);
  }

  @Override
  protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
    throw new IllegalArgumentException("both Content-Length and Transfer-Encoding");
  }
}
