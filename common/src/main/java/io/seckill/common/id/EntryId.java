package io.seckill.common.id;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/**
 * The place of an entry in a shard's log: the epoch, then the gap-free number within it. Written
 * {@code <epoch>-<seq>}, which is the explicit id of the entry in the Redis stream. Ordered by
 * epoch, then seq.
 *
 * @param epoch 1 … 2^32−1; 0 stands before the first epoch
 * @param seq 1 … 2^48−1 for an entry; 0 means "before the first entry of the epoch"
 */
public record EntryId(long epoch, long seq) implements Comparable<EntryId> {

  /** The largest epoch that an order id can carry. */
  public static final long MAX_EPOCH = (1L << 32) - 1;

  /** The largest seq that an order id can carry. */
  public static final long MAX_SEQ = (1L << 48) - 1;

  /** Digits of the largest seq. */
  private static final int MAX_DIGITS = 15;

  /** Checks the ranges. */
  public EntryId {
    if (epoch < 0 || epoch > MAX_EPOCH || seq < 0 || seq > MAX_SEQ) {
      throw new IllegalArgumentException("entry id out of range");
    }
  }

  /**
   * Reads {@code <epoch>-<seq>} in the one spelling that Redis gives back: ASCII digits without
   * sign or leading zeros, so that no second text names the same entry.
   *
   * @throws IllegalArgumentException for any other text
   */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static EntryId parse(String text) {
    int dash = text.indexOf('-');
    return new EntryId(decimal(text, 0, dash), decimal(text, dash + 1, text.length()));
  }

  private static long decimal(String text, int from, int to) {
    int digits = to - from;
    if (digits < 1 || digits > MAX_DIGITS || (digits > 1 && text.charAt(from) == '0')) {
      throw new IllegalArgumentException("an entry id is <epoch>-<seq>");
    }
    long value = 0;
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if (c < '0' || c > '9') {
        throw new IllegalArgumentException("an entry id is <epoch>-<seq>");
      }
      value = value * 10 + (c - '0');
    }
    return value;
  }

  @Override
  public int compareTo(EntryId other) {
    int byEpoch = Long.compare(epoch, other.epoch);
    return byEpoch != 0 ? byEpoch : Long.compare(seq, other.seq);
  }

  @JsonValue
  @Override
  public String toString() {
    return epoch + "-" + seq;
  }
}
