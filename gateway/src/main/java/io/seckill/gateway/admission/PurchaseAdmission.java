package io.seckill.gateway.admission;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.order.PurchaseLine;
import io.seckill.gateway.board.BoardStore;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The layers that only a purchase passes, after its token: item known → room in flight → the logs'
 * backlog → global rate → item rate → the user's window. A layer that refuses gives back what
 * earlier ones had taken, so all of them count only what reaches the engine.
 *
 * <p>State and stock on the board never refuse a purchase here. A buyer who already won must get
 * his order again although the item is sold out, paused or over, and only the engine knows his
 * receipts; until gateways have a complete filter of those, the engine decides.
 *
 * <p>Safe for all threads; shared by all instances of a process.
 */
public final class PurchaseAdmission {

  /**
   * Purchases of this process that may wait for an answer. At 15,000 a second this is two thirds of
   * a second of work; whoever comes later would time out anyway.
   */
  private static final int MAX_IN_FLIGHT = 10_000;

  /** Items that can be on sale at once; the board is bounded by the ledger in the same way. */
  private static final int MAX_ITEMS = 4_096;

  private final BoardStore board;
  private final LongSupplier nanoTime;
  private final BacklogGate backlog;
  private final TokenBucket global;
  private final LoadingCache<ItemId, TokenBucket> byItem;
  private final UserWindows windows;
  private final AtomicInteger inFlight = new AtomicInteger();

  /**
   * Makes all layers empty.
   *
   * @param board what items there are
   * @param config rates, bursts and sizes
   * @param nanoTime a monotonic clock in nanoseconds
   */
  public PurchaseAdmission(
      BoardStore board, SeckillConfig.Admission config, LongSupplier nanoTime) {
    this.board = board;
    this.nanoTime = nanoTime;
    backlog = new BacklogGate(board, config.maxDrainMs(), nanoTime);
    global = new TokenBucket(config.globalPerSecond(), config.globalBurst(), nanoTime.getAsLong());
    byItem =
        Caffeine.newBuilder()
            .maximumSize(MAX_ITEMS)
            .executor(Runnable::run)
            .build(
                item ->
                    new TokenBucket(
                        config.itemPerSecond(), config.itemBurst(), nanoTime.getAsLong()));
    windows = new UserWindows(config, nanoTime);
  }

  /**
   * Lets a purchase in or refuses it.
   *
   * @return null when it is in: then {@link #leave} must be called once when it has its answer
   */
  public Refusal tryEnter(UserId user, List<PurchaseLine> lines) {
    Refusal unknown = unknownItem(lines);
    if (unknown != null) {
      return unknown;
    }
    if (inFlight.incrementAndGet() > MAX_IN_FLIGHT) {
      inFlight.decrementAndGet();
      return Refusal.of(Layer.IN_FLIGHT, ErrorCode.BUSY);
    }
    Refusal refused = backlog.tryPass();
    if (refused == null) {
      refused = limited(user, lines);
      if (refused != null) {
        backlog.giveBack();
      }
    }
    if (refused != null) {
      inFlight.decrementAndGet();
    }
    return refused;
  }

  /**
   * The purchase has its answer.
   *
   * @param mayHaveWon whether units were newly taken for it, or may have been
   */
  public void leave(boolean mayHaveWon) {
    inFlight.decrementAndGet();
    if (!mayHaveWon) {
      backlog.giveBack();
    }
  }

  /** The layer for all that buyers add to a log, be it a purchase or not. */
  public BacklogGate backlog() {
    return backlog;
  }

  /** Purchases that wait for an answer now. */
  public int inFlight() {
    return inFlight.get();
  }

  private Refusal unknownItem(List<PurchaseLine> lines) {
    if (!board.isKnown()) {
      return Refusal.of(Layer.ITEM, ErrorCode.UNAVAILABLE);
    }
    for (PurchaseLine line : lines) {
      if (board.find(line.item()) == null) {
        return Refusal.of(Layer.ITEM, ErrorCode.NOT_FOUND);
      }
    }
    return null;
  }

  private Refusal limited(UserId user, List<PurchaseLine> lines) {
    long now = nanoTime.getAsLong();
    long outcome = global.tryTake(now);
    if (outcome < 0) {
      return Refusal.limited(Layer.GLOBAL_RATE, -outcome);
    }
    int taken = 0;
    for (PurchaseLine line : lines) {
      outcome = byItem.get(line.item()).tryTake(now);
      if (outcome < 0) {
        giveBack(lines, taken);
        return Refusal.limited(Layer.ITEM_RATE, -outcome);
      }
      taken++;
    }
    long waitNanos = windows.tryEnter(user);
    if (waitNanos > 0) {
      giveBack(lines, taken);
      return Refusal.limited(Layer.USER_WINDOW, waitNanos);
    }
    return null;
  }

  private void giveBack(List<PurchaseLine> lines, int itemTokens) {
    global.giveBack();
    for (int i = 0; i < itemTokens; i++) {
      byItem.get(lines.get(i).item()).giveBack();
    }
  }
}
