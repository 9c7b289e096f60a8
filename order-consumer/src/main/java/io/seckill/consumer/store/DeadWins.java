package io.seckill.consumer.store;

import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.log.LogEntries;
import io.seckill.common.log.LogEntry;
import io.seckill.common.order.LetterState;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.TreeMap;

/**
 * Reads wins back from dead letters. An open letter of a win counts as held, because the buyer was
 * told that he has it.
 */
public final class DeadWins {

  /** ISO 4217 for "no currency": stands where a letter never knew the price. */
  static final String NO_CURRENCY = "XXX";

  private DeadWins() {}

  /**
   * The wins of letters that count: those whose units no order holds.
   *
   * @param rows (epoch, seq, state, payload, …)
   */
  public static List<LogEntry.Win> read(Iterable<Row> rows) {
    return readEntries(rows).stream().map(LogEntry::taken).flatMap(Optional::stream).toList();
  }

  /** The same, each as the entry that took the units: a win or a promotion. */
  public static List<LogEntry> readEntries(Iterable<Row> rows) {
    List<LogEntry> entries = new ArrayList<>();
    for (Row row : rows) {
      if (counts(LetterState.valueOf(row.getString(2)))) {
        entryOf(row).filter(entry -> entry.taken().isPresent()).ifPresent(entries::add);
      }
    }
    return entries;
  }

  /**
   * Whether a letter of this state stands for the units that its win took; of a released one they
   * came back by an entry of their own. Of a stored one the order says it.
   */
  public static boolean counts(LetterState state) {
    return switch (state) {
      case OPEN, SETTLING, RELEASED -> true;
      case STORED, CLOSED, LOST, FOREIGN -> false;
    };
  }

  /** The win that the letter's entry told; empty when it told none or that is not known. */
  public static Optional<LogEntry.Win> winOf(Row row) {
    return entryOf(row).flatMap(LogEntry::taken);
  }

  /** The letter's entry; empty when nobody can read it. */
  public static Optional<LogEntry> entryOf(Row row) {
    return entryOf(row.getLong(0) + "-" + row.getLong(1), row.getString(3));
  }

  static Optional<LogEntry.Win> parse(String id, String payload) {
    return entryOf(id, payload).flatMap(LogEntry::taken);
  }

  static Optional<LogEntry> entryOf(String id, String payload) {
    try {
      return Optional.of(LogEntries.parse(id, fieldsOf(payload)));
    } catch (RuntimeException | StackOverflowError e) {
      // Whatever a broken entry makes the parser do, it must not stop the others.
      return Optional.empty();
    }
  }

  /** The fields of a letter's payload; fails with DecodeException when it was cut. */
  static Map<String, String> fieldsOf(String payload) {
    Map<String, String> fields = new HashMap<>();
    new JsonObject(payload)
        .forEach(field -> fields.put(field.getKey(), String.valueOf(field.getValue())));
    return fields;
  }

  /**
   * The win as far as its release tells it: for a letter whose content is gone. Without it the
   * units would come back that never seemed to go.
   */
  static String payloadOf(LogEntry.Release release) {
    TreeMap<ItemId, Integer> units = new TreeMap<>();
    release.lines().forEach(line -> units.merge(line.item(), line.units(), Integer::sum));
    return payloadOf(release.user(), release.atMs(), units);
  }

  /** A win of which no more is known than who got what. */
  public static String payloadOf(UserId user, long atMs, SortedMap<ItemId, Integer> units) {
    StringJoiner lines = new StringJoiner(",");
    units.forEach(
        (item, count) ->
            lines.add(item + ":" + count + ":0:" + NO_CURRENCY + ":0:" + count + ":0"));
    return new JsonObject()
        .put("k", "win")
        .put("t", Long.toString(atMs))
        .put("u", user.value())
        .put("kd", "-")
        .put("bd", "")
        .put("l", lines.toString())
        .encode();
  }
}
