package io.seckill.engine;

import io.seckill.common.bus.RegionJoin;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.config.SeckillConfig.Durability;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.lua.RedisLink;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What must hold before an engine serves: the master of each shard answers, never evicts, keeps as
 * much as {@code redis.durability} promises, and shows the same time as this node; and the ledger
 * agrees with S. Each refusal is one sentence that says what to do.
 */
final class StartupChecks {

  private static final Logger LOG = LoggerFactory.getLogger(StartupChecks.class);

  private static final Pattern ONLINE_REPLICA = Pattern.compile("(?m)^slave\\d+:.*state=online");
  private static final Pattern AOF_ENABLED = Pattern.compile("(?m)^aof_enabled:1");

  private final Vertx vertx;
  private final EngineContext engine;
  private final LedgerClient ledger;
  private final SeckillConfig.Redis config;

  /** Servers that were found right, by run id: several shards may share one. */
  private final Set<String> checked = new HashSet<>();

  StartupChecks(Vertx vertx, EngineContext engine, LedgerClient ledger) {
    this.vertx = vertx;
    this.engine = engine;
    this.ledger = ledger;
    this.config = engine.config().redis();
  }

  Future<Void> run() {
    Future<Void> chain = fsyncSurvivesFailover();
    // One after the other: S is at most about a thousand, and each takes a few round trips.
    for (int shard = 0; shard < engine.access().shardCount(); shard++) {
      int next = shard;
      chain = chain.compose(done -> checkMasterOf(next));
    }
    return chain.compose(done -> agreesOnShards());
  }

  /** A replica that is promoted lacks what only its master's disk had. */
  private Future<Void> fsyncSurvivesFailover() {
    boolean failsOver = !config.uri().startsWith("redis://");
    return config.durability() == Durability.FSYNC && failsOver && !config.durabilityForced()
        ? Future.failedFuture(
            "redis.durability fsync survives the crash of one server, but a failover can lose what"
                + " only the old master had synced: set redis.durability to replica, or set"
                + " redis.durabilityForced to true to accept that")
        : Future.succeededFuture();
  }

  private Future<Void> checkMasterOf(int shard) {
    RedisLink probe = engine.access().newLink(vertx, shard);
    return connect(probe)
        .compose(
            up ->
                checked.add(probe.runId())
                    ? neverEvicts(probe)
                        .compose(done -> keepsWhatIsPromised(probe))
                        .compose(done -> showsTheTime(probe))
                    : Future.<Void>succeededFuture())
        .eventually(probe::close);
  }

  private Future<Void> connect(RedisLink probe) {
    Promise<Void> up = Promise.promise();
    long boundMs = 3 * config.connectTimeoutMs();
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
    return setting(probe, "maxmemory-policy", "noeviction")
        .compose(
            policy ->
                policy.orElse("noeviction").equals("noeviction")
                    ? Future.succeededFuture()
                    : refused(
                        "may evict keys (maxmemory-policy "
                            + policy.get()
                            + "): set it to noeviction"));
  }

  private Future<Void> keepsWhatIsPromised(RedisLink probe) {
    return switch (config.durability()) {
      case NONE -> warnOfNoPersistence(probe);
      case FSYNC -> syncsAlways(probe);
      case REPLICA -> hasReplicas(probe);
    };
  }

  private Future<Void> warnOfNoPersistence(RedisLink probe) {
    return info(probe, "persistence")
        .compose(
            persistence ->
                AOF_ENABLED.matcher(persistence).find()
                    ? Future.<Void>succeededFuture()
                    : setting(probe, "save", "a snapshot rule, or appendonly yes")
                        .onSuccess(this::warnWithoutSnapshots)
                        .mapEmpty());
  }

  private void warnWithoutSnapshots(Optional<String> save) {
    if (save.isPresent() && save.get().isEmpty()) {
      LOG.warn(
          "Redis at {} keeps nothing on disk and redis.durability is none: when it restarts, wins"
              + " that are not in MySQL yet end as FAILED(LOST); set appendonly yes to lose about a"
              + " second at most, or redis.durability to fsync or replica to lose none",
          engine.access().address());
    }
  }

  private Future<Void> syncsAlways(RedisLink probe) {
    return setting(probe, "appendonly", "yes")
        .compose(
            on ->
                on.orElse("yes").equals("yes")
                    ? setting(probe, "appendfsync", "always")
                    : refused("has no append-only file: set appendonly yes and appendfsync always"))
        .compose(
            sync ->
                sync.orElse("always").equals("always")
                    ? Future.succeededFuture()
                    : refused(
                        "syncs its append-only file "
                            + sync.get()
                            + ": set appendfsync always, or redis.durability to none"));
  }

  private Future<Void> hasReplicas(RedisLink probe) {
    return info(probe, "replication")
        .compose(
            replication -> {
              int online = 0;
              Matcher replicas = ONLINE_REPLICA.matcher(replication);
              while (replicas.find()) {
                online++;
              }
              return online >= config.waitReplicas()
                  ? Future.succeededFuture()
                  : refused(
                      "has "
                          + online
                          + " replicas online, redis.durability replica waits for "
                          + config.waitReplicas()
                          + ": start replicas, or lower redis.waitReplicas");
            });
  }

  /** Only Redis' clock decides windows; buyers see this node's. */
  private Future<Void> showsTheTime(RedisLink probe) {
    long skewMs = probe.serverTimeMs() - System.currentTimeMillis();
    return wrongTime(skewMs, config.maxClockSkewMs())
        .map(this::<Void>refused)
        .orElseGet(Future::succeededFuture);
  }

  /**
   * What to say of a server's clock.
   *
   * @param skewMs what it shows beyond this node's
   * @param maxSkewMs what is allowed in both directions
   */
  static Optional<String> wrongTime(long skewMs, long maxSkewMs) {
    return Math.abs(skewMs) <= maxSkewMs
        ? Optional.empty()
        : Optional.of(
            "shows a time "
                + Math.abs(skewMs)
                + " ms "
                + (skewMs > 0 ? "after" : "before")
                + " this node's: synchronise both clocks, or raise redis.maxClockSkewMs");
  }

  private <T> Future<T> refused(String what) {
    return Future.failedFuture("Redis at " + engine.access().address() + " " + what);
  }

  /** A setting of the server; empty, with a warning, where it must not be read. */
  private Future<Optional<String>> setting(RedisLink probe, String name, String wanted) {
    return probe
        .send(Request.cmd(Command.CONFIG).arg("GET").arg(name), config.callTimeoutMs())
        .map(reply -> reply.size() < 2 ? Optional.<String>empty() : Optional.of(text(reply.get(1))))
        .recover(
            failure -> {
              LOG.warn(
                  "cannot read {} ({}): make sure that it is {}",
                  name,
                  failure.getMessage(),
                  wanted);
              return Future.succeededFuture(Optional.empty());
            });
  }

  private static String text(Response reply) {
    return reply == null ? "" : reply.toString();
  }

  private Future<String> info(RedisLink probe, String section) {
    return probe
        .send(Request.cmd(Command.INFO).arg(section), config.callTimeoutMs())
        .map(Response::toString);
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
