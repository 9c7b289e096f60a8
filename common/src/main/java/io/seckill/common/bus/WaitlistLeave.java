package io.seckill.common.bus;

import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;

/**
 * A buyer's wish to wait no longer. Answered the same when he did not wait.
 *
 * @param user from the verified token
 * @param item what he waited for
 */
public record WaitlistLeave(UserId user, ItemId item) {}
