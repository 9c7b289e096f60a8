package io.seckill.launcher.sandbox;

import io.vertx.core.json.JsonObject;

/**
 * A payment in the sandbox's books. Belongs to one event loop.
 *
 * <p>The buyer decides once, with a {@link SandboxWish}; what was decided stays.
 */
final class SandboxPayment {

  private final Terms terms;
  private Status status = Status.OPEN;
  private SandboxWish wish;
  private int refusalsLeft;
  private boolean refunded;

  /**
   * What the shop asked for.
   *
   * @param id the shop's name for it
   * @param orderId what it pays for
   * @param amountMinor how much, in minor units
   * @param currency ISO 4217
   */
  record Terms(String id, String orderId, long amountMinor, String currency) {}

  /** Where it stands. */
  enum Status {
    OPEN,
    PAID,
    FAILED
  }

  SandboxPayment(Terms terms) {
    this.terms = terms;
  }

  Terms terms() {
    return terms;
  }

  Status status() {
    return status;
  }

  boolean isRefunded() {
    return refunded;
  }

  /**
   * The buyer decides.
   *
   * @return false when it was decided before; then nothing changes
   */
  boolean decide(SandboxWish decided) {
    if (status != Status.OPEN) {
      return false;
    }
    wish = decided;
    refusalsLeft = decided.refundRefusals();
    status = decided.pays() ? Status.PAID : Status.FAILED;
    return true;
  }

  /**
   * The shop wants the money back; the same again changes nothing.
   *
   * @return false when the buyer wished that the sandbox refuses this time
   */
  boolean refund() {
    if (refusalsLeft > 0) {
      refusalsLeft--;
      return false;
    }
    refunded = true;
    return true;
  }

  /** What the sandbox says of it, whether it is asked or not. */
  JsonObject told() {
    boolean wrong = status != Status.OPEN && wish.tellsWrongAmount();
    return new JsonObject()
        .put("paymentId", terms.id())
        .put("orderId", terms.orderId())
        .put("status", status.name())
        .put("amountMinor", terms.amountMinor() + (wrong ? 1 : 0))
        .put("currency", terms.currency())
        .put("providerRef", "sandbox-" + terms.id());
  }
}
