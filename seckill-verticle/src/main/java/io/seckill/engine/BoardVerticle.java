package io.seckill.engine;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.Board;
import io.seckill.common.bus.BoardRequest;
import io.seckill.common.bus.BusFailures;
import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.ItemChanged;
import io.seckill.common.bus.ReleasesWaiting;
import io.seckill.common.bus.SalesChange;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Opens shards, keeps the board, brings operators' changes to the shards, gives back what is to be
 * released and serves those who wait in line. One for each process.
 */
final class BoardVerticle extends VerticleBase {

  /** How long an operator waits to hear how many units went out, and how often it is looked. */
  private static final long SETTLE_MS = 2_000;

  private static final long SETTLE_POLL_MS = 50;

  private final EngineContext engine;
  private final List<ShardSession> sessions = new ArrayList<>();
  private final List<MessageConsumer<?>> consumers = new ArrayList<>();

  private BoardKeeper keeper;
  private DryPurchases dry;
  private ReceiptScanner scanner;
  private Releaser releaser;
  private ItemReconciler reconciler;
  private LedgerClient ledger;
  private SalesSwitch sales;
  private Waitlist waitlist;
  private Promotions promotions;

  BoardVerticle(EngineContext engine) {
    this.engine = engine;
  }

  @Override
  public Future<?> start() {
    ledger = new LedgerClient(vertx.eventBus());
    ShardOpener opener = opener();
    for (int shard = 0; shard < engine.access().shardCount(); shard++) {
      ShardSession session = new ShardSession(vertx, shard, engine.access(), Optional.of(opener));
      sessions.add(session);
    }
    reconciler = new ItemReconciler(sessions, engine.metrics());
    sales = new SalesSwitch(sessions);
    Transfers transfers =
        new Transfers(
            engine.region(), sessions, ledger, reconciler, engine.groups(), engine.metrics());
    keeper =
        new BoardKeeper(
            vertx, engine, sessions, ledger, new BoardKeeper.Repairs(reconciler, sales, transfers));
    dry = new DryPurchases(vertx, keeper, transfers);
    engine.supply().servedBy(context, dry);
    waitlist = new Waitlist(vertx, engine, sessions, keeper);
    promotions = new Promotions(engine, sessions, keeper, transfers);
    scanner = new ReceiptScanner(vertx, sessions, engine.soldOut(), engine.filters());
    releaser =
        new Releaser(
            vertx,
            new Releaser.Source(
                engine.region(), engine.config().engine().releaseIntervalMs(), ledger),
            sessions,
            engine.groups(),
            keeper::look,
            engine.metrics());
    return new StartupChecks(vertx, engine, ledger)
        .run()
        .compose(done -> onOwnLoop())
        .compose(
            done -> {
              sessions.forEach(session -> session.start(() -> {}));
              keeper.start(
                  () -> {
                    dry.passed();
                    promotions.passed();
                  });
              scanner.start();
              releaser.start();
              return register();
            });
  }

  /** Whatever loop the checks ended on, all that follows belongs to this verticle's. */
  private Future<Void> onOwnLoop() {
    Promise<Void> there = Promise.promise();
    context.runOnContext(turn -> there.complete());
    return there.future();
  }

  private ShardOpener opener() {
    return new ShardOpener(
        vertx,
        new ShardOpener.Node(engine.region(), engine.config().node().id()),
        engine.access(),
        ledger,
        new ShardRebuilder(vertx, engine.region(), engine.access(), ledger),
        engine.metrics());
  }

  private Future<?> register() {
    consumers.add(vertx.eventBus().consumer(Addresses.CHANGE_ITEM, this::changeItem));
    consumers.add(vertx.eventBus().consumer(Addresses.CHANGE_SALES, this::changeSales));
    consumers.add(vertx.eventBus().consumer(Addresses.BOARD_NOW, this::boardNow));
    consumers.add(vertx.eventBus().consumer(Addresses.RELEASES, this::releasesWaiting));
    serve(Addresses.JOIN_WAITLIST, waitlist::join);
    serve(Addresses.LEAVE_WAITLIST, waitlist::leave);
    serve(Addresses.WAITLIST_PLACES, waitlist::places);
    return Future.all(consumers.stream().map(MessageConsumer::completion).toList());
  }

  private <T extends Record, R extends Record> void serve(
      String address, Function<T, Future<R>> answer) {
    consumers.add(
        vertx
            .eventBus()
            .<T>consumer(
                address,
                message ->
                    answer
                        .apply(message.body())
                        .onSuccess(message::reply)
                        .onFailure(failure -> BusFailures.reply(message, failure))));
  }

  private void releasesWaiting(Message<ReleasesWaiting> message) {
    releaser.told(message.body().region(), message.body().shard());
  }

  private void boardNow(Message<BoardRequest> message) {
    Board board = keeper.latest();
    if (board == null || message.body().region() != engine.region()) {
      BusFailures.reply(
          message,
          new SeckillException(ErrorCode.UNAVAILABLE, "the engine has not read its shards yet"));
    } else {
      message.reply(board);
    }
  }

  /**
   * The ledger first, then the shards, then the answer. What is cut off in between, the background
   * finishes.
   */
  private void changeItem(Message<ItemChange> message) {
    ItemChange asked = message.body();
    stockHint(asked)
        .map(hint -> asked.over(sessions.size(), hint))
        .compose(
            change ->
                ledger
                    .change(change)
                    .compose(changed -> bring(changed).map(changed))
                    .compose(changed -> settled(change, changed, System.nanoTime())))
        .compose(changed -> keeper.readTwice().map(changed))
        .onSuccess(message::reply)
        .onFailure(failure -> BusFailures.reply(message, failure));
  }

  /** Units go out where they are; the hint tells the ledger where that is. */
  private Future<List<Long>> stockHint(ItemChange asked) {
    boolean mayTakeUnits =
        switch (asked.action()) {
          case WITHDRAW, SET_TOTAL, CAP -> true;
          case PREHEAT, RESTOCK, SET_LIMIT, SET_WINDOW, PAUSE, RESUME, END -> false;
        };
    if (!mayTakeUnits) {
      return Future.succeededFuture(List.of());
    }
    return keeper
        .look(() -> List.of(asked.item()))
        .map(
            looked -> {
              ItemStocks stocks = keeper.stocks(asked.item());
              return stocks == null
                  ? List.<Long>of()
                  : stocks.shards().stream().map(ItemStocks.Shard::left).toList();
            });
  }

  private Future<Void> bring(ItemChanged changed) {
    keeper.learn(changed.record());
    return reconciler.reconcile(changed.record());
  }

  /** How many units really went is known when their entries are stored. */
  private Future<ItemChanged> settled(ItemChange change, ItemChanged changed, long sinceNanos) {
    if (changed.settled() || System.nanoTime() - sinceNanos > SETTLE_MS * 1_000_000) {
      return Future.succeededFuture(changed);
    }
    return vertx
        .timer(SETTLE_POLL_MS)
        .compose(later -> ledger.change(change))
        .compose(again -> settled(change, again, sinceNanos));
  }

  /** The ledger first, then all shards that can be reached, then the answer. */
  private void changeSales(Message<SalesChange> message) {
    ledger
        .change(message.body())
        .compose(
            changed -> {
              sales.learn(changed);
              return sales.bring().compose(done -> keeper.readAll()).map(changed);
            })
        .onSuccess(message::reply)
        .onFailure(failure -> BusFailures.reply(message, failure));
  }

  @Override
  public Future<?> stop() {
    releaser.stop();
    scanner.stop();
    keeper.stop();
    dry.stop();
    return Future.join(consumers.stream().map(MessageConsumer::unregister).toList())
        .eventually(() -> Future.join(sessions.stream().map(ShardSession::stop).toList()));
  }
}
