package io.seckill.common.bus;

import io.seckill.common.id.UserId;
import java.util.List;

/**
 * Asks for what became of users' orders, for gateways whose streams may have missed a publication.
 *
 * @param users whose, 1 … 500
 * @param sinceMs orders that changed then or later, MySQL time; 0 for all
 */
public record OrdersChangedQuery(List<UserId> users, long sinceMs) {

  /** Copies the list. */
  public OrdersChangedQuery {
    users = List.copyOf(users);
  }
}
