package io.seckill.launcher.load;

/**
 * How large a crowd is.
 *
 * @param users people, 1 … {@value #MAX_USERS}
 * @param requests clicks of all of them together, 1 … {@value #MAX_REQUESTS}
 * @param limitPerUser what the item allows one user, 1 … 100; nobody asks for more in one click
 */
public record CrowdSize(int users, int requests, int limitPerUser) {

  /** Bounded by what names and tokens take in memory, about half a kilobyte each. */
  public static final int MAX_USERS = 1_000_000;

  /** Bounded by what a click takes in memory, some 9 bytes. */
  public static final int MAX_REQUESTS = 20_000_000;

  /** Checks the ranges. */
  public CrowdSize {
    check("users", users, MAX_USERS);
    check("requests", requests, MAX_REQUESTS);
    check("limit", limitPerUser, 100);
  }

  private static void check(String name, int value, int max) {
    if (value < 1 || value > max) {
      throw new IllegalArgumentException(name + " must be 1 to " + max + ", not " + value);
    }
  }
}
