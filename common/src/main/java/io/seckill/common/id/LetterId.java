package io.seckill.common.id;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names a dead letter: the place that its entry has in a log, {@code region:shard:epoch:seq}. An
 * entry that was made by hand may have any stream id, so both numbers go beyond those of a {@link
 * WinId}.
 *
 * @param region whose log
 * @param shard whose log
 * @param epoch the first number of the stream id, unsigned
 * @param seq the second one, unsigned
 */
public record LetterId(int region, int shard, long epoch, long seq) {

  private static final Pattern FORM =
      Pattern.compile("(\\d{1,5}):(\\d{1,5}):(\\d{1,20}):(\\d{1,20})");

  /** Where a win's letter would be. */
  public static LetterId of(WinId win) {
    return new LetterId(
        win.shard().region(), win.shard().shard(), win.entry().epoch(), win.entry().seq());
  }

  /**
   * Reads what {@link #toString} writes.
   *
   * @throws IllegalArgumentException for any other text
   */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static LetterId parse(String text) {
    Matcher parts = FORM.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException("a letter is named <region>:<shard>:<epoch>:<seq>");
    }
    // A number beyond 64 bits is a NumberFormatException, which is the promised one too.
    return new LetterId(
        Integer.parseInt(parts.group(1)),
        Integer.parseInt(parts.group(2)),
        Long.parseUnsignedLong(parts.group(3)),
        Long.parseUnsignedLong(parts.group(4)));
  }

  /**
   * The place in the log of what a script of ours wrote; empty for a number that none gives out.
   */
  public Optional<WinId> place() {
    boolean shardIsOurs =
        region <= ShardRef.MAX_REGION
            && (shard <= ShardRef.MAX_SHARD || shard == ShardRef.DATABASE);
    boolean entryIsOurs =
        epoch >= 1 && epoch <= EntryId.MAX_EPOCH && seq >= 1 && seq <= EntryId.MAX_SEQ;
    return shardIsOurs && entryIsOurs
        ? Optional.of(WinId.of(region, shard, epoch, seq))
        : Optional.empty();
  }

  /** The first number of the stream id as text. */
  public String epochText() {
    return Long.toUnsignedString(epoch);
  }

  /** The second number of the stream id as text. */
  public String seqText() {
    return Long.toUnsignedString(seq);
  }

  @JsonValue
  @Override
  public String toString() {
    return region + ":" + shard + ":" + epochText() + ":" + seqText();
  }
}
