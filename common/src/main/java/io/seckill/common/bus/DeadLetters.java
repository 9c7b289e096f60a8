package io.seckill.common.bus;

import java.util.List;

/**
 * A page of dead letters.
 *
 * @param letters by name, without their payloads
 * @param more whether a further page exists
 */
public record DeadLetters(List<DeadLetter> letters, boolean more) {

  /** Copies the list. */
  public DeadLetters {
    letters = List.copyOf(letters);
  }
}
