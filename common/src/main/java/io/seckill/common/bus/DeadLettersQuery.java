package io.seckill.common.bus;

import io.seckill.common.id.LetterId;
import io.seckill.common.order.LetterState;

/**
 * Asks for a page of dead letters, by name.
 *
 * @param state only those; null for all
 * @param after the last of the page before; null for the first page
 * @param limit 1 … {@value #MAX_LIMIT}
 */
public record DeadLettersQuery(LetterState state, LetterId after, int limit) {

  /** The longest page. */
  public static final int MAX_LIMIT = 100;
}
