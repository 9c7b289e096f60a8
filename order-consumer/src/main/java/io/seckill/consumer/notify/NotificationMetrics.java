package io.seckill.consumer.notify;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/** The meters of notifications, made once. Safe for use by all event loops. */
public final class NotificationMetrics {

  private final Counter delivered;
  private final Counter failed;
  private final Counter died;
  private volatile Backlog backlog = new Backlog(0, 0, 0);

  /** What waits, the age of its oldest, and what is dead. */
  record Backlog(long waiting, long oldestMs, long dead) {}

  /** Registers the meters. */
  public NotificationMetrics(MeterRegistry registry) {
    delivered = calls(registry, "delivered");
    failed = calls(registry, "failed");
    died =
        Counter.builder("seckill.notifications.died")
            .description("Notifications that failed as often as is allowed")
            .register(registry);
    Gauge.builder("seckill.notifications.waiting", this, self -> self.backlog.waiting())
        .description(
            "Notifications that the receiver has not taken, as of the latest look; 100001 stands for any more")
        .register(registry);
    Gauge.builder("seckill.notifications.oldest", this, self -> self.backlog.oldestMs() / 1_000.0)
        .description(
            "Age of the oldest notification that waits, as of the latest look; of the 100000 due first")
        .baseUnit("seconds")
        .register(registry);
    Gauge.builder("seckill.notifications.dead", this, self -> self.backlog.dead())
        .description("Dead notifications, as of the latest look; 100001 stands for any more")
        .register(registry);
  }

  private static Counter calls(MeterRegistry registry, String result) {
    return Counter.builder("seckill.notifications.calls")
        .description("Calls to the receiver, by result; what failed is tried again")
        .tag("result", result)
        .register(registry);
  }

  void delivered() {
    delivered.increment();
  }

  void failed() {
    failed.increment();
  }

  void died() {
    died.increment();
  }

  void backlog(Backlog latest) {
    backlog = latest;
  }
}
