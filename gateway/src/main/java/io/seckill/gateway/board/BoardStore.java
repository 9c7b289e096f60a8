package io.seckill.gateway.board;

import io.seckill.common.bus.Board;
import io.seckill.common.bus.ItemView;
import io.seckill.common.id.ItemId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * The latest board that this process has heard. Boards arrive from several engines and by two ways,
 * so also out of order: an item's view never replaces a newer one.
 *
 * <p>Old data stays: buyers rather see a minute-old stock than an error. Safe for all threads.
 */
public final class BoardStore {

  /**
   * A board that is dated before the known one is a message that took its time, as long as the
   * known one is younger than this: two rounds of publishing.
   */
  private static final long LATE_MS = 500;

  /**
   * Beyond {@value #LATE_MS} ms a board dated earlier by at most this means that the clock went
   * back: another master dates it since a failover. One that is dated still earlier comes from an
   * engine that has not reached Redis for long.
   */
  private static final long MAX_CLOCK_STEP_MS = 5_000;

  private final AtomicReference<BoardSnapshot> current = new AtomicReference<>();
  private final LongSupplier nanoTime;

  /**
   * Makes a store that knows nothing yet.
   *
   * @param nanoTime a monotonic clock in nanoseconds
   */
  public BoardStore(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Takes a board in. */
  public void accept(Board board) {
    long now = nanoTime.getAsLong();
    current.updateAndGet(known -> known == null ? first(board, now) : merge(known, board, now));
  }

  /** Whether a board has come at all. */
  public boolean isKnown() {
    return current.get() != null;
  }

  /** The newest view of an item, null when it is not on the board. */
  public ItemView find(ItemId item) {
    BoardSnapshot known = current.get();
    return known == null ? null : known.find(item);
  }

  /** The latest snapshot, null before the first board. */
  public BoardSnapshot snapshot() {
    return current.get();
  }

  /** Milliseconds since the latest board came, {@link Long#MAX_VALUE} before the first. */
  public long ageMs() {
    BoardSnapshot known = current.get();
    return known == null
        ? Long.MAX_VALUE
        : TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - known.receivedNanos());
  }

  /**
   * The clock that decides sales, as well as this process knows it: Redis' time on the board plus
   * what has passed since the board came. Epoch milliseconds; only after the first board.
   */
  public long serverTimeMs() {
    BoardSnapshot known = current.get();
    return known.atMs()
        + TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - known.receivedNanos());
  }

  private static BoardSnapshot first(Board board, long nowNanos) {
    return new BoardSnapshot(board.atMs(), nowNanos, board.stopped(), board.items());
  }

  private static BoardSnapshot merge(BoardSnapshot known, Board board, long nowNanos) {
    // A late board may say nothing of which items exist: it would bring archived ones back.
    return isLate(known, board, nowNanos)
        ? known.with(improve(known.items(), board))
        : new BoardSnapshot(
            board.atMs(), nowNanos, board.stopped(), keepNewer(board.items(), known));
  }

  private static boolean isLate(BoardSnapshot known, Board board, long nowNanos) {
    long behindMs = known.atMs() - board.atMs();
    long knownForMs = TimeUnit.NANOSECONDS.toMillis(nowNanos - known.receivedNanos());
    return behindMs > 0 && (knownForMs < LATE_MS || behindMs > MAX_CLOCK_STEP_MS);
  }

  private static List<ItemView> keepNewer(List<ItemView> fresh, BoardSnapshot known) {
    List<ItemView> merged = new ArrayList<>(fresh.size());
    for (ItemView view : fresh) {
      ItemView before = known.find(view.definition().id());
      merged.add(before != null && view.isOlderThan(before) ? before : view);
    }
    return merged;
  }

  private static List<ItemView> improve(List<ItemView> known, Board late) {
    Map<ItemId, ItemView> offered = new HashMap<>();
    for (ItemView view : late.items()) {
      offered.put(view.definition().id(), view);
    }
    List<ItemView> merged = new ArrayList<>(known.size());
    for (ItemView before : known) {
      ItemView view = offered.get(before.definition().id());
      merged.add(view != null && isProvablyNewer(view, before) ? view : before);
    }
    return merged;
  }

  /**
   * Equal marks say nothing about the stock, but for one thing: while no unit comes in, what is
   * sold out stays so.
   */
  private static boolean isProvablyNewer(ItemView view, ItemView before) {
    return !view.isOlderThan(before) && (before.isOlderThan(view) || view.soldOut());
  }
}
