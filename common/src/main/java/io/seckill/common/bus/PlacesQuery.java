package io.seckill.common.bus;

import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import java.util.List;

/**
 * Asks where buyers stand in the line for an item.
 *
 * @param item what they may wait for
 * @param users 1 … 500 of them
 */
public record PlacesQuery(ItemId item, List<UserId> users) {

  /** The most users of one question: what one script call looks up in well under a millisecond. */
  public static final int MAX_USERS = 500;

  /** Copies and checks the users. */
  public PlacesQuery {
    users = List.copyOf(users);
    if (users.isEmpty() || users.size() > MAX_USERS) {
      throw new IllegalArgumentException("a question is about 1 to " + MAX_USERS + " users");
    }
  }
}
