package io.seckill.consumer.store;

import io.seckill.common.log.LogEntries;
import io.seckill.common.log.LogEntry;
import io.seckill.common.log.MalformedEntryException;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.TreeMap;

/**
 * Reads wins back from dead letters. An open letter of a win counts as held, because the buyer was
 * told that he has it.
 */
public final class DeadWins {

  /** ISO 4217 for "no currency": stands where a letter never knew the price. */
  private static final String NO_CURRENCY = "XXX";

  private DeadWins() {}

  /**
   * The wins among letters that never became an order: open ones and released ones.
   *
   * @param rows (epoch, seq, state, payload, …)
   */
  public static List<LogEntry.Win> read(Iterable<Row> rows) {
    List<LogEntry.Win> wins = new ArrayList<>();
    for (Row row : rows) {
      if (counts(LetterState.valueOf(row.getString(2)))) {
        winOf(row).ifPresent(wins::add);
      }
    }
    return wins;
  }

  /** Whether a win in a letter of this state took units: of a released one they came back. */
  public static boolean counts(LetterState state) {
    return switch (state) {
      case OPEN, RELEASED -> true;
      case LOST, FOREIGN -> false;
    };
  }

  /** The win that the letter's entry told; empty when it told none or that is not known. */
  public static Optional<LogEntry.Win> winOf(Row row) {
    return parse(row.getLong(0) + "-" + row.getLong(1), row.getString(3));
  }

  static Optional<LogEntry.Win> parse(String id, String payload) {
    try {
      Map<String, String> fields = new HashMap<>();
      new JsonObject(payload)
          .forEach(field -> fields.put(field.getKey(), String.valueOf(field.getValue())));
      return LogEntries.parse(id, fields).taken();
    } catch (MalformedEntryException | DecodeException e) {
      return Optional.empty();
    }
  }

  /**
   * The win as far as its release tells it: for a letter whose content is gone. Without it the
   * units would come back that never seemed to go.
   */
  static String payloadOf(LogEntry.Release release) {
    TreeMap<Long, Integer> units = new TreeMap<>();
    release.lines().forEach(line -> units.merge(line.item().value(), line.units(), Integer::sum));
    StringJoiner lines = new StringJoiner(",");
    units.forEach(
        (item, count) ->
            lines.add(item + ":" + count + ":0:" + NO_CURRENCY + ":0:" + count + ":0"));
    return new JsonObject()
        .put("k", "win")
        .put("t", Long.toString(release.atMs()))
        .put("u", release.user().value())
        .put("kd", "-")
        .put("bd", "")
        .put("l", lines.toString())
        .encode();
  }
}
