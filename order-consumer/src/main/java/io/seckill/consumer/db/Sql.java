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
  ADD_ITEM_UNITS_IN_TRANSIT,
  APPLY_MOVE,
  ARCHIVE_ITEM,
  AUDIT_BROKEN_ORDERS,
  AUDIT_CLOSED_EPOCHS,
  AUDIT_ENDED_ORDERS,
  AUDIT_FIRST_GAP,
  AUDIT_HELD,
  AUDIT_HOLDINGS,
  AUDIT_ITEM_COUNTERS,
  AUDIT_OVER_GROUP_LIMIT,
  AUDIT_PENDING_TRANSFERS,
  AUDIT_SENT,
  AUDIT_SHARDS,
  AUDIT_TRANSFERS,
  AUDIT_UNITS_OUT,
  AUDIT_WAITERS,
  AUDIT_WAITING,
  CANCEL_ORDERS,
  CHANGE_ITEM,
  CHANGE_SALES,
  CLAIM_SHARD,
  CLOSE_DEAD_LETTER,
  CLOSE_EPOCH,
  COUNT_STORED_UP_TO,
  COUNT_UNRELEASABLE,
  DELETE_FORGOTTEN_WAITERS,
  DELETE_NOTIFICATIONS,
  DELETE_WAITERS,
  END_LETTER,
  FIND_ANY_LETTER,
  FIND_AUDIT_LOG,
  FIND_CHANGED_ORDERS,
  FIND_CLOSED_EPOCH,
  FIND_CLOSED_EPOCHS,
  FIND_DEAD_LETTER,
  FIND_DUE_NOTIFICATIONS,
  FIND_DUE_ORDERS,
  FIND_DUE_PAYMENTS,
  FIND_DUE_REFUNDS,
  FIND_ENDED_ITEMS,
  FIND_FIRST_NOTIFICATIONS,
  FIND_FORGOTTEN_WAITERS,
  FIND_GROUP,
  FIND_GROUP_ITEMS,
  FIND_HELD_USERS,
  FIND_HIGHEST_STORED,
  FIND_ITEM,
  FIND_ITEMS,
  FIND_ITEM_FOR_UPDATE,
  FIND_LAST_MOVE,
  FIND_LAST_MOVES,
  FIND_LAST_SEQ,
  FIND_LETTER,
  FIND_LETTERS,
  FIND_LETTERS_IN,
  FIND_MOVE_OUT,
  FIND_NOTIFICATIONS,
  FIND_NOTIFICATION_BACKLOG,
  FIND_NOTIFICATION_STATE,
  FIND_OPEN_EPOCHS,
  FIND_OPEN_PAYMENT,
  FIND_ORDER,
  FIND_ORDER_BACKLOG,
  FIND_ORDER_FOR_UPDATE,
  FIND_ORDER_LINES,
  FIND_OUTSTANDING_MOVES,
  FIND_PAYMENT,
  FIND_PAYMENT_FOR_UPDATE,
  FIND_PENDING_OUT,
  FIND_REFUND_BACKLOG,
  FIND_REGION,
  FIND_RELEASED_ORDERS,
  FIND_RELEASES,
  FIND_REQUEST_MOVES,
  FIND_SALES,
  FIND_SALES_FOR_UPDATE,
  FIND_SHARD,
  FIND_SHARD_FOR_UPDATE,
  FIND_STORED,
  FIND_SURPLUS,
  FIND_TAILS,
  FIND_TRANSFERS,
  FIND_UNARCHIVED_ITEMS,
  FIND_USER_ORDERS,
  FIND_WAITERS,
  FIND_WRONG_HOLDINGS,
  FINISH_ARCHIVED,
  FINISH_NOTIFICATIONS,
  FINISH_ORDER_REFUND,
  FINISH_OUTBOX,
  FINISH_REFUND,
  FINISH_RELEASES,
  FREE_NOTIFICATIONS,
  HOLD_NOTIFICATIONS,
  INSERT_AUDIT_LOG,
  INSERT_AUDIT_RUN,
  INSERT_DEAD_LETTERS,
  INSERT_GROUP,
  INSERT_ITEM,
  INSERT_LETTER_RELEASE,
  INSERT_MOVE,
  INSERT_NOTIFICATIONS,
  INSERT_ORDERS,
  INSERT_ORDER_LINES,
  INSERT_ORDER_REFUNDS,
  INSERT_PAYMENT,
  INSERT_REFUND,
  INSERT_REGION,
  INSERT_RELEASES,
  INSERT_REMOVED_ITEM,
  INSERT_SALES,
  INSERT_SHARD,
  INSERT_SHARD_LOG,
  INSERT_TRANSFER,
  INSERT_WAITERS,
  IS_ANYTHING_STORED,
  IS_STORED_BEYOND,
  LOCK_ITEM,
  LOCK_NOTIFICATION,
  LOCK_ORDER_ITEMS,
  LOCK_SHARD_SHARE,
  LOCK_STORED_ENTRY,
  LOCK_STORED_ORDER,
  LOWER_EPOCH,
  MARK_CLOSED,
  NEXT_LOG_ENTRY,
  NEXT_ORDER,
  OPEN_SHARD,
  PAY_ORDER,
  POSTPONE_PAYMENT,
  POSTPONE_REFUND,
  REFUND_ORDER,
  RELEASE_ORDERS,
  RETRY_NOTIFICATION,
  SETTLE_MOVE_OUT,
  SETTLE_PAYMENT,
  SNAPSHOT_HOLDINGS,
  SNAPSHOT_ITEMS,
  SNAPSHOT_LETTERS,
  SNAPSHOT_RECEIPTS,
  SNAPSHOT_SENT,
  SNAPSHOT_STATES,
  SNAPSHOT_USERS,
  SNAPSHOT_USER_LETTERS,
  SUM_MOVES,
  SUM_RELEASES,
  SUM_WINS,
  TAKE_NOTIFICATIONS;

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
