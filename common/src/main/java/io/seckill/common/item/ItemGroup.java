package io.seckill.common.item;

import java.util.regex.Pattern;

/**
 * Variants of one thing (colours, sizes) with one limit over all of them. Fixed when the first item
 * of the group is created.
 *
 * @param id {@code [A-Za-z0-9_.-]{1,64}}
 * @param limitPerUser units of all items of the group that one user may hold, 1 … 100
 */
public record ItemGroup(String id, int limitPerUser) {

  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_.-]{1,64}");

  /**
   * Checks the id: it becomes part of a Redis key.
   *
   * @throws IllegalArgumentException when it has another form
   */
  public ItemGroup {
    if (!ID.matcher(id).matches()) {
      throw new IllegalArgumentException("a group's id is 1 to 64 of A-Z a-z 0-9 _ . -");
    }
  }
}
