package io.seckill.engine;

import io.seckill.common.bus.SalesRecord;
import io.seckill.lua.ReadItems.Reading;
import io.seckill.lua.SwitchSales;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the stop switch of all sales to the shards. A shard that cannot be reached hears of it
 * when it opens, or from the background. Belongs to one event loop.
 */
final class SalesSwitch {

  private static final Logger LOG = LoggerFactory.getLogger(SalesSwitch.class);

  private final List<ShardSession> sessions;
  private SalesRecord latest = SalesRecord.UNTOUCHED;

  SalesSwitch(List<ShardSession> sessions) {
    this.sessions = sessions;
  }

  /** Whether the newest that this node has heard of says that all sales are stopped. */
  boolean isStopped() {
    return latest.stopped();
  }

  /** Takes what the ledger or a shard says; an older generation than is known changes nothing. */
  void learn(SalesRecord sales) {
    if (sales.generation() > latest.generation()) {
      latest = sales;
    }
  }

  /** Brings it to all shards; completes when each has it or could not be reached. */
  Future<Void> bring() {
    return Future.join(sessions.stream().map(this::bring).toList()).otherwiseEmpty().mapEmpty();
  }

  /**
   * Learns from a reading of all shards, and brings the switch to those that are behind.
   *
   * @param readings one for each shard, in shard order; empty where it could not be read
   */
  void compare(List<Optional<Reading>> readings) {
    readings.forEach(reading -> reading.ifPresent(found -> learn(found.sales())));
    for (int shard = 0; shard < readings.size(); shard++) {
      boolean behind =
          readings
              .get(shard)
              .filter(found -> found.sales().generation() < latest.generation())
              .isPresent();
      if (behind) {
        bring(sessions.get(shard));
      }
    }
  }

  private Future<Void> bring(ShardSession session) {
    SalesRecord sales = latest;
    long timeoutMs = session.callTimeoutMs();
    return ShardSteps.run(
            session,
            "the stop switch",
            (link, epoch) ->
                SwitchSales.run(
                    link, link.fence(epoch, timeoutMs), session.keys(), sales, timeoutMs))
        .onFailure(failure -> LOG.info("the stop switch waits: {}", failure.getMessage()))
        .mapEmpty();
  }
}
