package io.seckill.common.bus;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import java.util.List;

/**
 * A page of what is to be released.
 *
 * @param releases by id ascending; an empty page is the end. One stays here until the entry of its
 *     release is stored, so it may be told although Redis has done it
 */
public record Releases(List<Release> releases) {

  /** Copies the list. */
  public Releases {
    releases = List.copyOf(releases);
  }

  /**
   * One win that is to be released.
   *
   * @param id of the request; rises with time
   * @param user whose win
   * @param win its place in the shard's log
   * @param reason a word for people
   * @param items the items of all its lines, ascending
   */
  public record Release(long id, UserId user, EntryId win, String reason, List<ItemId> items) {

    /** Copies the list. */
    public Release {
      items = List.copyOf(items);
    }
  }
}
