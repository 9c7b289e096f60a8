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

/**
 * Reads wins back from dead letters. An open letter of a win counts as held, because the buyer was
 * told that he has it.
 */
public final class DeadWins {

  private DeadWins() {}

  /**
   * The wins among letters that never became an order: open ones and released ones.
   *
   * @param rows (epoch, seq, state, payload, …)
   */
  public static List<LogEntry.Win> read(Iterable<Row> rows) {
    return read(rows, false);
  }

  /** Only the wins whose letters are open. */
  public static List<LogEntry.Win> readOpen(Iterable<Row> rows) {
    return read(rows, true);
  }

  private static List<LogEntry.Win> read(Iterable<Row> rows, boolean onlyOpen) {
    List<LogEntry.Win> wins = new ArrayList<>();
    for (Row row : rows) {
      String state = row.getString(2);
      boolean wanted = state.equals("OPEN") || (!onlyOpen && state.equals("RELEASED"));
      if (wanted && entryOf(row) instanceof LogEntry.Win win) {
        wins.add(win);
      }
    }
    return wins;
  }

  /** What the letter's entry said; null when that is not known. */
  public static LogEntry entryOf(Row row) {
    try {
      Map<String, String> fields = new HashMap<>();
      new JsonObject(row.getString(3))
          .forEach(field -> fields.put(field.getKey(), String.valueOf(field.getValue())));
      return LogEntries.parse(row.getLong(0) + "-" + row.getLong(1), fields);
    } catch (MalformedEntryException | DecodeException e) {
      return null;
    }
  }
}
