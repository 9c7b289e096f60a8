package io.seckill.launcher.sandbox;

import io.seckill.common.payment.CallbackSignature;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the shop how payments ended, and goes on until the shop has taken it or refuses it for
 * good. Belongs to one event loop.
 */
final class SandboxCallbacks {

  private static final Logger LOG = LoggerFactory.getLogger(SandboxCallbacks.class);

  private static final String PATH = "/api/v1/payments/callback";

  private static final int MAX_CONNECTIONS = 16;

  private static final int CALL_TIMEOUT_MS = 5_000;

  private static final long FIRST_PAUSE_MS = 500;

  private static final long MAX_PAUSE_MS = 30_000;

  /** Five minutes in all: what the shop has not heard then, it has to ask for. */
  private static final int MAX_TRIES = 16;

  /** About what a shop takes within the bound on a call; who finds no place comes again. */
  private static final int MAX_QUEUE = 4_096;

  /** Some 50 MB, and as many as the books have payments. The shop has to ask for more. */
  private static final int MAX_OPEN = 100_000;

  private final Vertx vertx;
  private final Context context;
  private final CallbackSignature signature;
  private final Future<String> shopUrl;
  private final HttpClientAgent client;

  /** Callbacks that wait or are under way. */
  private int open;

  /**
   * Makes the sender, for the event loop that this is called on.
   *
   * @param signature used by this event loop only
   * @param shopUrl where the shop is, without a slash at the end, once it is known
   */
  SandboxCallbacks(Vertx vertx, CallbackSignature signature, Future<String> shopUrl) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.signature = signature;
    this.shopUrl = shopUrl;
    this.client =
        vertx.createHttpClient(
            new HttpClientOptions().setConnectTimeout(CALL_TIMEOUT_MS),
            new PoolOptions().setHttp1MaxSize(MAX_CONNECTIONS).setMaxWaitQueueSize(MAX_QUEUE));
  }

  /** Tells the shop how a payment ended, as the buyer wished it. */
  void tell(SandboxPayment payment, SandboxWish wish) {
    if (wish.copies() == 0) {
      return; // It got lost.
    }
    if (open + wish.copies() > MAX_OPEN) {
      LOG.warn("too many callbacks wait: the shop has to ask about a payment");
      return;
    }
    open += wish.copies();
    Buffer body = payment.told().toBuffer();
    vertx.setTimer(
        Math.max(1, wish.delayMs()),
        id ->
            // Whoever says where the shop is does so on another thread.
            shopUrl.onSuccess(url -> context.runOnContext(v -> send(url, body, wish.copies()))));
  }

  private void send(String shop, Buffer body, int copies) {
    for (int copy = 0; copy < copies; copy++) {
      call(shop + PATH, body, 1);
    }
  }

  private void call(String url, Buffer body, int tries) {
    client
        .request(
            new RequestOptions()
                .setMethod(HttpMethod.POST)
                .setAbsoluteURI(url)
                .setTimeout(CALL_TIMEOUT_MS)
                .setIdleTimeout(CALL_TIMEOUT_MS)
                .putHeader("Content-Type", "application/json")
                .putHeader(
                    CallbackSignature.HEADER,
                    signature.sign(body.getBytes(), System.currentTimeMillis())))
        .compose(request -> send(request, body))
        .timeout(CALL_TIMEOUT_MS, TimeUnit.MILLISECONDS)
        .onSuccess(status -> answered(status, url, body, tries))
        .onFailure(failure -> again(failure.getMessage(), url, body, tries));
  }

  private static Future<Integer> send(HttpClientRequest request, Buffer body) {
    return request
        .send(body)
        // The connection is free for the next only when the answer is read.
        .compose(response -> response.body().map(read -> response.statusCode()))
        .onFailure(failure -> request.reset());
  }

  private void answered(int status, String url, Buffer body, int tries) {
    if (status >= 500 || status == 408 || status == 429) {
      again("status " + status, url, body, tries);
      return;
    }
    open--;
    if (status >= 300) {
      LOG.warn("the shop refuses a callback for good: status {}", status);
    }
  }

  private void again(String why, String url, Buffer body, int tries) {
    if (tries >= MAX_TRIES) {
      open--;
      LOG.warn("the shop did not take a callback in {} tries: {}", tries, why);
      return;
    }
    long pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS << (tries - 1));
    vertx.setTimer(pauseMs, id -> call(url, body, tries + 1));
  }

  Future<Void> close() {
    return client.close();
  }
}
