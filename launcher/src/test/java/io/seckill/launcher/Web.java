package io.seckill.launcher;

import io.seckill.testkit.Await;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;

/** HTTP as a stranger speaks it. */
public final class Web {

  /** Against hanging. */
  private static final Duration BOUND = Duration.ofSeconds(30);

  private static final Set<Integer> COME_AGAIN = Set.of(429, 503);

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(BOUND).build();

  /** An answer. */
  public record Answer(int status, String body) {

    /** The body, which has to be JSON. */
    public JsonObject json() {
      return new JsonObject(body);
    }
  }

  /** GET, with a token unless it is empty. */
  public Answer get(String url, String token) throws IOException, InterruptedException {
    return send(request(url, token).GET());
  }

  /** A method without a body, and without a token. */
  public int status(String method, String url) throws IOException, InterruptedException {
    return send(request(url, "").method(method, BodyPublishers.noBody())).status();
  }

  /**
   * A sample of a management port's metrics.
   *
   * @param series name and tags as the page spells them
   */
  public double metric(String managementUrl, String series)
      throws IOException, InterruptedException {
    return get(managementUrl + "/metrics", "")
        .body()
        .lines()
        .filter(line -> line.startsWith(series + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no metric " + series));
  }

  /** Buys one unit of an item. */
  public Answer buy(String publicUrl, String token, String item, String key)
      throws IOException, InterruptedException {
    return post(publicUrl + "/api/v1/items/" + item + "/purchases", token, key, "{\"quantity\":1}");
  }

  /** DELETE, with a token. */
  public Answer delete(String url, String token) throws IOException, InterruptedException {
    return send(request(url, token).DELETE());
  }

  /** POST without a body, with a token. */
  public Answer post(String url, String token) throws IOException, InterruptedException {
    return send(request(url, token).POST(BodyPublishers.noBody()));
  }

  /** What the form of a page sends. */
  public Answer form(String url, String fields) throws IOException, InterruptedException {
    return send(
        request(url, "")
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(fields)));
  }

  /** POST of a JSON text under an idempotency key. */
  public Answer post(String url, String token, String key, String body)
      throws IOException, InterruptedException {
    return send(
        request(url, token)
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", key)
            .POST(BodyPublishers.ofString(body)));
  }

  /**
   * The answer of a buyer or an operator who comes again under the same key as long as he is told
   * to: a machine that stands still for a moment makes any answer a "not now", and nobody may ask
   * as fast as a test would. When he came again because the outcome was unknown, his own first win
   * is a replay.
   */
  public static Answer patiently(Duration bound, Callable<Answer> call)
      throws InterruptedException {
    Answer[] last = {null};
    Await.until(
        bound,
        "an answer that lasts",
        () -> {
          last[0] = call.call();
          return !COME_AGAIN.contains(last[0].status());
        });
    return last[0];
  }

  private static HttpRequest.Builder request(String url, String token) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url)).timeout(BOUND);
    return token.isEmpty() ? request : request.header("Authorization", "Bearer " + token);
  }

  private Answer send(HttpRequest.Builder request) throws IOException, InterruptedException {
    HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
    return new Answer(response.statusCode(), response.body());
  }
}
