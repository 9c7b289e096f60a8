package io.seckill.gateway.token;

import io.seckill.common.id.UserId;
import java.util.Set;

/**
 * Who a verified token speaks for.
 *
 * @param user the subject
 * @param roles roles that the issuer gave; buyers have none
 * @param untilMs when it stops doing so, with the tolerance for clocks, epoch milliseconds
 */
public record Identity(UserId user, Set<String> roles, long untilMs) {

  /** The role of operators. */
  public static final String ADMIN = "admin";

  /** Copies the roles. */
  public Identity {
    roles = Set.copyOf(roles);
  }

  /** Whether this is an operator. */
  public boolean isAdmin() {
    return roles.contains(ADMIN);
  }
}
