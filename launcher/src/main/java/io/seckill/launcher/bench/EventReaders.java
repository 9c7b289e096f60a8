package io.seckill.launcher.bench;

import io.seckill.launcher.load.Latencies;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.parsetools.RecordParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.HdrHistogram.Histogram;

/**
 * A process of its own with very many buyers who each keep an event stream open and buy once: both
 * ends of ten thousand connections are more than many a machine gives one process.
 *
 * <p>The first line of standard input is a JSON object with {@code host}, {@code port}, {@code
 * items} and {@code tokens}, one for each stream. On standard output come {@code {"open":…}} when
 * all streams are open or refused, and {@code {"heard":…}} when the owner of each open one has
 * heard that his order is stored, or when standard input ends.
 *
 * <p>A latency is the time from the moment that an event names, a moment in the transaction that
 * stored the order and so before its commit, until the event is here, by this machine's clock.
 */
public final class EventReaders {

  private static final int OPENING_AT_ONCE = 64;
  private static final long MAX_US = 600_000_000;
  private static final String NEWS = "\"status\":\"PENDING_PAYMENT\"";

  private final Vertx vertx =
      Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setWorkerPoolSize(1));
  private final PrintStream out;
  private final HttpClient client;
  private final RequestOptions target;
  private final JsonArray tokens;
  private final Histogram latencies = new Histogram(MAX_US, 3);
  private int next;
  private int open;
  private int settled;
  private int heard;
  private String refusal = "";
  private boolean over;

  private EventReaders(JsonObject wish, PrintStream out) {
    this.out = out;
    this.tokens = wish.getJsonArray("tokens");
    this.client =
        vertx.createHttpClient(
            new HttpClientOptions().setIdleTimeout(0),
            new PoolOptions().setHttp1MaxSize(tokens.size()).setEventLoopSize(1));
    this.target =
        new RequestOptions()
            .setMethod(HttpMethod.GET)
            .setHost(wish.getString("host"))
            .setPort(wish.getInteger("port"))
            .setURI("/api/v1/events?items=" + wish.getString("items"));
  }

  /** Runs it. */
  public static void main(String[] arguments) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    EventReaders readers = new EventReaders(new JsonObject(in.readLine()), System.out);
    readers.vertx.runOnContext(
        go -> {
          for (int i = 0; i < OPENING_AT_ONCE; i++) {
            readers.openNext();
          }
        });
    // Whoever started this process is gone, or has waited long enough.
    while (in.read() >= 0) {
      Thread.onSpinWait();
    }
    readers.vertx.runOnContext(end -> readers.end());
  }

  private void openNext() {
    if (next == tokens.size()) {
      return;
    }
    String token = tokens.getString(next++);
    client
        .request(new RequestOptions(target).putHeader("Authorization", "Bearer " + token))
        .compose(HttpClientRequest::send)
        .compose(this::follow)
        .onFailure(failure -> refusal = String.valueOf(failure.getMessage()))
        .onComplete(
            done -> {
              settled++;
              openNext();
              if (settled == tokens.size()) {
                print(new JsonObject().put("open", open).put("refusal", refusal));
                endWhenAllHaveHeard();
              }
            });
  }

  private Future<Void> follow(HttpClientResponse response) {
    if (response.statusCode() != 200) {
      return response
          .body()
          .compose(body -> Future.failedFuture(response.statusCode() + " " + body));
    }
    open++;
    boolean[] told = {false};
    RecordParser events =
        RecordParser.newDelimited("\n\n", event -> told[0] = hear(event, told[0]));
    response.handler(events);
    response.exceptionHandler(failure -> refusal = "a stream broke: " + failure.getMessage());
    return Future.succeededFuture();
  }

  /** Whether the owner of this stream has heard of his order. */
  private boolean hear(Buffer event, boolean told) {
    String text = event.toString();
    if (told || !text.startsWith("event: order\n") || !text.contains(NEWS)) {
      return told;
    }
    int from = text.indexOf("\nid: ") + 5;
    long atMs = Long.parseLong(text.substring(from, text.indexOf('\n', from)));
    long lateUs = (System.currentTimeMillis() - atMs) * 1_000;
    latencies.recordValue(Math.max(0, Math.min(MAX_US, lateUs)));
    heard++;
    endWhenAllHaveHeard();
    return true;
  }

  private void endWhenAllHaveHeard() {
    if (settled == tokens.size() && heard == open) {
      end();
    }
  }

  private void end() {
    if (!over) {
      over = true;
      print(
          new JsonObject()
              .put("heard", heard)
              .put("refusal", refusal)
              .put("latencyMs", Latencies.ofMicroseconds(latencies).json()));
      vertx.close().onComplete(closed -> Runtime.getRuntime().halt(0));
    }
  }

  private void print(JsonObject line) {
    out.println(line.encode());
    out.flush();
  }
}
