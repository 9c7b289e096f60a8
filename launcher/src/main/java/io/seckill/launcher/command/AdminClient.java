package io.seckill.launcher.command;

import io.seckill.launcher.LaunchException;
import io.seckill.launcher.UsageException;
import io.seckill.launcher.Waiting;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Speaks to the admin API. A change carries an idempotency key, so it is repeated when its outcome
 * stayed unknown. Its methods wait and are not for an event loop.
 */
public final class AdminClient {

  private static final Duration CONNECT_BOUND = Duration.ofSeconds(5);

  /** An audit of a large sale takes longest. */
  private static final Duration ANSWER_BOUND = Duration.ofSeconds(150);

  private static final int TRIES = 3;
  private static final long MIN_PAUSE_MS = 200;

  /** A person waits for the command. */
  private static final long MAX_PAUSE_MS = 5_000;

  private static final int SERVICE_UNAVAILABLE = 503;
  private static final int FIRST_ERROR = 400;
  private static final int BAD_REQUEST = 400;

  private final RunningSystem system;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(CONNECT_BOUND)
          .build();

  AdminClient(RunningSystem system) {
    this.system = system;
  }

  /**
   * For a system that is known already.
   *
   * @param adminUrl its admin API, without a slash at the end
   * @param adminToken a token with the role admin
   */
  public AdminClient(String adminUrl, String adminToken) {
    this(new RunningSystem(adminUrl, adminToken));
  }

  /**
   * Reads.
   *
   * @throws LaunchException when it is refused or nobody answers
   */
  public JsonObject get(String path) throws InterruptedException {
    return answer(request(path).GET().build());
  }

  /**
   * Changes, at most once however often it is sent.
   *
   * @throws LaunchException when it is refused or nobody answers
   */
  public JsonObject post(String path, JsonObject body) throws InterruptedException {
    return answer(
        request(path)
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", UUID.randomUUID().toString())
            .POST(BodyPublishers.ofString(body.encode()))
            .build());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(system.adminUrl() + path))
        .timeout(ANSWER_BOUND)
        .header("Authorization", "Bearer " + system.adminToken());
  }

  private JsonObject answer(HttpRequest request) throws InterruptedException {
    for (int tries = 1; ; tries++) {
      try {
        HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
        if (response.statusCode() < FIRST_ERROR) {
          return json(response);
        }
        if (response.statusCode() != SERVICE_UNAVAILABLE || tries == TRIES) {
          throw refused(response);
        }
        Waiting.pause(pauseMs(response));
      } catch (IOException e) {
        if (tries == TRIES) {
          throw new LaunchException(
              "cannot reach the admin API at "
                  + system.adminUrl()
                  + " ("
                  + e.getClass().getSimpleName()
                  + "): is the system running?",
              e);
        }
        Waiting.pause(MIN_PAUSE_MS);
      }
    }
  }

  private static long pauseMs(HttpResponse<String> response) {
    long seconds = response.headers().firstValueAsLong("Retry-After").orElse(0);
    return Math.max(MIN_PAUSE_MS, Math.min(TimeUnit.SECONDS.toMillis(seconds), MAX_PAUSE_MS));
  }

  private JsonObject json(HttpResponse<String> response) {
    try {
      return new JsonObject(response.body());
    } catch (DecodeException e) {
      throw new LaunchException(
          system.adminUrl() + " answers, but not as a seckill admin API: check the address", e);
    }
  }

  private LaunchException refused(HttpResponse<String> response) {
    try {
      JsonObject problem = new JsonObject(response.body());
      String message =
          problem.getString("code", "HTTP " + response.statusCode())
              + ": "
              + problem.getString("detail", problem.getString("title", ""));
      return response.statusCode() == BAD_REQUEST
          ? new UsageException(message)
          : new LaunchException(message);
    } catch (DecodeException | ClassCastException e) {
      return new LaunchException(
          "HTTP " + response.statusCode() + " from " + system.adminUrl() + request(response), e);
    }
  }

  private static String request(HttpResponse<String> response) {
    return response.request().uri().getRawPath();
  }
}
