package io.seckill.consumer.db;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Every statement of the module, one file each: {@code sql/<name in lower case>.sql}. Read once,
 * when the class is first used; a missing file is a defect of the build.
 */
public enum Sql {
  ADD_HOLDINGS,
  ADD_ITEM_UNITS,
  APPLY_MOVE,
  AUDIT_BROKEN_ORDERS,
  AUDIT_CLOSED_EPOCHS,
  AUDIT_FIRST_GAP,
  AUDIT_HELD_USERS,
  AUDIT_HOLDINGS,
  AUDIT_ITEM_COUNTERS,
  AUDIT_MOVES,
  AUDIT_OVER_LIMIT,
  AUDIT_UNITS_OUT,
  AUDIT_UNITS_RELEASED,
  AUDIT_WINS,
  CHANGE_ITEM_STATE,
  CLAIM_SHARD,
  CLOSE_DEAD_LETTER,
  CLOSE_EPOCH,
  COUNT_STORED_UP_TO,
  FIND_AUDIT_LOG,
  FIND_CLOSED_EPOCH,
  FIND_CLOSED_EPOCHS,
  FIND_DEAD_LETTER,
  FIND_HIGHEST_STORED,
  FIND_ITEM,
  FIND_ITEMS,
  FIND_ITEM_FOR_UPDATE,
  FIND_LAST_MOVES,
  FIND_LAST_SEQ,
  FIND_LETTER,
  FIND_OPEN_EPOCHS,
  FIND_ORDER,
  FIND_ORDER_LINES,
  FIND_OUTSTANDING_MOVES,
  FIND_REGION,
  FIND_RELEASED_ORDERS,
  FIND_SHARD_FOR_UPDATE,
  FIND_STORED,
  FIND_SURPLUS,
  FIND_TAILS,
  FIND_USER_ORDERS,
  FIND_WRONG_HOLDINGS,
  FINISH_OUTBOX,
  INSERT_AUDIT_LOG,
  INSERT_AUDIT_RUN,
  INSERT_DEAD_LETTERS,
  INSERT_ITEM,
  INSERT_MOVE,
  INSERT_ORDERS,
  INSERT_ORDER_LINES,
  INSERT_REGION,
  INSERT_SHARD,
  INSERT_SHARD_LOG,
  IS_ANYTHING_STORED,
  IS_STORED_BEYOND,
  LOCK_SHARD_SHARE,
  LOWER_EPOCH,
  MARK_CLOSED,
  OPEN_SHARD,
  RELEASE_ORDER,
  SNAPSHOT_ITEMS,
  SNAPSHOT_LETTERS,
  SNAPSHOT_MOVES,
  SNAPSHOT_RECEIPTS,
  SNAPSHOT_RELEASES,
  SNAPSHOT_USERS,
  SNAPSHOT_USER_LETTERS,
  SNAPSHOT_WINS;

  private final String text;

  Sql() {
    this.text = read("sql/" + name().toLowerCase(Locale.ROOT) + ".sql");
  }

  /** The statement, without its comments. */
  public String text() {
    return text;
  }

  /**
   * Reads a resource that holds one statement, and drops the lines that are comments, so that they
   * are not sent with every prepare.
   */
  static String read(String resource) {
    try (InputStream in = Sql.class.getClassLoader().getResourceAsStream(resource)) {
      if (in == null) {
        throw new IOException("no resource " + resource);
      }
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      StringBuilder statement = new StringBuilder(text.length());
      for (String line : text.split("\n", -1)) {
        if (!line.startsWith("--") && !line.isBlank()) {
          statement.append(line).append('\n');
        }
      }
      return statement.toString().strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
