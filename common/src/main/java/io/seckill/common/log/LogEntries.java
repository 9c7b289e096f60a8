package io.seckill.common.log;

import io.seckill.common.id.Ascii;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.item.ItemState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

/**
 * Reads the fields of a stream entry. The only place in Java that knows their names.
 *
 * <p>A stream entry holds one change and has its number; or it holds all wins that one call of a
 * script decided, and has the number of the last of them.
 */
public final class LogEntries {

  /** Wins of one stream entry: more than the largest batch of purchases has. */
  public static final int MAX_WINS = 1_000;

  private static final String WINS = "wins";
  private static final int RECORD_PARTS = 4;
  private static final int MAX_LINES = 8;
  private static final int MAX_UNITS = 1_000_000;
  private static final int MAX_SHARD = 1_022;

  private static final int MAX_DIGITS = 19;
  private static final int MAX_DIGEST_CHARS = 16;
  private static final int CURRENCY_CHARS = 3;

  private LogEntries() {}

  /**
   * One change of a stream entry.
   *
   * @param place its number
   * @param fields what it says, as a stream entry of its own would say it: for {@link #parse}
   */
  public record Change(EntryId place, Map<String, String> fields) {}

  /**
   * Reads a stream entry, strictly.
   *
   * @param id the stream id
   * @param fields its fields
   * @return its changes, 1 to {@value #MAX_WINS}, in the order of their numbers
   * @throws MalformedEntryException as {@link #split} and {@link #parse} do
   */
  public static List<LogEntry> parseAll(String id, Map<String, String> fields) {
    return split(id, fields).stream()
        .map(change -> parse(change.place().toString(), change.fields()))
        .toList();
  }

  /**
   * Tells the changes of a stream entry apart without reading them: one of them that is broken says
   * nothing of the others.
   *
   * @param id the stream id
   * @param fields its fields
   * @return 1 to {@value #MAX_WINS} changes, whose numbers follow each other and end with the id's
   * @throws MalformedEntryException when nobody can tell how many numbers the entry stands for
   */
  public static List<Change> split(String id, Map<String, String> fields) {
    EntryId last = placeOf(id);
    String wins = fields.get(WINS);
    if (wins == null) {
      return List.of(new Change(last, fields));
    }
    String atMs = field(fields, "t");
    if (fields.size() != 2) {
      throw new MalformedEntryException("wins have a time and nothing else");
    }
    String[] records = wins.split(";", MAX_WINS + 1);
    if (records.length > MAX_WINS || records.length > last.seq()) {
      throw new MalformedEntryException("more wins than there can be");
    }
    List<Change> changes = new ArrayList<>(records.length);
    long before = last.seq() - records.length;
    for (int i = 0; i < records.length; i++) {
      EntryId place = new EntryId(last.epoch(), before + i + 1);
      changes.add(new Change(place, winFields(atMs, records[i])));
    }
    return changes;
  }

  /** A record that cannot be told apart keeps its text, for people; it lacks what a win has. */
  private static Map<String, String> winFields(String atMs, String record) {
    String[] parts = record.split("\\|", -1);
    return parts.length == RECORD_PARTS
        ? Map.of(
            "k", "win", "t", atMs, "u", parts[0], "kd", parts[1], "bd", parts[2], "l", parts[3])
        : Map.of("k", "win", "t", atMs, "record", record);
  }

  private static EntryId placeOf(String id) {
    try {
      return EntryId.parse(id);
    } catch (IllegalArgumentException e) {
      throw new MalformedEntryException(e.getMessage());
    }
  }

  /**
   * Reads one change, strictly: an entry made by hand must not become an order by luck.
   *
   * @param id its place as text
   * @param fields its fields
   * @throws MalformedEntryException when anything is missing, unknown or out of range
   */
  public static LogEntry parse(String id, Map<String, String> fields) {
    try {
      EntryId place = EntryId.parse(id);
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
    if (!isDigest(text)) {
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
    if (!isNumber(text)) {
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
      if (!isCurrency(part[3])) {
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

  // By hand: a dozen patterns for each win were a fifth of what reading it costs.

  private static boolean isNumber(String text) {
    int length = text.length();
    boolean isLong = length > 1;
    return length >= 1
        && length <= MAX_DIGITS
        && !(isLong && text.charAt(0) == '0')
        && areAll(text, c -> c >= '0' && c <= '9');
  }

  private static boolean isDigest(String text) {
    return text.isEmpty() || Ascii.isWord(text, MAX_DIGEST_CHARS, "_-");
  }

  private static boolean isCurrency(String text) {
    return text.length() == CURRENCY_CHARS && areAll(text, c -> c >= 'A' && c <= 'Z');
  }

  private static boolean areAll(String text, IntPredicate allowed) {
    for (int i = 0; i < text.length(); i++) {
      if (!allowed.test(text.charAt(i))) {
        return false;
      }
    }
    return true;
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
