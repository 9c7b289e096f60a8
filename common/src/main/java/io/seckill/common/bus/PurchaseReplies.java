package io.seckill.common.bus;

import java.util.List;

/**
 * What an engine has decided in one turn of its event loop, for one gateway: answers to purchases
 * of one batch or of several, in no order.
 *
 * @param answers at most {@link PurchaseBatch#MAX_PURCHASES}
 */
public record PurchaseReplies(List<Answer> answers) {

  /** Copies the answers. */
  public PurchaseReplies {
    answers = List.copyOf(answers);
  }

  /**
   * The answer to one purchase.
   *
   * @param batch {@link PurchaseBatch#id()}
   * @param index of the purchase in its batch
   * @param reply what became of it
   */
  public record Answer(long batch, int index, PurchaseReply reply) {}
}
