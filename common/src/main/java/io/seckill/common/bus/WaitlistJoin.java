package io.seckill.common.bus;

import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;

/**
 * A buyer's wish to wait in line for one unit of an item that is sold out. Repeating it is
 * harmless: whoever waits keeps his place.
 *
 * @param user from the verified token
 * @param item what he waits for
 */
public record WaitlistJoin(UserId user, ItemId item) {}
