package io.seckill.common.bus;

import io.seckill.common.id.LetterId;

/**
 * What an operator does with a dead letter. Answered with the letter as it is afterwards, also when
 * somebody had done it before: asking again is safe, and a time-out leaves the outcome open.
 * NOT_FOUND when there is none of that name; CONFLICT when it cannot be done, and the detail says
 * why.
 *
 * @param requestId of the operator's request; the same id does it once
 * @param actor who asks
 * @param id the letter's name
 * @param action what to do
 */
public record DeadLetterChange(String requestId, String actor, LetterId id, Action action) {

  /** What can be done. */
  public enum Action {
    /** Store what it says after all, past the same guards as the first time. */
    RETRY,
    /** Give it up: the buyer's order fails, and its units go back. */
    SETTLE
  }
}
