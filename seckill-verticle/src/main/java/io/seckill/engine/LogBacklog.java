package io.seckill.engine;

import io.seckill.common.bus.Backlog;
import io.seckill.common.log.DrainEstimate;
import io.seckill.lua.ReadHead;
import io.seckill.lua.ReadHead.Head;
import io.seckill.lua.RedisLink;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import java.util.List;
import java.util.Optional;

/**
 * What the region's logs hold that is not stored yet, read from the shards' heads. The consumers
 * are not asked: what they have stored and trimmed shows in Redis, and shows also when there is no
 * consumer at all. Belongs to one event loop.
 */
final class LogBacklog {

  private final List<Log> logs;
  private final long maxLogEntries;

  /**
   * The logs of a region.
   *
   * @param maxLogEntries changes in a log beyond which nothing is sold
   */
  LogBacklog(List<ShardSession> sessions, long maxLogEntries) {
    this.logs = sessions.stream().map(session -> new Log(session, new DrainEstimate())).toList();
    this.maxLogEntries = maxLogEntries;
  }

  private record Log(ShardSession session, DrainEstimate estimate) {}

  /**
   * Reads all heads. Never fails: a shard that could not be read now counts as it was, and one that
   * is not open sells nothing and does not count.
   */
  Future<Backlog> read() {
    return Future.join(logs.stream().map(LogBacklog::read).toList()).map(done -> now());
  }

  private static Future<Void> read(Log log) {
    RedisLink link = log.session().link().orElse(null);
    if (link == null) {
      return Future.succeededFuture();
    }
    long timeoutMs = log.session().callTimeoutMs();
    Future<Optional<Head>> head = ReadHead.run(link, log.session().keys(), timeoutMs);
    // An empty log holds nothing, whatever the head tells of one that was deleted.
    Future<Boolean> isEmpty =
        link.send(Request.cmd(Command.XLEN).arg(log.session().keys().log()), timeoutMs)
            .map(length -> length.toLong() == 0);
    return Future.all(head, isEmpty)
        .map(
            done -> {
              head.result().ifPresent(found -> take(log.estimate(), found, isEmpty.result()));
              return (Void) null;
            })
        .otherwiseEmpty();
  }

  private static void take(DrainEstimate estimate, Head head, boolean isEmpty) {
    long unstored = isEmpty ? 0 : head.unstored();
    estimate.read(System.nanoTime(), head.epoch(), head.seq(), unstored);
  }

  private Backlog now() {
    long drainMs = 0;
    double perSecond = 0;
    long most = 0;
    for (Log log : logs) {
      if (log.session().isOpen()) {
        drainMs = Math.max(drainMs, log.estimate().drainMs());
        perSecond += log.estimate().perSecond();
        most = Math.max(most, log.estimate().unstored());
      }
    }
    long fullPerMille = Math.min(most * 1_000 / maxLogEntries, Integer.MAX_VALUE);
    return new Backlog(drainMs, Math.round(perSecond), (int) fullPerMille);
  }
}
