package io.seckill.engine;

import io.seckill.common.bus.ItemView;
import io.seckill.common.id.ItemId;
import io.seckill.engine.ReceiptFilters.Place;
import io.seckill.lua.FenceStatus;
import io.seckill.lua.PromoteWaiters;
import io.seckill.lua.PromoteWaiters.NotPromoted;
import io.seckill.lua.PromoteWaiters.Promoted;
import io.seckill.lua.RedisLink;
import io.vertx.core.Future;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings units and those who wait in line for them together, where the script that brought a unit
 * back has not: after a shard was opened anew, when many units came at once, or when the unit lies
 * in a shard in which nobody waits. Looks after each pass over the shards, so nothing has to be
 * remembered and no unit strands. Belongs to one event loop.
 */
final class Promotions {

  private static final Logger LOG = LoggerFactory.getLogger(Promotions.class);

  private final EngineContext engine;
  private final List<ShardSession> sessions;
  private final BoardKeeper keeper;
  private final Transfers transfers;

  private final Set<Place> underWay = new HashSet<>();

  Promotions(
      EngineContext engine, List<ShardSession> sessions, BoardKeeper keeper, Transfers transfers) {
    this.engine = engine;
    this.sessions = sessions;
    this.keeper = keeper;
    this.transfers = transfers;
  }

  /** To be called after each pass over the shards. */
  void passed() {
    for (ItemView view : engine.soldOut().views().values()) {
      ItemStocks stocks = view.waiting() > 0 ? keeper.stocks(view.definition().id()) : null;
      if (stocks != null && stocks.pass() == keeper.passes() && stocks.selling()) {
        serve(stocks);
      }
    }
  }

  private void serve(ItemStocks stocks) {
    for (int shard = 0; shard < stocks.shards().size(); shard++) {
      ItemStocks.Shard found = stocks.shards().get(shard);
      Place place = new Place(shard, stocks.item());
      if (found.left() > 0 && found.waiters() > 0 && underWay.add(place)) {
        promote(place)
            .onFailure(failure -> LOG.debug("{} is looked at again: {}", place, failure.toString()))
            .onComplete(done -> underWay.remove(place));
      }
    }
    transfers.toWaiters(stocks);
  }

  /** Again and again, until there is no unit or nobody waits. */
  private Future<Void> promote(Place place) {
    ShardSession session = sessions.get(place.shard());
    RedisLink link = session.openLink().orElse(null);
    if (link == null) {
      return Future.succeededFuture();
    }
    ItemId item = place.item();
    long timeoutMs = session.callTimeoutMs();
    return PromoteWaiters.run(
            link,
            link.fence(session.epoch(), timeoutMs),
            session.keys(),
            new PromoteWaiters.Args(
                item,
                engine.groups().idOf(item),
                PromoteWaiters.MAX_WAITERS,
                engine.config().engine().maxLogEntries()),
            timeoutMs)
        .compose(
            result -> {
              if (result instanceof Promoted promoted) {
                engine.metrics().served(promoted.promoted(), promoted.left());
                boolean more = promoted.stock() > 0 && promoted.waiters() > 0;
                return more ? promote(place) : Future.succeededFuture();
              }
              refused(session, ((NotPromoted) result).reason());
              return Future.succeededFuture();
            });
  }

  private static void refused(ShardSession session, PromoteWaiters.Reason reason) {
    switch (reason) {
      case FENCED, FROZEN, EXPIRED -> session.refused(FenceStatus.valueOf(reason.name()));
      case LOST -> session.refused(FenceStatus.FROZEN);
      // The next reading shows what is true now, and the item's group too.
      case IDLE, GROUP, LOG_FULL, NOT_WRITTEN -> {}
    }
  }
}
