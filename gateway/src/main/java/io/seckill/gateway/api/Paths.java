package io.seckill.gateway.api;

import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.LetterId;
import io.seckill.common.id.OrderId;

/** Ids that stand in a path. What cannot be an id cannot be found either: NOT_FOUND, not 400. */
public final class Paths {

  private Paths() {}

  /**
   * Reads an item id.
   *
   * @throws SeckillException NOT_FOUND for any text that is not its one spelling
   */
  public static ItemId item(String segment) {
    try {
      return ItemId.parse(segment);
    } catch (IllegalArgumentException e) {
      throw notFound();
    }
  }

  /**
   * Reads an order id.
   *
   * @throws SeckillException NOT_FOUND for any text that cannot be one
   */
  public static OrderId order(String segment) {
    try {
      return OrderId.of(segment);
    } catch (IllegalArgumentException e) {
      throw notFound();
    }
  }

  /**
   * Reads the name of a dead letter.
   *
   * @throws SeckillException NOT_FOUND for any text that cannot be one
   */
  public static LetterId letter(String segment) {
    try {
      return LetterId.parse(segment);
    } catch (IllegalArgumentException e) {
      throw notFound();
    }
  }

  /**
   * Reads a number that a table gave.
   *
   * @throws SeckillException NOT_FOUND for any text that is not its one spelling
   */
  public static long number(String segment) {
    if (!segment.matches("[1-9][0-9]{0,17}")) {
      throw notFound();
    }
    return Long.parseLong(segment);
  }

  static SeckillException notFound() {
    return new SeckillException(ErrorCode.NOT_FOUND, ErrorCode.NOT_FOUND.title());
  }
}
