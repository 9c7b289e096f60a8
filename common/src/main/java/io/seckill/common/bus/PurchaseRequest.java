package io.seckill.common.bus;

import io.seckill.common.id.IdempotencyKey;
import io.seckill.common.id.UserId;
import io.seckill.common.order.PurchaseLine;
import java.util.List;

/**
 * A buyer's wish, as the gateway passes it on.
 *
 * @param user from the verified token
 * @param key the idempotency key, {@link IdempotencyKey#NONE} without one
 * @param lines 1 … 8 lines by item id ascending, without repeats
 * @param budgetMs how long the caller will wait from now, milliseconds; after that the engine must
 *     not start it
 */
public record PurchaseRequest(
    UserId user, IdempotencyKey key, List<PurchaseLine> lines, long budgetMs) {

  /** The most lines of one purchase. */
  public static final int MAX_LINES = 8;

  /** Copies and checks the lines. */
  public PurchaseRequest {
    lines = List.copyOf(lines);
    if (lines.isEmpty() || lines.size() > MAX_LINES) {
      throw new IllegalArgumentException("a purchase has 1 to " + MAX_LINES + " lines");
    }
    for (int i = 1; i < lines.size(); i++) {
      if (lines.get(i - 1).item().compareTo(lines.get(i).item()) >= 0) {
        throw new IllegalArgumentException("lines are sorted by item and name each item once");
      }
    }
  }
}
