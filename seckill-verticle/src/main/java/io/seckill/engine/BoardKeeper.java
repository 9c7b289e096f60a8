package io.seckill.engine;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.Backlog;
import io.seckill.common.bus.Board;
import io.seckill.common.bus.ItemView;
import io.seckill.common.bus.SalesQuery;
import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemRecord;
import io.seckill.common.item.ItemState;
import io.seckill.common.item.Move;
import io.seckill.lua.FenceStatus;
import io.seckill.lua.ReadHead.HeadState;
import io.seckill.lua.ReadItems;
import io.seckill.lua.ReadItems.Reading;
import io.seckill.lua.RedisLink;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads all shards again and again, publishes the board, and finishes changes that were cut off.
 * Belongs to one event loop; at most one pass over the shards is under way, and whoever asks
 * meanwhile shares the next one.
 */
final class BoardKeeper {

  private static final Logger LOG = LoggerFactory.getLogger(BoardKeeper.class);

  /**
   * Passes take at most this part of the time, so that many items in many shards are read less
   * often instead of burdening the servers.
   */
  private static final long PART_OF_TIME = 20;

  /** But so often at least: two passes tell of "sold out", within a second. */
  private static final long SLOWEST_MS = 400;

  /** Shards about whose opening the ledger is asked at a time: one row each. */
  private static final int CONFIRMED_AT_A_TIME = 16;

  private final Vertx vertx;
  private final EngineContext engine;
  private final List<ShardSession> sessions;
  private final LedgerClient ledger;
  private final Repairs repairs;
  private final LogBacklog logs;
  private final ItemBoard items = new ItemBoard();
  private final SaleTrend trend = new SaleTrend();
  private final Set<ItemId> inShards = new HashSet<>();

  private Runnable afterPass = () -> {};
  private List<ItemRecord> records = List.of();
  private List<ItemId> known = List.of();
  private Board latest;
  private Backlog backlog = Backlog.NONE;
  private Future<Void> reading = Future.succeededFuture();
  private Future<Void> timed = Future.succeededFuture();
  private Future<Void> nextTwo;
  private long nextPassNanos = System.nanoTime();
  private long boardTimer = -1;
  private long ledgerTimer = -1;
  private boolean ledgerBusy;
  private int nextConfirmed;

  /** What is done about what a pass shows. */
  record Repairs(ItemReconciler reconciler, SalesSwitch sales, Transfers transfers) {}

  BoardKeeper(
      Vertx vertx,
      EngineContext engine,
      List<ShardSession> sessions,
      LedgerClient ledger,
      Repairs repairs) {
    this.vertx = vertx;
    this.engine = engine;
    this.sessions = sessions;
    this.ledger = ledger;
    this.repairs = repairs;
    this.logs = new LogBacklog(sessions, engine.config().engine().maxLogEntries());
  }

  /**
   * Starts reading.
   *
   * @param afterEachPass runs after each pass, also after those that looked at some items only
   */
  void start(Runnable afterEachPass) {
    afterPass = afterEachPass;
    boardTimer =
        vertx.setPeriodic(
            engine.config().engine().boardIntervalMs(),
            id -> {
              // In its turn behind whoever looks: looks one after the other must not keep it off.
              if (timed.isComplete() && System.nanoTime() - nextPassNanos >= 0) {
                timed = readAll();
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

  /** The number of the latest pass that has ended. */
  long passes() {
    return items.passes();
  }

  /** The item's units as the latest pass that looked at it found them; null when none has. */
  ItemStocks stocks(ItemId item) {
    return items.stocks(item);
  }

  /** Whether, as of the latest pass, nothing of the item is left for whoever does not wait. */
  boolean isSoldOut(ItemId item) {
    return isSoldOut(engine.soldOut().views().get(item));
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
    next(() -> {
          nextTwo = null;
          return passOverAll();
        })
        .compose(first -> readAll())
        .onComplete(done);
    return done.future();
  }

  /** One pass over all shards that begins after this call and looks at all items. Never fails. */
  Future<Void> readAll() {
    return next(this::passOverAll);
  }

  /**
   * One pass over all shards that begins after this call and looks at some items only, at most
   * {@code ReadItems.MAX_ITEMS}. Never fails.
   *
   * @param which asked when the pass begins
   */
  Future<Void> look(Supplier<Collection<ItemId>> which) {
    return next(
        () -> {
          List<ItemId> asked = List.copyOf(which.get());
          return readShards(asked).map(readings -> show(() -> shown(asked, readings)));
        });
  }

  /**
   * One pass after the one under way: passes never overlap, or two of them would prove nothing.
   * Whatever goes wrong in one, the next one comes.
   */
  private Future<Void> next(Supplier<Future<Void>> pass) {
    reading =
        reading
            .compose(before -> pass.get())
            .onFailure(failure -> LOG.error("a pass over the shards failed", failure))
            .otherwiseEmpty();
    return reading;
  }

  private Future<Void> passOverAll() {
    List<ItemId> asked = known;
    long beganNanos = System.nanoTime();
    Future<Backlog> waiting = logs.read();
    return readShards(asked)
        .compose(readings -> waiting.map(found -> readings))
        .map(
            readings -> {
              backlog = waiting.result();
              long tookNanos = System.nanoTime() - beganNanos;
              nextPassNanos =
                  beganNanos + Math.min(PART_OF_TIME * tookNanos, SLOWEST_MS * 1_000_000);
              return show(() -> published(asked, readings));
            });
  }

  private Future<List<Optional<Reading>>> readShards(List<ItemId> asked) {
    List<Future<Optional<Reading>>> shards = new ArrayList<>(sessions.size());
    for (ShardSession session : sessions) {
      shards.add(read(session, asked));
    }
    return Future.join(shards).map(all -> shards.stream().map(Future::result).toList());
  }

  private Void show(Runnable showing) {
    showing.run();
    afterPass.run();
    return null;
  }

  private static Future<Optional<Reading>> read(ShardSession session, List<ItemId> asked) {
    RedisLink link = session.openLink().orElse(null);
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

  private void shown(List<ItemId> asked, List<Optional<Reading>> readings) {
    Map<ItemId, ItemView> before = engine.soldOut().views();
    Map<ItemId, ItemView> views = items.look(asked, readings);
    engine.soldOut().publish(views);
    boolean news =
        asked.stream().anyMatch(item -> isSoldOut(before.get(item)) != isSoldOut(views.get(item)));
    if (news) {
      publish(readings, views);
    }
  }

  private void published(List<ItemId> asked, List<Optional<Reading>> readings) {
    Map<ItemId, ItemView> views = items.pass(asked, readings, records);
    engine.soldOut().publish(views);
    repairs.sales.compare(readings);
    publish(readings, views);
    engine.metrics().backlog(backlog);
    engine.metrics().openShards((int) sessions.stream().filter(ShardSession::isOpen).count());
    long now = System.nanoTime();
    long travelling = 0;
    trend.keepOnly(Set.copyOf(asked));
    for (ItemId item : asked) {
      ItemStocks stocks = items.stocks(item);
      if (stocks != null) {
        travelling += stocks.everywhere() ? stocks.travelling() : 0;
        double[] perSecond = trend.after(stocks, now);
        if (!engine.soldOut().isWaitedFor(item)) {
          repairs.transfers.byTrend(stocks, perSecond);
        }
      }
    }
    engine.metrics().travelling(travelling);
  }

  private static boolean isSoldOut(ItemView view) {
    return view != null && view.soldOut();
  }

  private void publish(List<Optional<Reading>> readings, Map<ItemId, ItemView> views) {
    long atMs =
        readings.stream()
            .flatMap(Optional::stream)
            .mapToLong(Reading::atMs)
            .max()
            .orElse(System.currentTimeMillis());
    latest =
        new Board(
            engine.region(), atMs, repairs.sales.isStopped(), backlog, List.copyOf(views.values()));
    engine.metrics().waiters(views.values().stream().mapToLong(ItemView::waiting).sum());
    engine.metrics().board(atMs, (int) views.values().stream().filter(ItemView::soldOut).count());
    vertx.eventBus().publish(Addresses.BOARD, latest);
  }

  private void askLedger() {
    if (ledgerBusy) {
      return;
    }
    ledgerBusy = true;
    Future.join(ledger.items().onSuccess(found -> records = found), ledger.sales(region()))
        .onComplete(asked -> repairs.transfers.ledgerAnswers(asked.succeeded()))
        .onSuccess(
            asked -> {
              repairs.sales.learn(asked.resultAt(1));
              records.forEach(this::finish);
              confirmSome();
            })
        .otherwiseEmpty()
        .compose(asked -> askShards())
        .onComplete(
            done -> {
              ledgerBusy = false;
            });
  }

  /** Whether the ledger still knows the shards as open is asked of a few at a time. */
  private void confirmSome() {
    for (int i = 0; i < Math.min(CONFIRMED_AT_A_TIME, sessions.size()); i++) {
      sessions.get(nextConfirmed).confirm();
      nextConfirmed = (nextConfirmed + 1) % sessions.size();
    }
  }

  private SalesQuery region() {
    return new SalesQuery(engine.region());
  }

  /** Brings what the ledger has decided to the shards that do not show it. */
  private void finish(ItemRecord record) {
    if (isBehind(record) && sessions.stream().anyMatch(ShardSession::isOpen)) {
      repairs
          .reconciler
          .reconcile(record)
          .onFailure(
              failure ->
                  LOG.debug(
                      "item {} is not yet as the ledger says: {}",
                      record.definition().id(),
                      failure.getMessage()));
    }
  }

  private boolean isBehind(ItemRecord record) {
    ItemId id = record.definition().id();
    return switch (record.state()) {
      case CREATED -> false;
      case ARCHIVED -> inShards.contains(id);
      default ->
          items.lowestGeneration(id) < record.generation()
              || record.outstanding().stream().anyMatch(move -> !isApplied(move));
    };
  }

  /** A move stays outstanding until its entry is stored; the shard may have applied it long ago. */
  private boolean isApplied(Move move) {
    ItemStocks stocks = items.stocks(move.item());
    if (stocks == null) {
      return false;
    }
    ItemStocks.Shard shard = stocks.shards().get(move.shard());
    return shard.readable() && shard.lastMove() >= move.number();
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
              inShards.clear();
              asks.forEach(ask -> inShards.addAll(ask.result()));
              // The ledger's come first, newest first; what only the shards know fills what is
              // left.
              Set<ItemId> union = new LinkedHashSet<>();
              records.forEach(record -> union.add(record.definition().id()));
              union.addAll(inShards);
              records.stream()
                  .filter(record -> record.state() == ItemState.ARCHIVED)
                  .forEach(record -> union.remove(record.definition().id()));
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
