package io.seckill.common.log;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.item.ItemState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Reads the fields of a stream entry. The only place in Java that knows their names. */
public final class LogEntries {

  private static final int MAX_LINES = 8;
  private static final int WIN_PARTS = 5;
  private static final int MAX_UNITS = 1_000_000;
  private static final int MAX_SHARD = 1_022;

  private static final Pattern NUMBER = Pattern.compile("0|[1-9][0-9]{0,18}");
  private static final Pattern DIGEST = Pattern.compile("[A-Za-z0-9_-]{0,16}");
  private static final Pattern CURRENCY = Pattern.compile("[A-Z]{3}");

  private LogEntries() {}

  /**
   * Reads one entry, strictly: an entry made by hand must not become an order by luck.
   *
   * @param id the stream id
   * @param fields its fields
   * @throws MalformedEntryException when anything is missing, unknown or out of range
   */
  public static LogEntry parse(String id, Map<String, String> fields) {
    try {
      EntryId place = EntryId.parse(id);
      if (fields.containsKey("win")) {
        return win(place, fields);
      }
      long atMs = nonNegative(fields, "t");
      return switch (field(fields, "k")) {
        case "win" -> win(place, atMs, fields);
        case "promo" -> new LogEntry.Promotion(win(place, atMs, fields));
        case "rel" ->
            new LogEntry.Release(
                place,
                atMs,
                new UserId(field(fields, "u")),
                EntryId.parse(field(fields, "w")),
                field(fields, "r"),
                releasedLines(field(fields, "l")));
        case "in" ->
            new LogEntry.UnitsIn(
                place,
                atMs,
                ItemId.parse(field(fields, "i")),
                nonNegative(fields, "m"),
                nonNegative(fields, "n"));
        case "out" ->
            new LogEntry.UnitsOut(
                place,
                atMs,
                ItemId.parse(field(fields, "i")),
                nonNegative(fields, "m"),
                nonNegative(fields, "n"));
        case "send" ->
            new LogEntry.UnitsSent(
                place,
                atMs,
                ItemId.parse(field(fields, "i")),
                positive(fields, "n"),
                shard(field(fields, "d")));
        case "sales" ->
            new LogEntry.SalesSwitched(
                place, atMs, nonNegative(fields, "g"), isStopped(field(fields, "s")));
        case "join" ->
            new LogEntry.Joined(
                place, atMs, ItemId.parse(field(fields, "i")), new UserId(field(fields, "u")));
        case "leave" ->
            new LogEntry.Left(
                place, atMs, ItemId.parse(field(fields, "i")), new UserId(field(fields, "u")));
        case "state" ->
            new LogEntry.ItemChanged(
                place,
                atMs,
                ItemId.parse(field(fields, "i")),
                nonNegative(fields, "g"),
                ItemState.valueOf(field(fields, "s")));
        default -> throw new MalformedEntryException("unknown kind");
      };
    } catch (IllegalArgumentException e) {
      throw new MalformedEntryException(e.getMessage());
    }
  }

  /**
   * A win as scripts write it: one field, because a log has more of them than of all other kinds
   * together, and each field costs the server time. The form with a kind is what earlier versions
   * wrote.
   */
  private static LogEntry.Win win(EntryId place, Map<String, String> fields) {
    String[] parts = field(fields, "win").split("\\|", -1);
    if (parts.length != WIN_PARTS || fields.size() != 1) {
      throw new MalformedEntryException("a win has one field with " + WIN_PARTS + " parts");
    }
    return new LogEntry.Win(
        place,
        nonNegative(parts[2]),
        new UserId(parts[0]),
        digest(parts[1]),
        digest(parts[3]),
        winLines(parts[4]));
  }

  private static LogEntry.Win win(EntryId place, long atMs, Map<String, String> fields) {
    return new LogEntry.Win(
        place,
        atMs,
        new UserId(field(fields, "u")),
        digest(field(fields, "kd")),
        digest(field(fields, "bd")),
        winLines(field(fields, "l")));
  }

  private static String field(Map<String, String> fields, String name) {
    String value = fields.get(name);
    if (value == null) {
      throw new MalformedEntryException("field " + name + " is missing");
    }
    return value;
  }

  private static String digest(String text) {
    if (!DIGEST.matcher(text).matches()) {
      throw new MalformedEntryException("a digest is up to 16 characters of base64url");
    }
    return text;
  }

  private static long nonNegative(Map<String, String> fields, String name) {
    return nonNegative(field(fields, name));
  }

  private static long positive(Map<String, String> fields, String name) {
    long number = nonNegative(fields, name);
    if (number < 1) {
      throw new MalformedEntryException("field " + name + " is 1 or more");
    }
    return number;
  }

  private static int shard(String text) {
    long shard = nonNegative(text);
    if (shard > MAX_SHARD) {
      throw new MalformedEntryException("a shard is out of range");
    }
    return (int) shard;
  }

  private static boolean isStopped(String word) {
    return switch (word) {
      case "STOPPED" -> true;
      case "OPEN" -> false;
      default -> throw new MalformedEntryException("the switch is STOPPED or OPEN");
    };
  }

  /** A second spelling of a number would be a second writer: only scripts write here. */
  private static long nonNegative(String text) {
    if (!NUMBER.matcher(text).matches()) {
      throw new MalformedEntryException("a number is digits without sign and leading zeros");
    }
    return Long.parseLong(text);
  }

  private static int units(String text) {
    long units = nonNegative(text);
    if (units < 1 || units > MAX_UNITS) {
      throw new MalformedEntryException("a quantity is out of range");
    }
    return (int) units;
  }

  private static List<LogEntry.WinLine> winLines(String text) {
    List<LogEntry.WinLine> lines = new ArrayList<>(1);
    for (String[] part : split(text, 7)) {
      if (!CURRENCY.matcher(part[3]).matches()) {
        throw new MalformedEntryException("a currency has three letters");
      }
      lines.add(
          new LogEntry.WinLine(
              ItemId.parse(part[0]),
              units(part[1]),
              nonNegative(part[2]),
              part[3],
              nonNegative(part[4]),
              units(part[5]),
              nonNegative(part[6])));
    }
    for (int i = 1; i < lines.size(); i++) {
      if (lines.get(i - 1).item().compareTo(lines.get(i).item()) >= 0) {
        throw new MalformedEntryException("lines are sorted by item and name each item once");
      }
    }
    return lines;
  }

  private static List<LogEntry.ReleasedLine> releasedLines(String text) {
    List<LogEntry.ReleasedLine> lines = new ArrayList<>(1);
    for (String[] part : split(text, 3)) {
      boolean toStock =
          switch (part[2]) {
            case "stock" -> true;
            case "grant" -> false;
            default -> throw new MalformedEntryException("units go to stock or to the grant");
          };
      lines.add(new LogEntry.ReleasedLine(ItemId.parse(part[0]), units(part[1]), toStock));
    }
    return lines;
  }

  private static List<String[]> split(String text, int width) {
    List<String[]> rows = new ArrayList<>(1);
    for (String row : text.split(",", MAX_LINES + 1)) {
      String[] cells = row.split(":", -1);
      if (cells.length != width || rows.size() == MAX_LINES) {
        throw new MalformedEntryException(
            "a line has " + width + " parts, and lines are 1 to " + MAX_LINES);
      }
      rows.add(cells);
    }
    return rows;
  }
}
