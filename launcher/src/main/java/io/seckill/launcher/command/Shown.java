package io.seckill.launcher.command;

import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** How things look in a terminal. */
final class Shown {

  private static final int MAX_NAME_CHARS = 28;
  private static final List<String> HEADINGS =
      List.of("ITEM", "NAME", "STATE", "LEFT", "UNITS", "LIMIT", "STARTS", "ENDS");

  private Shown() {}

  static String table(List<JsonObject> items) {
    return table(HEADINGS, items.stream().map(Shown::row).toList());
  }

  /** Columns as wide as what stands in them; each row has a text for each heading. */
  static String table(List<String> headings, List<List<String>> lines) {
    List<List<String>> rows = new ArrayList<>(List.of(headings));
    rows.addAll(lines);
    int[] widths = new int[headings.size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    StringBuilder out = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
      }
      out.append(out.isEmpty() ? "" : "\n").append(line.toString().stripTrailing());
    }
    return out.toString();
  }

  /**
   * A page of a list as a table, with a word about the next one.
   *
   * @param answer has the list, and {@code next} while there is more
   * @param none what to say of an empty page
   */
  static String page(
      JsonObject answer,
      String list,
      List<String> headings,
      Function<JsonObject, List<String>> row,
      String none) {
    List<List<String>> rows =
        answer.getJsonArray(list).stream().map(JsonObject.class::cast).map(row).toList();
    String next = answer.getString("next");
    return (rows.isEmpty() ? none : table(headings, rows))
        + (next == null ? "" : "\nthere are more: --after " + next);
  }

  private static List<String> row(JsonObject item) {
    boolean soldOut = Boolean.TRUE.equals(item.getValue("soldOut"));
    return List.of(
        text(item, "itemId"),
        cut(text(item, "name")),
        text(item, "state"),
        soldOut ? "sold out" : text(item, "remaining"),
        text(item, "CREATED".equals(item.getValue("state")) ? "stock" : "units"),
        text(item, "limitPerUser"),
        text(item, "startsAt"),
        text(item, "endsAt"));
  }

  /** Each field on a line of its own. */
  static String fields(JsonObject object) {
    int width = object.fieldNames().stream().mapToInt(String::length).max().orElse(0);
    StringBuilder out = new StringBuilder();
    object.forEach(
        field ->
            out.append(out.isEmpty() ? "" : "\n")
                .append(field.getKey())
                .append(" ".repeat(width - field.getKey().length() + 2))
                .append(field.getValue()));
    return out.toString();
  }

  /** A field's value, or a dash. */
  static String text(JsonObject item, String field) {
    Object value = item.getValue(field);
    return value == null ? "-" : value.toString();
  }

  private static String cut(String name) {
    return name.length() <= MAX_NAME_CHARS ? name : name.substring(0, MAX_NAME_CHARS - 1) + "…";
  }
}
