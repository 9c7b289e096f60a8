package io.seckill.common.bus;

import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;

/**
 * Where a buyer stands in the line for an item, over all shards of the region.
 *
 * @param user who waits
 * @param item for one unit of this
 * @param place 1 is served next. It gets smaller while he waits, but for two cases: somebody who
 *     joined another shard at about the same time may come to stand before him, and so it may be
 *     after a shard was written anew
 * @param waiting how many wait for the item, he included
 * @param joined whether this very call put him there; false when he stood there before
 */
public record WaitlistPlace(UserId user, ItemId item, long place, long waiting, boolean joined) {}
