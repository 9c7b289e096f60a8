package io.seckill.gateway.board;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.Board;
import io.seckill.common.bus.BoardRequest;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;

/**
 * Keeps the board of this process fresh: listens to what engines publish, and asks when nothing has
 * come for a while, which is also how it gets the first one.
 */
public final class BoardVerticle extends VerticleBase {

  /** Engines publish several times a second; after this long something is wrong. */
  private static final long STALE_MS = 1_000;

  private static final long CHECK_MS = 250;

  /**
   * An engine answers from memory. The bus asks engines in turn, so with {@value #STALE_MS} ms of
   * silence and one engine that does not answer, the next one is heard within 2 s: that keeps "sold
   * out" right within 3 s although every published message is lost.
   */
  private static final DeliveryOptions DELIVERY = new DeliveryOptions().setSendTimeout(500);

  private final BoardStore board;
  private final int region;
  private boolean asking;

  /**
   * A verticle that is not started yet.
   *
   * @param board the store of this process
   * @param region the region's number
   */
  public BoardVerticle(BoardStore board, int region) {
    this.board = board;
    this.region = region;
  }

  @Override
  public Future<?> start() {
    Future<Void> registered = vertx.eventBus().consumer(Addresses.BOARD, this::accept).completion();
    vertx.setPeriodic(CHECK_MS, unused -> askWhenStale());
    askWhenStale();
    return registered;
  }

  private void accept(Message<Board> message) {
    take(message.body());
  }

  private void take(Board heard) {
    // Another region has other stock for the same items.
    if (heard.region() == region) {
      board.accept(heard);
    }
  }

  private void askWhenStale() {
    if (asking || board.ageMs() < STALE_MS) {
      return;
    }
    asking = true;
    vertx
        .eventBus()
        .<Board>request(Addresses.BOARD_NOW, new BoardRequest(region), DELIVERY)
        .onSuccess(reply -> take(reply.body()))
        // A failure needs no word: readiness and the age of the board tell of it.
        .onComplete(unused -> asking = false);
  }
}
