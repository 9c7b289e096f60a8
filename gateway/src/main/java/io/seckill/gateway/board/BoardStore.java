package io.seckill.gateway.board;

import io.seckill.common.bus.Board;
import io.seckill.common.bus.ItemView;
import io.seckill.common.id.ItemId;
import io.seckill.gateway.board.BoardSnapshot.Known;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
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

  /**
   * An item is forgotten when boards have come without it for this long. An engine that has just
   * started, or that did not itself bring a new item to the shards, publishes boards without it
   * until it has asked the ledger: a second later, or eleven when the ledger does not answer.
   * Meanwhile it is no news that the item is gone; a day after its end, when it is archived, it
   * just stays so much longer.
   */
  private static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(15);

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
    return new BoardSnapshot(
        board.atMs(), nowNanos, board.stopped(), board.backlog(), show(new TreeMap<>(), board));
  }

  private static BoardSnapshot merge(BoardSnapshot known, Board board, long nowNanos) {
    // A late board may say nothing of which items exist: it would bring archived ones back.
    return isLate(known, board, nowNanos)
        ? known.with(improve(known, board))
        : new BoardSnapshot(
            board.atMs(),
            nowNanos,
            board.stopped(),
            board.backlog(),
            show(remembered(known, nowNanos), board));
  }

  private static boolean isLate(BoardSnapshot known, Board board, long nowNanos) {
    long behindMs = known.atMs() - board.atMs();
    long knownForMs = TimeUnit.NANOSECONDS.toMillis(nowNanos - known.receivedNanos());
    return behindMs > 0 && (knownForMs < LATE_MS || behindMs > MAX_CLOCK_STEP_MS);
  }

  /** What a board that shows nothing would leave. */
  private static SortedMap<ItemId, Known> remembered(BoardSnapshot known, long nowNanos) {
    SortedMap<ItemId, Known> items = new TreeMap<>();
    known
        .known()
        .forEach(
            (id, item) -> {
              long sinceNanos = item.lackedSinceNanos().orElse(nowNanos);
              if (nowNanos - sinceNanos < FORGET_NANOS) {
                items.put(id, new Known(item.view(), OptionalLong.of(sinceNanos)));
              }
            });
    return items;
  }

  private static SortedMap<ItemId, Known> show(SortedMap<ItemId, Known> items, Board board) {
    for (ItemView view : board.items()) {
      ItemId id = view.definition().id();
      Known before = items.get(id);
      boolean older = before != null && view.isOlderThan(before.view());
      items.put(id, new Known(older ? before.view() : view, OptionalLong.empty()));
    }
    return items;
  }

  private static SortedMap<ItemId, Known> improve(BoardSnapshot known, Board late) {
    SortedMap<ItemId, Known> items = new TreeMap<>(known.known());
    for (ItemView view : late.items()) {
      items.computeIfPresent(
          view.definition().id(),
          (id, before) ->
              isProvablyNewer(view, before.view())
                  ? new Known(view, before.lackedSinceNanos())
                  : before);
    }
    return items;
  }

  /**
   * Equal marks say nothing about the stock, but for one thing: while no unit comes in, what was
   * sold to the last unit stays so. What is sold out because somebody waits does not: he may leave.
   */
  private static boolean isProvablyNewer(ItemView view, ItemView before) {
    return !view.isOlderThan(before)
        && (before.isOlderThan(view) || (view.soldOut() && view.waiting() == 0));
  }
}
