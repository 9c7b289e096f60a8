package io.seckill.engine;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.Board;
import io.seckill.common.bus.BoardRequest;
import io.seckill.common.bus.BusFailures;
import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.ItemView;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.ItemId;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Opens shards, keeps the board, and brings operators' changes to the shards. One for each process.
 */
final class BoardVerticle extends VerticleBase {

  private final EngineContext engine;
  private final List<ShardSession> sessions = new ArrayList<>();
  private final List<MessageConsumer<?>> consumers = new ArrayList<>();

  private BoardKeeper keeper;
  private LedgerClient ledger;
  private ItemReconciler reconciler;

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
    reconciler = new ItemReconciler(sessions);
    keeper = new BoardKeeper(vertx, engine, sessions, ledger, reconciler);
    return new StartupChecks(vertx, engine, ledger)
        .run()
        .compose(
            done -> {
              sessions.forEach(session -> session.start(() -> {}));
              keeper.start();
              return register();
            });
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
    consumers.add(vertx.eventBus().consumer(Addresses.BOARD_NOW, this::boardNow));
    return Future.all(consumers.stream().map(MessageConsumer::completion).toList());
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
    ItemChange change =
        new ItemChange(
            asked.requestId(),
            asked.actor(),
            asked.item(),
            asked.action(),
            asked.units(),
            sessions.size());
    ledger
        .change(change)
        .compose(
            record -> {
              keeper.learn(record);
              return reconciler.reconcile(record);
            })
        .compose(done -> keeper.readTwice())
        .compose(done -> view(asked.item()))
        .onSuccess(message::reply)
        .onFailure(failure -> BusFailures.reply(message, failure));
  }

  private Future<ItemView> view(ItemId item) {
    ItemView view = engine.soldOut().views().get(item);
    return view == null
        ? Future.failedFuture(
            new SeckillException(ErrorCode.UNAVAILABLE, "the item is not on the board yet"))
        : Future.succeededFuture(view);
  }

  @Override
  public Future<?> stop() {
    keeper.stop();
    return Future.join(consumers.stream().map(MessageConsumer::unregister).toList())
        .eventually(() -> Future.join(sessions.stream().map(ShardSession::stop).toList()));
  }
}
