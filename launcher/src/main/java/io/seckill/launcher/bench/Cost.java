package io.seckill.launcher.bench;

import com.sun.management.OperatingSystemMXBean;
import io.vertx.core.json.JsonObject;
import java.lang.management.ManagementFactory;

/**
 * What a measurement took of processors: where the time of a purchase goes.
 *
 * @param purchases that were answered
 * @param calls script calls that decided them
 * @param scriptUs time inside those calls, by the server's own count, microseconds
 * @param redisCpuUs processor time of Redis, user and system, microseconds
 * @param jvmCpuUs processor time of this process, load included, microseconds
 * @param wallUs time that passed, microseconds
 */
record Cost(
    long purchases, long calls, long scriptUs, long redisCpuUs, long jvmCpuUs, long wallUs) {

  static final Cost NONE = new Cost(0, 0, 0, 0, 0, 0);

  /** A reading of all counters. */
  static Cost read(BenchRedis redis) {
    String stat = redis.info("commandstats", "cmdstat_evalsha");
    return new Cost(
        0,
        field(stat, "calls"),
        field(stat, "usec"),
        (long)
            (1e6
                * (Double.parseDouble(redis.info("cpu", "used_cpu_user"))
                    + Double.parseDouble(redis.info("cpu", "used_cpu_sys")))),
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime()
            / 1_000,
        System.nanoTime() / 1_000);
  }

  private static long field(String stat, String name) {
    for (String part : stat.split(",", -1)) {
      if (part.startsWith(name + "=")) {
        return Long.parseLong(part.substring(name.length() + 1));
      }
    }
    return 0;
  }

  /** From this reading to a later one, in which so many purchases were answered. */
  Cost until(Cost later, long answered) {
    return new Cost(
        answered,
        later.calls - calls,
        later.scriptUs - scriptUs,
        later.redisCpuUs - redisCpuUs,
        later.jvmCpuUs - jvmCpuUs,
        later.wallUs - wallUs);
  }

  /** Both together. */
  Cost plus(Cost other) {
    return new Cost(
        purchases + other.purchases,
        calls + other.calls,
        scriptUs + other.scriptUs,
        redisCpuUs + other.redisCpuUs,
        jvmCpuUs + other.jvmCpuUs,
        wallUs + other.wallUs);
  }

  /** For each purchase, in microseconds, and how busy Redis was. */
  JsonObject json() {
    return new JsonObject()
        .put("purchasesPerCall", each(purchases, calls))
        .put("scriptUs", each(scriptUs, purchases))
        .put("redisCpuUs", each(redisCpuUs, purchases))
        .put("jvmCpuUs", each(jvmCpuUs, purchases))
        .put("redisBusy", each(redisCpuUs, wallUs));
  }

  String text() {
    return "%.0f a call; µs each: script %.2f, Redis %.2f, JVM %.2f; Redis %.0f %% busy"
        .formatted(
            each(purchases, calls),
            each(scriptUs, purchases),
            each(redisCpuUs, purchases),
            each(jvmCpuUs, purchases),
            100 * each(redisCpuUs, wallUs));
  }

  private static double each(long amount, long of) {
    return of <= 0 ? 0 : Math.round(1_000.0 * amount / of) / 1_000.0;
  }
}
