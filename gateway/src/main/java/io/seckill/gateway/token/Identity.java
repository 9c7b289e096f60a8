package io.seckill.gateway.token;

import io.seckill.common.id.UserId;
import java.util.Set;

/**
 * Who a verified token speaks for.
 *
 * @param user the subject
 * @param roles roles that the issuer gave; buyers have none
 */
public record Identity(UserId user, Set<String> roles) {

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
