package io.seckill.common.role;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** What a process may be. Any set of roles fits into one process. */
public enum Role {
  /** Serves buyers and operators over HTTP. */
  GATEWAY,
  /** Decides who gets a unit. */
  SECKILL,
  /** Stores orders; keeps the ledger. */
  CONSUMER;

  /**
   * Reads {@code all} or a comma-separated list of role names.
   *
   * @throws IllegalArgumentException naming what is allowed
   */
  public static Set<Role> parse(String text) {
    if (text.equals("all")) {
      return EnumSet.allOf(Role.class);
    }
    EnumSet<Role> roles = EnumSet.noneOf(Role.class);
    for (String name : text.split(",", -1)) {
      try {
        roles.add(valueOf(name.trim().toUpperCase(Locale.ROOT)));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "unknown role '" + name.trim() + "'; roles are all, gateway, seckill, consumer", e);
      }
    }
    return roles;
  }
}
