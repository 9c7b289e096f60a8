package io.seckill.consumer.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Log entries as scripts write them. */
public final class Entries {

  private Entries() {}

  /** Reads a stream entry that holds one change. */
  public static Received one(String id, Map<String, String> fields) {
    List<Received> read = Received.read(id, fields);
    if (read.size() != 1) {
      throw new IllegalArgumentException("not one change: " + fields);
    }
    return read.get(0);
  }

  /** Reads a stream entry that holds the wins of a batch, one line of item 1 each. */
  public static List<Received> batch(long epoch, long lastSeq, List<String> records) {
    return Received.read(
        epoch + "-" + lastSeq, Map.of("t", "1764430000000", "wins", String.join(";", records)));
  }

  /** A win of one line of item 1, as a record of a batch. */
  public static String record(String user, int quantity, int limit) {
    return user + "|-||1:" + line(quantity, limit);
  }

  /** Cuts changes into runs, as long as they come. */
  public static List<List<Received>> runs(List<Received> changes) {
    return LogStore.runs(changes, 1_000);
  }

  /** A win of one line of item 1. */
  public static Received win(long epoch, long seq, String user, int quantity, int limit) {
    return one(epoch + "-" + seq, winFields(user, "1:" + line(quantity, limit)));
  }

  /** A promotion of one line of item 1. */
  public static Received promotion(long epoch, long seq, String user, int quantity, int limit) {
    Map<String, String> fields = new HashMap<>(winFields(user, "1:" + line(quantity, limit)));
    fields.put("k", "promo");
    return one(epoch + "-" + seq, fields);
  }

  /** Units of item 1 that go out. */
  public static Received unitsOut(long epoch, long seq, long move, long units) {
    return one(
        epoch + "-" + seq,
        Map.of("k", "out", "t", "1764430000000", "i", "1", "m", "" + move, "n", "" + units));
  }

  /** Units of item 1 that go to another shard. */
  public static Received send(long epoch, long seq, long units, int toShard) {
    return one(
        epoch + "-" + seq,
        Map.of("k", "send", "t", "1764430000000", "i", "1", "n", "" + units, "d", "" + toShard));
  }

  /** The stop switch comes to a shard. */
  public static Received sales(long epoch, long seq, long generation, String word) {
    return one(
        epoch + "-" + seq,
        Map.of("k", "sales", "t", "1764430000000", "g", "" + generation, "s", word));
  }

  /** {@code join} or {@code leave} of item 1. */
  public static Received waitlist(long epoch, long seq, String kind, String user) {
    return one(epoch + "-" + seq, Map.of("k", kind, "t", "1764430000000", "i", "1", "u", user));
  }

  /** A win of one line of an item. */
  public static Received winOf(
      long epoch, long seq, String user, long item, int quantity, int limit) {
    return one(epoch + "-" + seq, winFields(user, item + ":" + line(quantity, limit)));
  }

  /** A win of two lines: items 1 and 2. */
  public static Received basket(long epoch, long seq, String user, int first, int second) {
    return one(
        epoch + "-" + seq, winFields(user, "1:" + line(first, 100) + ",2:" + line(second, 100)));
  }

  private static String line(int quantity, int limit) {
    return quantity + ":9900:CNY:2:" + limit + ":900000";
  }

  /** The fields of a win. */
  public static Map<String, String> winFields(String user, String lines) {
    return Map.of("k", "win", "t", "1764430000000", "u", user, "kd", "-", "bd", "", "l", lines);
  }

  /** The arrival of units of item 1. */
  public static Received unitsIn(long epoch, long seq, long move, long units) {
    return unitsIn(epoch, seq, 1, move, units);
  }

  /** The arrival of units. */
  public static Received unitsIn(long epoch, long seq, long item, long move, long units) {
    return one(
        epoch + "-" + seq,
        Map.of("k", "in", "t", "1764430000000", "i", "" + item, "m", "" + move, "n", "" + units));
  }

  /** A release of one line of item 1. */
  public static Received release(
      long epoch, long seq, String user, String win, int units, boolean toStock) {
    return one(
        epoch + "-" + seq,
        Map.of(
            "k",
            "rel",
            "t",
            "1764430000000",
            "u",
            user,
            "w",
            win,
            "r",
            "timeout",
            "l",
            "1:" + units + ":" + (toStock ? "stock" : "grant")));
  }

  /** A change of an item's state. */
  public static Received state(long epoch, long seq, long item, long generation, String state) {
    return one(
        epoch + "-" + seq,
        Map.of(
            "k", "state", "t", "1764430000000", "i", "" + item, "g", "" + generation, "s", state));
  }

  /** Wins of one unit by users {@code prefix + seq}. */
  public static List<Received> wins(long epoch, long from, int count, String prefix) {
    List<Received> wins = new ArrayList<>(count);
    for (long seq = from; seq < from + count; seq++) {
      wins.add(win(epoch, seq, prefix + seq, 1, 1));
    }
    return wins;
  }
}
