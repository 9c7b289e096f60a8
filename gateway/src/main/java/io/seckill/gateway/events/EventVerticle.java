package io.seckill.gateway.events;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.OrderEvents;
import io.seckill.common.config.SeckillConfig;
import io.seckill.gateway.GatewayMetrics;
import io.seckill.gateway.board.BoardStore;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.Message;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Keeps the event streams of this process fed: listens to what is published, looks at the board,
 * and asks for what may have been missed. One for each process, so that each published message is
 * read once.
 */
public final class EventVerticle extends VerticleBase {

  /** How late an item's turn may be told; boards come four times a second. */
  private static final long BOARD_LOOK_MS = 100;

  /** A crowd that comes together is asked about together. */
  private static final long WELCOME_MS = 20;

  private static final long MAX_SWEEP_MS = 1_000;

  private final EventDesk desk;
  private final SeckillConfig.Gateway config;
  private final EventHub hub;
  private final LongSupplier epochMs;
  private final long transactionMs;
  private EventSync sync;
  private boolean welcoming;

  /** The latest question to the ledger, or round of them: there is one at a time. */
  private Future<Void> asked = Future.succeededFuture();

  /**
   * A verticle that is not started yet.
   *
   * @param desk where streams come in
   * @param board the store of this process
   * @param config bounds and intervals
   * @param metrics counts
   * @param clocks the clocks
   * @param transactionMs how long a transaction of the ledger may take
   */
  public EventVerticle(
      EventDesk desk,
      BoardStore board,
      SeckillConfig.Gateway config,
      GatewayMetrics metrics,
      EventClocks clocks,
      long transactionMs) {
    this.desk = desk;
    this.config = config;
    this.epochMs = clocks.epochMs();
    this.transactionMs = transactionMs;
    hub = new EventHub(board, config, metrics, clocks);
  }

  @Override
  public Future<?> start() {
    sync = new EventSync(vertx.eventBus(), hub, epochMs, transactionMs);
    vertx.setPeriodic(BOARD_LOOK_MS, unused -> hub.tellItems());
    vertx.setPeriodic(Math.min(config.heartbeatMs(), MAX_SWEEP_MS), unused -> hub.sweep());
    repeat(config::placeIntervalMs, sync::places);
    repeat(this::resyncInMs, this::resync);
    return vertx
        .eventBus()
        .consumer(Addresses.ORDER_EVENTS, this::accept)
        .completion()
        .onSuccess(registered -> desk.open(new EventDesk.Room(context, this::enter, hub::remove)));
  }

  private void accept(Message<OrderEvents> message) {
    // The body is decoded when it is asked for.
    if (!hub.isEmpty()) {
      hub.tell(message.body().events());
    }
  }

  private void enter(EventStream stream) {
    hub.add(stream);
    welcomeSoon();
  }

  private void welcomeSoon() {
    if (!welcoming) {
      welcoming = true;
      vertx.setTimer(
          WELCOME_MS,
          unused -> {
            welcoming = false;
            inTurn(this::welcome);
          });
    }
  }

  private Future<Void> welcome() {
    return sync.welcome()
        .onSuccess(
            told -> {
              if (hub.hasFresh()) {
                welcomeSoon();
              }
            });
  }

  private Future<Void> resync() {
    // Those whose welcome failed are asked about again; whatever comes of it, so are the others.
    return inTurn(() -> welcome().transform(outcome -> sync.orders()));
  }

  private Future<Void> inTurn(Supplier<Future<Void>> questions) {
    asked = asked.transform(before -> questions.get());
    return asked;
  }

  /** Gateways that started together do not ask together. */
  private long resyncInMs() {
    long quarter = config.resyncMs() / 4;
    return config.resyncMs() - quarter + ThreadLocalRandom.current().nextLong(2 * quarter + 1);
  }

  private void repeat(LongSupplier pauseMs, Supplier<Future<Void>> round) {
    vertx.setTimer(
        pauseMs.getAsLong(), unused -> round.get().onComplete(outcome -> repeat(pauseMs, round)));
  }
}
