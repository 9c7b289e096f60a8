package io.seckill.consumer.store;

import io.seckill.common.id.EntryId;
import io.seckill.common.log.LogEntries;
import io.seckill.common.log.LogEntry;
import io.seckill.common.log.MalformedEntryException;
import io.vertx.core.json.JsonObject;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * A change as it was read from a log: what it says, or why it has to become a dead letter. Exactly
 * one of {@code entry} and {@code letter} is null.
 *
 * @param id its number as text; the stream id for what no script of ours wrote
 * @param place the same as a place in the log; null for what no script of ours wrote
 * @param entry what it says
 * @param letter why it cannot be stored
 * @param fields its fields as a stream entry of its own would have them
 * @param endsStreamEntry whether it is the last one, or the only one, of its stream entry: then its
 *     id is the stream id, and when it is stored the stream entry is
 */
public record Received(
    String id,
    EntryId place,
    LogEntry entry,
    Letter letter,
    Map<String, String> fields,
    boolean endsStreamEntry) {

  /** The longest reason of a release that the orders table holds. */
  private static final int MAX_REASON = 64;

  /**
   * Reads a stream entry; never throws.
   *
   * @return its changes in the order of their numbers, 1 or more. One that is broken is a letter by
   *     itself; of an entry that nobody can tell apart its id is all that is known
   */
  public static List<Received> read(String streamId, Map<String, String> fields) {
    return read(streamId, fields, place -> true);
  }

  /** Reads some of the changes of a stream entry: those whose place is wanted. */
  public static List<Received> read(
      String streamId, Map<String, String> fields, Predicate<EntryId> wanted) {
    EntryId last = placeOf(streamId);
    if (last == null) {
      return List.of(dead(streamId, null, Letter.MALFORMED, "an id that is not ours", fields));
    }
    List<LogEntries.Change> changes;
    try {
      changes = LogEntries.split(streamId, fields);
    } catch (MalformedEntryException e) {
      return wanted.test(last)
          ? List.of(dead(streamId, last, Letter.MALFORMED, e.getMessage(), fields))
          : List.of();
    }
    List<Received> read = new ArrayList<>(changes.size());
    for (LogEntries.Change change : changes) {
      if (wanted.test(change.place())) {
        read.add(read(change).ending(change.place().equals(last)));
      }
    }
    return read;
  }

  private static Received read(LogEntries.Change change) {
    EntryId place = change.place();
    String id = place.toString();
    Map<String, String> fields = change.fields();
    try {
      LogEntry entry = LogEntries.parse(id, fields);
      if (entry instanceof LogEntry.Release release && release.reason().length() > MAX_REASON) {
        return dead(id, place, Letter.MALFORMED, "the reason is too long", fields);
      }
      return new Received(id, place, entry, null, fields, true);
    } catch (MalformedEntryException e) {
      return dead(id, place, Letter.MALFORMED, e.getMessage(), fields);
    } catch (RuntimeException | StackOverflowError e) {
      // Whatever a broken entry makes the parser do, it must not stop the others.
      return dead(id, place, Letter.MALFORMED, e.toString(), fields);
    }
  }

  private Received ending(boolean ends) {
    return ends == endsStreamEntry ? this : new Received(id, place, entry, letter, fields, ends);
  }

  /**
   * Stands for a change whose content is gone: of its stream entry no more than the id is known.
   */
  public static Received lost(String id, String reason) {
    return new Received(
        id,
        placeOf(id),
        null,
        new Letter(reason, "the content of the entry is not in the log any more", "{}"),
        Map.of(),
        true);
  }

  /** A change that was a dead letter, and is to be stored after all. */
  static Received again(LogEntry entry, Map<String, String> fields) {
    return new Received(entry.id().toString(), entry.id(), entry, null, fields, true);
  }

  /** The same change as a dead letter. */
  Received asLetter(String reason, String detail) {
    return dead(id, place, reason, detail, fields).ending(endsStreamEntry);
  }

  /** The same change as one that no script of ours wrote: it has no place in the log. */
  Received asForeign(String detail) {
    return dead(id, null, Letter.FOREIGN, detail, fields).ending(endsStreamEntry);
  }

  /** The user of a letter's win; empty when it tells no win. */
  String letterUser() {
    return place == null
        ? ""
        : DeadWins.parse(id, letter.payload()).map(win -> win.user().value()).orElse("");
  }

  /** The entry of a letter; empty when nobody can read it. */
  Optional<LogEntry> letterEntry() {
    return DeadWins.entryOf(id, letter.payload());
  }

  /** The first part of the id; may be above the signed range. */
  String epochText() {
    return id.substring(0, id.indexOf('-'));
  }

  /** The second part of the id; may be above the signed range. */
  String seqText() {
    return id.substring(id.indexOf('-') + 1);
  }

  /** Orders by the numbers of the id, as the log is ordered. */
  static int compare(Received a, Received b) {
    if (a.place != null && b.place != null) {
      return a.place.compareTo(b.place);
    }
    int byEpoch = new BigInteger(a.epochText()).compareTo(new BigInteger(b.epochText()));
    return byEpoch != 0
        ? byEpoch
        : new BigInteger(a.seqText()).compareTo(new BigInteger(b.seqText()));
  }

  private static Received dead(
      String id, EntryId place, String reason, String detail, Map<String, String> fields) {
    JsonObject payload = new JsonObject();
    new TreeMap<>(fields).forEach(payload::put);
    return new Received(
        id, place, null, new Letter(reason, detail, payload.encode()), fields, true);
  }

  private static EntryId placeOf(String streamId) {
    try {
      EntryId place = EntryId.parse(streamId);
      return place.epoch() > 0 && place.seq() > 0 ? place : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
