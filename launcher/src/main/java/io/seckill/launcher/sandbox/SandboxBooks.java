package io.seckill.launcher.sandbox;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The sandbox's payments, in memory only: the oldest are forgotten when there are too many, all of
 * them with the process. Belongs to one event loop.
 */
final class SandboxBooks {

  /** Some 40 MB; a demonstration has thousands. */
  private static final int MAX_PAYMENTS = 100_000;

  private final Map<String, SandboxPayment> payments =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, SandboxPayment> eldest) {
          return size() > MAX_PAYMENTS;
        }
      };

  /**
   * The payment of these terms, made when there is none.
   *
   * @return empty when there is one of that name with other terms
   */
  Optional<SandboxPayment> start(SandboxPayment.Terms terms) {
    SandboxPayment payment = payments.computeIfAbsent(terms.id(), id -> new SandboxPayment(terms));
    return payment.terms().equals(terms) ? Optional.of(payment) : Optional.empty();
  }

  Optional<SandboxPayment> find(String id) {
    return Optional.ofNullable(payments.get(id));
  }
}
