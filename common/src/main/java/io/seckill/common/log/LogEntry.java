package io.seckill.common.log;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.item.ItemState;
import java.util.List;
import java.util.Optional;

/**
 * One change of a shard, as its log tells it. Scripts write the fields (see {@code
 * docs/architecture.md}, "The log"), {@link LogEntries} reads them.
 */
public sealed interface LogEntry {

  /** The entry's place in the log. */
  EntryId id();

  /** When the script ran, Redis time in epoch milliseconds. */
  long atMs();

  /** The units that the entry takes for a user; empty when it takes none. */
  default Optional<Win> taken() {
    return Optional.empty();
  }

  /**
   * Units taken for a user.
   *
   * @param id place in the log
   * @param atMs Redis time
   * @param user who won
   * @param keyDigest digest of the idempotency key, {@code -} without a key
   * @param bodyDigest digest of a basket's lines; empty for one line, whose quantity says all
   * @param lines 1 … 8, by item id ascending
   */
  record Win(
      EntryId id, long atMs, UserId user, String keyDigest, String bodyDigest, List<WinLine> lines)
      implements LogEntry {

    /** Copies the lines. */
    public Win {
      lines = List.copyOf(lines);
    }

    @Override
    public Optional<Win> taken() {
      return Optional.of(this);
    }
  }

  /**
   * One line of a win.
   *
   * @param item what
   * @param quantity units, 1 or more
   * @param priceMinor price of one unit in minor units when it was won
   * @param currency ISO 4217
   * @param generation the item's generation when it was won
   * @param limitPerUser the limit that the win was checked against
   * @param payWithinMs time to pay, from storing
   */
  record WinLine(
      ItemId item,
      int quantity,
      long priceMinor,
      String currency,
      long generation,
      int limitPerUser,
      long payWithinMs) {}

  /**
   * Units taken for a user who waited for them: a win in everything but how it came about.
   *
   * @param win what he got
   */
  record Promotion(Win win) implements LogEntry {

    @Override
    public EntryId id() {
      return win.id();
    }

    @Override
    public long atMs() {
      return win.atMs();
    }

    @Override
    public Optional<Win> taken() {
      return Optional.of(win);
    }
  }

  /**
   * Held units that went back.
   *
   * @param id place in the log
   * @param atMs Redis time
   * @param user whose units
   * @param win the log place of the win that is released, in the same shard
   * @param reason why: a word of the outbox, for people
   * @param lines what really went back, item and units
   */
  record Release(
      EntryId id, long atMs, UserId user, EntryId win, String reason, List<ReleasedLine> lines)
      implements LogEntry {

    /** Copies the lines. */
    public Release {
      lines = List.copyOf(lines);
    }
  }

  /**
   * One line of a release.
   *
   * @param item what
   * @param units how many went back
   * @param toStock true: may be sold again; false: the sale had ended, the grant is lowered
   */
  record ReleasedLine(ItemId item, int units, boolean toStock) {}

  /**
   * A move was applied: units came in.
   *
   * @param id place in the log
   * @param atMs Redis time
   * @param item what
   * @param move the move's number
   * @param units how many, 0 or more
   */
  record UnitsIn(EntryId id, long atMs, ItemId item, long move, long units) implements LogEntry {}

  /**
   * Units left for another shard; a move of the ledger lets them in there.
   *
   * @param id place in the log
   * @param atMs Redis time
   * @param item what
   * @param units how many, 1 or more
   * @param toShard where they go
   */
  record UnitsSent(EntryId id, long atMs, ItemId item, long units, int toShard)
      implements LogEntry {}

  /**
   * The shard took over the stop switch of all sales.
   *
   * @param id place in the log
   * @param atMs Redis time
   * @param generation the switch's generation
   * @param stopped how it stands now
   */
  record SalesSwitched(EntryId id, long atMs, long generation, boolean stopped)
      implements LogEntry {}

  /**
   * A move out was applied: units left the shard for good, or for the item's reserve.
   *
   * @param id place in the log
   * @param atMs Redis time
   * @param item what
   * @param move the move's number
   * @param units how many really went, 0 or more
   */
  record UnitsOut(EntryId id, long atMs, ItemId item, long move, long units) implements LogEntry {}

  /**
   * A user began to wait for units.
   *
   * @param id place in the log; its number is his place in the waitlist
   * @param atMs Redis time
   * @param item what
   * @param user who
   */
  record Joined(EntryId id, long atMs, ItemId item, UserId user) implements LogEntry {}

  /**
   * A user waits no longer.
   *
   * @param id place in the log
   * @param atMs Redis time
   * @param item what
   * @param user who
   */
  record Left(EntryId id, long atMs, ItemId item, UserId user) implements LogEntry {}

  /**
   * The shard took over an item's definition and state.
   *
   * @param id place in the log
   * @param atMs Redis time
   * @param item what
   * @param generation the generation taken over
   * @param state the state taken over
   */
  record ItemChanged(EntryId id, long atMs, ItemId item, long generation, ItemState state)
      implements LogEntry {}
}
