package io.seckill.engine;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.Board;
import io.seckill.common.bus.ItemView;
import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemRecord;
import io.seckill.common.item.ItemState;
import io.seckill.lua.FenceStatus;
import io.seckill.lua.ReadHead.HeadState;
import io.seckill.lua.ReadItems;
import io.seckill.lua.ReadItems.Reading;
import io.seckill.lua.RedisLink;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads all shards again and again, publishes the board, and finishes changes that were cut off.
 * Belongs to one event loop; at most one reading is under way, and whoever asks meanwhile shares
 * the next one.
 */
final class BoardKeeper {

  private static final Logger LOG = LoggerFactory.getLogger(BoardKeeper.class);

  private final Vertx vertx;
  private final EngineContext engine;
  private final List<ShardSession> sessions;
  private final LedgerClient ledger;
  private final ItemReconciler reconciler;
  private final ItemBoard items = new ItemBoard();

  private List<ItemRecord> records = List.of();
  private List<ItemId> known = List.of();
  private Board latest;
  private Future<Void> reading = Future.succeededFuture();
  private Future<Void> nextTwo;
  private long boardTimer = -1;
  private long ledgerTimer = -1;
  private boolean ledgerBusy;

  BoardKeeper(
      Vertx vertx,
      EngineContext engine,
      List<ShardSession> sessions,
      LedgerClient ledger,
      ItemReconciler reconciler) {
    this.vertx = vertx;
    this.engine = engine;
    this.sessions = sessions;
    this.ledger = ledger;
    this.reconciler = reconciler;
  }

  void start() {
    Context context = vertx.getOrCreateContext();
    engine.soldOut().proveWith(context, this::readTwice);
    boardTimer =
        vertx.setPeriodic(
            engine.config().engine().boardIntervalMs(),
            id -> {
              if (reading.isComplete()) {
                readNext(() -> {});
              }
            });
    ledgerTimer =
        vertx.setPeriodic(0, engine.config().engine().ledgerIntervalMs(), id -> askLedger());
  }

  void stop() {
    vertx.cancelTimer(boardTimer);
    vertx.cancelTimer(ledgerTimer);
  }

  /** The latest board, or null before the first reading. */
  Board latest() {
    return latest;
  }

  /** Makes a changed item known at once, so that the next reading asks for it. */
  void learn(ItemRecord record) {
    ItemId id = record.definition().id();
    if (!known.contains(id) && known.size() < ReadItems.MAX_ITEMS) {
      List<ItemId> more = new ArrayList<>(known);
      more.add(id);
      more.sort(null);
      known = List.copyOf(more);
    }
  }

  /**
   * Two passes that begin after this call, so that what they find dry was dry after it. Callers
   * that come while such passes wait to begin share them. Never fails: a shard that cannot be read
   * is not dry.
   */
  Future<Void> readTwice() {
    if (nextTwo != null) {
      return nextTwo;
    }
    Promise<Void> done = Promise.promise();
    nextTwo = done.future();
    readNext(
            () -> {
              nextTwo = null;
            })
        .compose(first -> readNext(() -> {}))
        .onComplete(done);
    return done.future();
  }

  /** One pass after the one under way: passes never overlap, or two of them would prove nothing. */
  private Future<Void> readNext(Runnable whenItBegins) {
    reading =
        reading.compose(
            before -> {
              whenItBegins.run();
              return readShards();
            });
    return reading;
  }

  private Future<Void> readShards() {
    List<ItemId> asked = known;
    List<Future<Optional<Reading>>> shards = new ArrayList<>(sessions.size());
    for (ShardSession session : sessions) {
      shards.add(read(session, asked));
    }
    return Future.join(shards)
        .map(
            all -> {
              publish(asked, shards.stream().map(Future::result).toList());
              return (Void) null;
            })
        .onFailure(failure -> LOG.error("a reading of the shards could not be shown", failure))
        .otherwiseEmpty();
  }

  private static Future<Optional<Reading>> read(ShardSession session, List<ItemId> asked) {
    RedisLink link = session.isOpen() ? session.link().orElse(null) : null;
    if (link == null) {
      return Future.succeededFuture(Optional.empty());
    }
    long epoch = session.epoch();
    return ReadItems.run(link, session.keys(), asked, session.callTimeoutMs())
        .map(
            found -> {
              Optional<Reading> open =
                  found.filter(
                      reading ->
                          reading.epoch() == epoch
                              && reading.runId().equals(link.runId())
                              && reading.state() == HeadState.OPEN);
              if (open.isEmpty()) {
                // Reading is not fenced, so this is where a quiet shard is seen to need opening.
                session.refused(FenceStatus.FENCED);
              }
              return open;
            })
        .otherwise(Optional.empty());
  }

  private void publish(List<ItemId> asked, List<Optional<Reading>> readings) {
    Map<ItemId, ItemView> views = items.pass(asked, readings, records);
    long atMs =
        readings.stream()
            .flatMap(Optional::stream)
            .mapToLong(Reading::atMs)
            .max()
            .orElse(System.currentTimeMillis());
    engine.soldOut().publish(views);
    latest = new Board(engine.region(), atMs, List.copyOf(views.values()));
    engine.metrics().board(atMs, (int) views.values().stream().filter(ItemView::soldOut).count());
    engine.metrics().openShards((int) sessions.stream().filter(ShardSession::isOpen).count());
    vertx.eventBus().publish(Addresses.BOARD, latest);
  }

  private void askLedger() {
    if (ledgerBusy) {
      return;
    }
    ledgerBusy = true;
    ledger
        .items()
        .onSuccess(
            found -> {
              records = found;
              found.forEach(this::finish);
            })
        .recover(failure -> Future.succeededFuture(records))
        .compose(found -> askShards())
        .onComplete(
            done -> {
              ledgerBusy = false;
            });
  }

  /** Brings what the ledger has decided to the shards that do not show it. */
  private void finish(ItemRecord record) {
    boolean behind =
        record.state() != ItemState.CREATED
            && (!record.outstanding().isEmpty()
                || items.lowestGeneration(record.definition().id()) < record.generation());
    if (behind && sessions.stream().anyMatch(ShardSession::isOpen)) {
      reconciler
          .reconcile(record)
          .onFailure(
              failure ->
                  LOG.debug(
                      "item {} is not yet as the ledger says: {}",
                      record.definition().id(),
                      failure.getMessage()));
    }
  }

  /** The ledger may be away; what the shards know of is on sale all the same. */
  private Future<Void> askShards() {
    List<Future<List<ItemId>>> asks = new ArrayList<>(sessions.size());
    for (ShardSession session : sessions) {
      asks.add(
          session
              .link()
              .map(link -> ReadItems.known(link, session.keys(), session.callTimeoutMs()))
              .orElseGet(() -> Future.succeededFuture(List.<ItemId>of()))
              .otherwise(List.of()));
    }
    return Future.join(asks)
        .map(
            all -> {
              // The ledger's come first, newest first; what only the shards know fills what is
              // left.
              Set<ItemId> union = new LinkedHashSet<>();
              records.forEach(record -> union.add(record.definition().id()));
              asks.forEach(ask -> union.addAll(ask.result()));
              known =
                  union.stream()
                      .filter(item -> !items.isSettled(item))
                      .limit(ReadItems.MAX_ITEMS)
                      .sorted()
                      .toList();
              return null;
            });
  }
}
