package io.seckill.common.bus;

import java.util.List;

/**
 * Purchases that came to a gateway in one turn of its event loop. They share a message and nothing
 * else: each is answered as soon as it is decided, in a {@link PurchaseReplies} to {@code replyTo}.
 * The message itself is answered with {@link Done}: an engine has them.
 *
 * @param replyTo the address of the {@link PurchaseSender} that waits for the answers
 * @param id names the batch in answers; unique for its sender
 * @param purchases 1 … {@value #MAX_PURCHASES}; an answer names its purchase by its index here
 */
public record PurchaseBatch(String replyTo, long id, List<PurchaseRequest> purchases) {

  /**
   * The most purchases of one message: four script calls, and some 60 kB where it travels as JSON,
   * so no other message waits behind it for long.
   */
  public static final int MAX_PURCHASES = 512;

  /** Copies and checks the purchases. */
  public PurchaseBatch {
    purchases = List.copyOf(purchases);
    if (purchases.isEmpty() || purchases.size() > MAX_PURCHASES) {
      throw new IllegalArgumentException("a batch has 1 to " + MAX_PURCHASES + " purchases");
    }
  }
}
