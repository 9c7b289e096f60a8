package io.seckill.consumer.payment;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The meters of payments, made once. Safe for use by all event loops. */
public final class PaymentMetrics {

  private final Counter started;
  private final Map<NoticeOutcome, Counter> notices = new EnumMap<>(NoticeOutcome.class);
  private final Counter asked;
  private final Counter refunded;
  private final Counter refundFailed;
  private volatile Backlog backlog = new Backlog(0, 0);

  /** Refunds that wait, and the age of the oldest. */
  private record Backlog(long pending, long oldestMs) {}

  /** Registers the meters. */
  public PaymentMetrics(MeterRegistry registry) {
    started =
        Counter.builder("seckill.payment.started")
            .description("Payments opened for orders")
            .register(registry);
    for (NoticeOutcome outcome : NoticeOutcome.values()) {
      notices.put(
          outcome,
          Counter.builder("seckill.payment.notices")
              .description("What the provider said of payments, by what came of it")
              .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
              .register(registry));
    }
    asked =
        Counter.builder("seckill.payment.asked")
            .description("Payments that the provider was asked about, because it said nothing")
            .register(registry);
    refunded = refunds(registry, "done");
    refundFailed = refunds(registry, "failed");
    Gauge.builder("seckill.payment.refunds.pending", this, self -> self.backlog.pending())
        .description("Refunds that the provider has not done yet, as of the latest look")
        .register(registry);
    Gauge.builder("seckill.payment.refunds.oldest", this, self -> self.backlog.oldestMs() / 1_000.0)
        .description("Age of the oldest refund that is not done, as of the latest look")
        .baseUnit(TimeUnit.SECONDS.name().toLowerCase(Locale.ROOT))
        .register(registry);
  }

  private static Counter refunds(MeterRegistry registry, String result) {
    return Counter.builder("seckill.payment.refunds")
        .description("Refunds asked of the provider, by result; one that failed is tried again")
        .tag("result", result)
        .register(registry);
  }

  void started() {
    started.increment();
  }

  void noticed(NoticeOutcome outcome) {
    notices.get(outcome).increment();
  }

  void asked() {
    asked.increment();
  }

  void refund(boolean done) {
    (done ? refunded : refundFailed).increment();
  }

  void refundBacklog(long pending, long oldestMs) {
    backlog = new Backlog(pending, oldestMs);
  }
}
