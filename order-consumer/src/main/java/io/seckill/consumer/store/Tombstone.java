package io.seckill.consumer.store;

import io.seckill.common.id.ShardRef;
import io.seckill.common.log.LogEntry;
import io.seckill.common.order.OrderStatus;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;

/**
 * What stands in place of an order that will never be: a FAILED row under the name of its win.
 * Whoever is late and would store the win meets a key that is there; and the buyer finds what
 * became of it. It holds nothing: what the win took, its dead letter says.
 */
final class Tombstone {

  private Tombstone() {}

  /**
   * Writes it.
   *
   * @param entry took units
   * @param reason why the buyer gets nothing
   * @return fails as the client does when the order is there
   */
  static Future<Void> write(
      SqlConnection connection, ShardRef shard, LogEntry entry, String reason) {
    LogEntry.Win win = entry.taken().orElseThrow();
    int quantity = win.lines().stream().mapToInt(LogEntry.WinLine::quantity).sum();
    String currency = currencyOf(win);
    OrderRow order =
        new OrderRow(
            win,
            OrderStatus.FAILED,
            reason,
            0,
            quantity,
            currency.equals(DeadWins.NO_CURRENCY) ? 0 : totalOf(win),
            currency,
            0,
            entry instanceof LogEntry.Promotion);
    return new NewOrders(connection, shard, win.id().epoch()).insert(List.of(order));
  }

  /** That of all lines, if they have one and its sum can be told. */
  private static String currencyOf(LogEntry.Win win) {
    String first = win.lines().get(0).currency();
    boolean same = win.lines().stream().allMatch(line -> line.currency().equals(first));
    return same && totalOf(win) >= 0 ? first : DeadWins.NO_CURRENCY;
  }

  /** −1 for a sum that is too large: then it may be why the win is dead. */
  private static long totalOf(LogEntry.Win win) {
    try {
      long total = 0;
      for (LogEntry.WinLine line : win.lines()) {
        total = Math.addExact(total, Math.multiplyExact(line.priceMinor(), (long) line.quantity()));
      }
      return total;
    } catch (ArithmeticException e) {
      return -1;
    }
  }
}
