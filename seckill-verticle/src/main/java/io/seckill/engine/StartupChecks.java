package io.seckill.engine;

import io.seckill.common.bus.RegionJoin;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.lua.RedisLink;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What must hold before an engine serves: Redis answers, never evicts, and the ledger agrees with
 * S. Each refusal is one sentence that says what to do.
 */
final class StartupChecks {

  private static final Logger LOG = LoggerFactory.getLogger(StartupChecks.class);

  private final Vertx vertx;
  private final EngineContext engine;
  private final LedgerClient ledger;

  StartupChecks(Vertx vertx, EngineContext engine, LedgerClient ledger) {
    this.vertx = vertx;
    this.engine = engine;
    this.ledger = ledger;
  }

  Future<Void> run() {
    RedisLink probe = engine.access().newLink(vertx, 0);
    return connect(probe)
        .compose(up -> neverEvicts(probe))
        .eventually(probe::close)
        .compose(done -> agreesOnShards());
  }

  private Future<Void> connect(RedisLink probe) {
    Promise<Void> up = Promise.promise();
    long boundMs = 3 * engine.config().redis().connectTimeoutMs();
    long timer =
        vertx.setTimer(
            boundMs,
            id ->
                up.tryFail(
                    "cannot reach a Redis master at "
                        + engine.access().address()
                        + " within "
                        + boundMs
                        + " ms ("
                        + probe.lastFailure()
                        + "): start it, or set redis.uri and redis.password"));
    probe.open(up::tryComplete);
    return up.future().onComplete(done -> vertx.cancelTimer(timer));
  }

  private Future<Void> neverEvicts(RedisLink probe) {
    return probe
        .send(
            Request.cmd(Command.CONFIG).arg("GET").arg("maxmemory-policy"),
            engine.config().redis().callTimeoutMs())
        .recover(
            failure -> {
              LOG.warn(
                  "cannot read maxmemory-policy ({}): make sure it is noeviction",
                  failure.getMessage());
              return Future.succeededFuture(null);
            })
        .compose(
            reply -> {
              String policy =
                  reply == null || reply.size() < 2 ? "noeviction" : reply.get(1).toString();
              return policy.equals("noeviction")
                  ? Future.succeededFuture()
                  : Future.failedFuture(
                      "Redis at "
                          + engine.access().address()
                          + " may evict keys (maxmemory-policy "
                          + policy
                          + "): set it to noeviction");
            });
  }

  /** A ledger that is away now does not stop an engine whose shards are open. */
  private Future<Void> agreesOnShards() {
    return ledger
        .join(new RegionJoin(engine.region(), engine.access().shardCount()))
        .<Void>mapEmpty()
        .recover(
            failure ->
                failure instanceof SeckillException e && e.code() == ErrorCode.CONFLICT
                    ? Future.failedFuture(failure)
                    : Future.succeededFuture());
  }
}
