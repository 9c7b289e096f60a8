package io.seckill.lua;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The nodes of a Redis Cluster know which master serves the slot of a shard's tag. All seeds are
 * asked, and of several masters that are named for a slot the one with the highest configuration
 * epoch is believed, as the nodes do among themselves: a failover and the end of a move raise it,
 * and a node that has not heard of them, or was cut off, names the old master with its old epoch.
 */
final class ClusterTopology implements Topology {

  private final ServerPoll seeds;
  private final int[] slotOfShard;
  private final String password;
  private final SharedLookup<List<Owned>> lookup = new SharedLookup<>(this::ask);

  /**
   * Prepares.
   *
   * @param password of all nodes
   */
  ClusterTopology(ServerPoll seeds, int shardCount, String password) {
    this.seeds = seeds;
    this.password = password;
    this.slotOfShard = new int[shardCount];
    String[] tags = ShardTags.of(shardCount);
    for (int shard = 0; shard < shardCount; shard++) {
      slotOfShard[shard] = ShardTags.slotOf(tags[shard]);
    }
  }

  @Override
  public Future<RedisEndpoint> masterOf(Vertx vertx, int shard, long maxAgeMs) {
    int slot = slotOfShard[shard];
    return lookup
        .get(vertx, maxAgeMs)
        .compose(
            owned ->
                owned.stream()
                    .filter(range -> range.first() <= slot && slot <= range.last())
                    .max(Comparator.comparingLong(Owned::epoch))
                    .map(range -> Future.succeededFuture(range.master()))
                    .orElseGet(
                        () ->
                            Future.failedFuture(
                                "no master of the cluster serves slot "
                                    + slot
                                    + " of shard "
                                    + shard)));
  }

  private Future<List<Owned>> ask(Vertx vertx) {
    return seeds
        .ask(
            vertx,
            () ->
                List.of(
                    // Tells the epochs.
                    Request.cmd(Command.CLUSTER).arg("NODES"),
                    // Tells the addresses as clients are to use them.
                    Request.cmd(Command.CLUSTER).arg("SLOTS")),
            (seed, replies) -> read(seed, epochs(replies.get(0).toString()), replies.get(1)))
        .map(answers -> answers.stream().flatMap(List::stream).toList())
        .recover(
            failure ->
                Future.failedFuture(
                    "no seed tells the slots of the cluster, for example " + failure.getMessage()));
  }

  /** Each line is: id, address, flags, master, ping, pong, epoch … */
  private static Map<String, Long> epochs(String nodes) {
    Map<String, Long> epochs = new HashMap<>();
    nodes
        .lines()
        .map(line -> line.split(" ", -1))
        .forEach(words -> epochs.put(words[0], Long.valueOf(words[6])));
    return epochs;
  }

  /** Each range is: first slot, last slot, the master as host, port, id …, its replicas. */
  private List<Owned> read(RedisEndpoint seed, Map<String, Long> epochs, Response slots) {
    List<Owned> owned = new ArrayList<>();
    for (Response range : slots) {
      Response master = range.get(2);
      Response host = master.get(0);
      // A node that does not know its own address leaves it out: it is the one we asked.
      String name = host == null || host.toString().isEmpty() ? seed.host() : host.toString();
      owned.add(
          new Owned(
              range.get(0).toInteger(),
              range.get(1).toInteger(),
              epochs.getOrDefault(master.get(2).toString(), 0L),
              new RedisEndpoint(name, master.get(1).toInteger(), password)));
    }
    return owned;
  }

  /**
   * A range of slots and the master that one seed names for it.
   *
   * @param epoch the master's configuration epoch, as the seed knows it
   */
  private record Owned(int first, int last, long epoch, RedisEndpoint master) {}
}
