package io.seckill.lua;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * Asks several servers who the masters are, all at once and each over a short connection of its
 * own. Those that are dead or frozen are passed over. Immutable.
 */
final class ServerPoll {

  /** A server on the same network answers within some milliseconds, or is in trouble. */
  private static final long ANSWER_MS = 1_000;

  private static final int MAX_IN_FLIGHT = 8;

  private final List<RedisEndpoint> servers;
  private final long boundMs;

  /**
   * Prepares.
   *
   * @param connectTimeoutMs bound on making a connection to a master; half of it is left for that
   *     after the servers have been asked
   */
  ServerPoll(List<RedisEndpoint> servers, long connectTimeoutMs) {
    this.servers = List.copyOf(servers);
    this.boundMs = Math.min(ANSWER_MS, connectTimeoutMs / 2);
  }

  /**
   * Asks all, and waits for all within the bound.
   *
   * @param requests makes what each is asked, in one pipeline
   * @param reader reads its replies; what it throws counts as no answer
   * @return the answers, at least one, in an order by chance, so that among equals one that is
   *     wrong is not believed for ever; fails when there is none
   */
  <T> Future<List<T>> ask(
      Vertx vertx,
      Supplier<List<Request>> requests,
      BiFunction<RedisEndpoint, List<Response>, T> reader) {
    List<Future<T>> answers = new ArrayList<>();
    for (RedisEndpoint server : servers) {
      answers.add(ask(vertx, server, requests.get()).map(replies -> reader.apply(server, replies)));
    }
    Collections.shuffle(answers, ThreadLocalRandom.current());
    return Future.join(answers)
        .transform(
            all -> {
              List<T> told =
                  answers.stream().filter(Future::succeeded).map(Future::result).toList();
              return told.isEmpty()
                  ? Future.failedFuture(answers.get(0).cause().getMessage())
                  : Future.succeededFuture(told);
            });
  }

  private Future<List<Response>> ask(Vertx vertx, RedisEndpoint server, List<Request> requests) {
    Redis client = server.client(vertx, boundMs, MAX_IN_FLIGHT);
    return client
        .connect()
        .map(RedisEndpoint::quiet)
        .compose(connection -> connection.batch(requests))
        .timeout(boundMs, TimeUnit.MILLISECONDS)
        .recover(failure -> Future.failedFuture(server + " says: " + failure.getMessage()))
        .onComplete(end -> client.close());
  }
}
