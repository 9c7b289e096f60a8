package io.seckill.launcher.bench;

import io.seckill.common.error.ErrorCode;
import io.seckill.launcher.load.Latencies;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/**
 * What the engine answered in a measurement, and when. Belongs to one thread.
 *
 * <p>Every user buys once, so an order that is told again is one whose first answer was lost.
 */
final class Tally {

  private static final long MAX_US = 60_000_000;

  private final Map<ErrorCode, Long> refused = new EnumMap<>(ErrorCode.class);
  private final Histogram latencies = new Histogram(MAX_US, 3);
  private long accepted;
  private long replayed;
  private long errors;
  private String errorSample = "";
  private long firstNs = Long.MAX_VALUE;
  private long lastNs = Long.MIN_VALUE;
  private long lastWinNs = Long.MIN_VALUE;

  void sent(long ns) {
    firstNs = Math.min(firstNs, ns);
  }

  void accepted(long sentNs, long ns, boolean again) {
    accepted++;
    replayed += again ? 1 : 0;
    lastWinNs = ns;
    answered(sentNs, ns);
  }

  void refused(ErrorCode code, long sentNs, long ns) {
    refused.merge(code, 1L, Long::sum);
    answered(sentNs, ns);
  }

  void failed(String why, long sentNs, long ns) {
    errors++;
    errorSample = errorSample.isEmpty() ? why : errorSample;
    answered(sentNs, ns);
  }

  private void answered(long sentNs, long ns) {
    lastNs = ns;
    latencies.recordValue(Math.min(MAX_US, Math.max(0, (ns - sentNs) / 1_000)));
  }

  /** Adds another one, of another thread that has ended or of another measurement. */
  Tally add(Tally other) {
    other.refused.forEach((code, count) -> refused.merge(code, count, Long::sum));
    latencies.add(other.latencies);
    accepted += other.accepted;
    replayed += other.replayed;
    errors += other.errors;
    errorSample = errorSample.isEmpty() ? other.errorSample : errorSample;
    firstNs = Math.min(firstNs, other.firstNs);
    lastNs = Math.max(lastNs, other.lastNs);
    lastWinNs = Math.max(lastWinNs, other.lastWinNs);
    return this;
  }

  /** Answered purchases. */
  long answers() {
    return latencies.getTotalCount();
  }

  /** Distinct wins that were answered. */
  long accepted() {
    return accepted;
  }

  /** Those of them that were learnt by asking again. */
  long replayed() {
    return replayed;
  }

  /** Answers that must not be. */
  long errors() {
    return errors;
  }

  /** One of them, empty without. */
  String errorSample() {
    return errorSample;
  }

  /** Refusals by code. */
  Map<ErrorCode, Long> refused() {
    return new EnumMap<>(refused);
  }

  long refused(ErrorCode code) {
    return refused.getOrDefault(code, 0L);
  }

  /** Why not each of so many purchases of free units won; nothing when each did. */
  Optional<String> missing(long purchases) {
    return accepted >= purchases
        ? Optional.empty()
        : Optional.of(
            "%d of %d purchases of free units did not win: %s"
                .formatted(purchases - accepted, purchases, refused));
  }

  /** From the first sending to the last answer. */
  double seconds() {
    return answers() == 0 ? 0 : (lastNs - firstNs) / 1e9;
  }

  /** From the first sending to the last win's answer; 0 without wins. */
  double secondsToLastWin() {
    return accepted == 0 ? 0 : (lastWinNs - firstNs) / 1e9;
  }

  /** Answers a second; 0 without answers. */
  double perSecond() {
    return seconds() > 0 ? answers() / seconds() : 0;
  }

  Latencies latencies() {
    return Latencies.ofMicroseconds(latencies);
  }
}
