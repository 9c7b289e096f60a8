package io.seckill.gateway.http;

import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;

/**
 * The body of an answer that goes on. Any thread may write; what one thread writes stays in order.
 * A client that does not read is cut off: what waits for it is bounded, and since live content
 * tells states, it loses nothing by coming again.
 */
public final class LiveBody {

  /** Bytes that may wait for a client beside what the operating system holds. */
  private static final int MAX_WAITING_BYTES = 65_536;

  private static final Buffer NOTHING = Buffer.buffer();

  private final Context context;
  private final HttpServerResponse response;
  private final Connection connection;
  private final Exchange exchange;
  private final LiveContent content;
  private boolean over;

  LiveBody(Context context, Connection connection, Exchange exchange, LiveContent content) {
    this.context = context;
    this.response = exchange.request().response();
    this.connection = connection;
    this.exchange = exchange;
    this.content = content;
  }

  /** Sends the head, which has been set, and what comes first. */
  void begin(Buffer first) {
    response.setChunked(true);
    response.setWriteQueueMaxSize(MAX_WAITING_BYTES);
    response.closeHandler(unused -> over(false));
    connection.goLive(this);
    response.write(first);
    if (!over) {
      content.begin(this);
    }
  }

  /** Sends a piece; without effect once the body is over. */
  public void send(Buffer piece) {
    context.runOnContext(unused -> write(piece));
  }

  /** Sends the last piece and closes the connection. */
  public void end(Buffer piece) {
    context.runOnContext(unused -> finish(piece));
  }

  /** Ends it now; for the event loop of the connection. */
  void end() {
    finish(NOTHING);
  }

  private void write(Buffer piece) {
    if (over) {
      return;
    }
    if (response.writeQueueFull()) {
      over(true);
      connection.close();
    } else {
      response.write(piece);
    }
  }

  private void finish(Buffer piece) {
    if (over) {
      return;
    }
    // Before the end is written: a close that follows is no news then.
    over(false);
    response.end(piece).onComplete(unused -> connection.closeAfter(exchange));
  }

  private void over(boolean tooSlow) {
    if (!over) {
      over = true;
      connection.endLive();
      content.over(tooSlow);
    }
  }
}
