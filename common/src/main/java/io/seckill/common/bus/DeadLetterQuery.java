package io.seckill.common.bus;

import io.seckill.common.id.LetterId;

/**
 * Asks for one dead letter, with its payload. NOT_FOUND when there is none of that name.
 *
 * @param id its name
 */
public record DeadLetterQuery(LetterId id) {}
