package io.seckill.consumer.store;

import io.seckill.common.id.EntryId;
import io.seckill.common.log.LogEntries;
import io.seckill.common.log.LogEntry;
import io.seckill.common.log.MalformedEntryException;
import io.vertx.core.json.JsonObject;
import java.math.BigInteger;
import java.util.Map;
import java.util.TreeMap;

/**
 * An entry of a log as it was read: what it says, or why it has to become a dead letter. Exactly
 * one of {@code entry} and {@code letter} is null.
 *
 * @param streamId the id in the stream, canonical decimal numbers
 * @param place the same as a place in the log; null for an entry that no script of ours wrote
 * @param entry what it says
 * @param letter why it cannot be stored
 * @param fields its fields as they were read
 */
public record Received(
    String streamId, EntryId place, LogEntry entry, Letter letter, Map<String, String> fields) {

  /** The longest reason of a release that the orders table holds. */
  private static final int MAX_REASON = 64;

  /** Reads an entry; never throws. */
  public static Received read(String streamId, Map<String, String> fields) {
    EntryId place = placeOf(streamId);
    if (place == null) {
      return dead(streamId, null, Letter.MALFORMED, "an id that is not ours", fields);
    }
    try {
      LogEntry entry = LogEntries.parse(streamId, fields);
      if (entry instanceof LogEntry.Release release && release.reason().length() > MAX_REASON) {
        return dead(streamId, place, Letter.MALFORMED, "the reason is too long", fields);
      }
      return new Received(streamId, place, entry, null, fields);
    } catch (MalformedEntryException e) {
      return dead(streamId, place, Letter.MALFORMED, e.getMessage(), fields);
    } catch (RuntimeException | StackOverflowError e) {
      // Whatever a broken entry makes the parser do, it must not stop the others.
      return dead(streamId, place, Letter.MALFORMED, e.toString(), fields);
    }
  }

  /** Stands for an entry whose content is gone. */
  public static Received lost(String streamId, String reason) {
    return new Received(
        streamId,
        placeOf(streamId),
        null,
        new Letter(reason, "the content of the entry is not in the log any more", "{}"),
        Map.of());
  }

  /** The same entry as a dead letter. */
  Received asLetter(String reason, String detail) {
    return dead(streamId, place, reason, detail, fields);
  }

  /** The same entry as one that no script of ours wrote: it has no place in the log. */
  Received asForeign(String detail) {
    return dead(streamId, null, Letter.FOREIGN, detail, fields);
  }

  /** The user of a letter's win; empty when it tells no win. */
  String letterUser() {
    return place == null
        ? ""
        : DeadWins.parse(streamId, letter.payload()).map(win -> win.user().value()).orElse("");
  }

  /** The first part of the id; may be above the signed range. */
  String epochText() {
    return streamId.substring(0, streamId.indexOf('-'));
  }

  /** The second part of the id; may be above the signed range. */
  String seqText() {
    return streamId.substring(streamId.indexOf('-') + 1);
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
      String streamId, EntryId place, String reason, String detail, Map<String, String> fields) {
    JsonObject payload = new JsonObject();
    new TreeMap<>(fields).forEach(payload::put);
    return new Received(
        streamId, place, null, new Letter(reason, detail, payload.encode()), fields);
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
