package io.seckill.consumer.log;

import io.seckill.common.id.ShardRef;
import io.seckill.common.log.DrainEstimate;
import io.seckill.consumer.ConsumerMetrics;
import io.seckill.consumer.ConsumerMetrics.LogProgress;
import io.seckill.lua.ReadHead;
import io.seckill.lua.ReadHead.Head;
import io.seckill.lua.RedisKeys;
import io.seckill.lua.RedisLink;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.OptionalLong;

/**
 * Looks again and again at how far a shard's log is stored, and tells the metrics. It has a timer
 * of its own, because whoever stores stands still while MySQL is away, and that is when somebody
 * wants to know. Belongs to one event loop.
 */
final class LogWatch {

  private static final long EVERY_MS = 1_000;
  private static final LogProgress NOTHING = new LogProgress(0, 0, 0, 0);

  private final Vertx vertx;
  private final ShardRef shard;
  private final RedisKeys keys;
  private final RedisLink link;
  private final long timeoutMs;
  private final ConsumerMetrics metrics;
  private final DrainEstimate estimate = new DrainEstimate();
  private Future<?> looking = Future.succeededFuture();
  private long timer = -1;
  private boolean stopped;

  LogWatch(
      Vertx vertx,
      ShardConsumer.Source source,
      RedisLink link,
      long timeoutMs,
      ConsumerMetrics metrics) {
    this.vertx = vertx;
    this.shard = source.shard();
    this.keys = source.keys();
    this.link = link;
    this.timeoutMs = timeoutMs;
    this.metrics = metrics;
  }

  void start() {
    timer = vertx.setPeriodic(EVERY_MS, id -> look());
  }

  /** The metrics forget the shard: its log is another process's now. */
  void stop() {
    stopped = true;
    vertx.cancelTimer(timer);
    metrics.forget(shard);
  }

  private void look() {
    if (looking.isComplete() && link.isUp()) {
      // Redis away: what was seen last stays.
      looking =
          ReadHead.run(link, keys, timeoutMs)
              .compose(
                  head -> head.isPresent() ? progress(head.get()) : Future.succeededFuture(NOTHING))
              .onSuccess(
                  progress -> {
                    if (!stopped) {
                      metrics.progress(shard, progress);
                    }
                  });
    }
  }

  /** The oldest entry that is there is the oldest that is not stored: stored ones are trimmed. */
  private Future<LogProgress> progress(Head head) {
    return link.send(
            Request.cmd(Command.XRANGE).arg(keys.log()).arg("-").arg("+").arg("COUNT").arg(1),
            timeoutMs)
        .map(
            oldest -> {
              // An empty log holds nothing, whatever the head tells of one that was deleted.
              long unstored = oldest.size() == 0 ? 0 : head.unstored();
              estimate.read(System.nanoTime(), head.epoch(), head.seq(), unstored);
              OptionalLong at = unstored == 0 ? OptionalLong.empty() : atMs(oldest.get(0).get(1));
              return new LogProgress(
                  unstored,
                  at.isPresent() ? Math.max(0, link.serverTimeMs() - at.getAsLong()) : 0,
                  estimate.perSecond(),
                  estimate.drainMs());
            });
  }

  /** When an entry was written, by Redis' clock; empty for one that no script wrote. */
  private static OptionalLong atMs(Response fields) {
    for (int i = 0; i + 1 < fields.size(); i += 2) {
      if (fields.get(i).toString().equals("t")) {
        String text = fields.get(i + 1).toString();
        return text.matches("\\d{1,18}")
            ? OptionalLong.of(Long.parseLong(text))
            : OptionalLong.empty();
      }
    }
    return OptionalLong.empty();
  }
}
