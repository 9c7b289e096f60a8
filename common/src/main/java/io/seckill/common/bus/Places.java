package io.seckill.common.bus;

import io.seckill.common.id.ItemId;
import java.util.List;

/**
 * The answer to a {@link PlacesQuery}.
 *
 * @param item what was asked about
 * @param waiting how many wait for it, asked about or not
 * @param places one for each user asked about who waits; whoever is missing does not wait
 */
public record Places(ItemId item, long waiting, List<WaitlistPlace> places) {

  /** Copies the list. */
  public Places {
    places = List.copyOf(places);
  }
}
