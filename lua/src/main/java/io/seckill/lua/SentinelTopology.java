package io.seckill.lua;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.Comparator;
import java.util.List;

/**
 * Sentinels name the one master that has all shards. All are asked, and the one with the highest
 * configuration epoch is believed: a sentinel that was cut off keeps naming a demoted server.
 */
final class SentinelTopology implements Topology {

  private final ServerPoll sentinels;
  private final String masterName;
  private final String password;
  private final SharedLookup<RedisEndpoint> lookup = new SharedLookup<>(this::ask);

  /**
   * Prepares.
   *
   * @param password the master's
   */
  SentinelTopology(ServerPoll sentinels, String masterName, String password) {
    this.sentinels = sentinels;
    this.masterName = masterName;
    this.password = password;
  }

  @Override
  public Future<RedisEndpoint> masterOf(Vertx vertx, int shard, long maxAgeMs) {
    return lookup.get(vertx, maxAgeMs);
  }

  private Future<RedisEndpoint> ask(Vertx vertx) {
    return sentinels
        .ask(
            vertx,
            () ->
                List.of(
                    // Names the new master while a failover is still telling the replicas.
                    Request.cmd(Command.SENTINEL).arg("GET-MASTER-ADDR-BY-NAME").arg(masterName),
                    Request.cmd(Command.SENTINEL).arg("MASTER").arg(masterName)),
            (sentinel, replies) -> read(replies))
        .map(
            told -> told.stream().max(Comparator.comparingLong(Told::epoch)).orElseThrow().master())
        .recover(
            failure ->
                Future.failedFuture(
                    "no sentinel names the master "
                        + masterName
                        + ", for example "
                        + failure.getMessage()));
  }

  private Told read(List<Response> replies) {
    Response address = replies.get(0);
    return new Told(
        epochOf(replies.get(1)),
        new RedisEndpoint(address.get(0).toString(), address.get(1).toInteger(), password));
  }

  private static long epochOf(Response master) {
    for (int i = 0; i + 1 < master.size(); i += 2) {
      if (master.get(i).toString().equals("config-epoch")) {
        return master.get(i + 1).toLong();
      }
    }
    throw new IllegalStateException("SENTINEL MASTER has no config-epoch");
  }

  /**
   * What one sentinel told.
   *
   * @param epoch raised by each failover
   */
  private record Told(long epoch, RedisEndpoint master) {}
}
