package io.seckill.consumer.audit;

import io.seckill.common.id.EntryId;
import java.util.Map;
import java.util.TreeMap;

/**
 * A receipt as Redis keeps it, read for comparing; the form is told in {@code receipts.lua}.
 *
 * @param units the number that it begins with
 * @param held its held records: place → units
 */
public record Receipt(long units, Map<EntryId, Long> held) {

  /** No receipt. */
  public static final Receipt NONE = new Receipt(0, Map.of());

  /** Parts of a record; earlier versions wrote no time of the win. */
  private static final int PARTS = 6;

  private static final int STATE = 4;

  /** When a win was won, in ms; 0 when the receipt does not have it, or does not say. */
  public static long wonAtMs(String text, EntryId win) {
    for (String record : text.split(";", -1)) {
      String[] cells = record.split("\\|", -1);
      if (cells.length == PARTS && cells[2].equals(win.toString())) {
        return cells[PARTS - 1].matches("\\d{1,18}") ? Long.parseLong(cells[PARTS - 1]) : 0;
      }
    }
    return 0;
  }

  /** Whether nobody can read it. */
  public boolean isSpoilt() {
    return units < 0;
  }

  /** Reads a receipt; one that is spoilt holds −1 units, which no order agrees with. */
  public static Receipt parse(String text) {
    if (text == null) {
      return NONE;
    }
    try {
      String[] parts = text.split(";", -1);
      TreeMap<EntryId, Long> held = new TreeMap<>();
      for (int i = 1; i < parts.length; i++) {
        String[] cells = parts[i].split("\\|", -1);
        if (cells.length != PARTS && cells.length != PARTS - 1) {
          return new Receipt(-1, Map.of());
        }
        if (cells[STATE].equals("h")) {
          held.merge(EntryId.parse(cells[2]), Long.parseLong(cells[3]), Long::sum);
        }
      }
      return new Receipt(Long.parseLong(parts[0]), held);
    } catch (IllegalArgumentException e) {
      return new Receipt(-1, Map.of());
    }
  }
}
