package io.seckill.common.bus;

import io.seckill.common.id.ItemId;
import io.seckill.common.id.LetterId;
import io.seckill.common.id.OrderId;
import io.seckill.common.id.UserId;
import io.seckill.common.order.LetterState;
import java.util.List;

/**
 * A log entry that could not be stored, as an operator sees it.
 *
 * @param id its name
 * @param state where it stands
 * @param reason a bounded word: why it could not be stored
 * @param detail one sentence
 * @param payload the entry's fields as JSON text, perhaps cut; empty in a list, and {@code {}} when
 *     its content was gone
 * @param user whose win it is; null when it tells none
 * @param orderId under which the buyer asks for it; null when it tells no win
 * @param units what its win took, and what settling it gives back; empty when it tells no win
 * @param openedAtMs MySQL's clock
 * @param closedAtMs when it was settled, stored or released, the latest of them, by MySQL's clock;
 *     0 before
 */
public record DeadLetter(
    LetterId id,
    LetterState state,
    String reason,
    String detail,
    String payload,
    UserId user,
    OrderId orderId,
    List<Units> units,
    long openedAtMs,
    long closedAtMs) {

  /** Copies the list. */
  public DeadLetter {
    units = List.copyOf(units);
  }

  /**
   * Units of one item.
   *
   * @param item which
   * @param units how many
   */
  public record Units(ItemId item, long units) {}
}
