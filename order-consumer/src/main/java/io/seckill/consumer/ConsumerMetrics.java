package io.seckill.consumer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.seckill.common.id.ShardRef;
import io.seckill.consumer.store.Outcome;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Every meter of the module, made once. Tags come from fixed lists only. An entry counts by its
 * number: the wins of a batch count one by one. Safe for use by all event loops.
 */
public final class ConsumerMetrics {

  /** Why orders end. */
  private static final List<String> END_REASONS = List.of("user", "admin", "timeout", "refund");

  /** Why transactions are tried again. */
  private static final List<String> RETRY_CAUSES = List.of("conflict", "transient", "unexplained");

  private final Counter stored;
  private final Counter lost;
  private final Counter repeated;
  private final Counter deadLetters;
  private final DistributionSummary batchEntries;
  private final Timer batchSeconds;
  private final Map<String, Counter> retried;
  private final Counter claimed;
  private final Counter incidentDeleted;
  private final Counter incidentMissing;
  private final Counter groupsMade;
  private final Counter transferred;
  private final Counter archived;
  private final Counter auditsClean;
  private final Counter auditsUnclean;
  private final Map<String, Counter> ended;
  private final AtomicLong dueAgeMs = new AtomicLong();
  private final AtomicLong releasesWaiting = new AtomicLong();
  private final AtomicLong releasesAgeMs = new AtomicLong();
  private final AtomicLong lettersOpen = new AtomicLong();
  private final AtomicLong lettersAgeMs = new AtomicLong();
  private final Map<ShardRef, LogProgress> logs = new ConcurrentHashMap<>();

  /**
   * How far a shard's log is stored.
   *
   * @param unstored changes that it holds still
   * @param oldestAgeMs age of the oldest of them by Redis' clock
   * @param perSecond changes of it that are stored in a second at present
   * @param drainMs estimate of the time until all of them are stored
   */
  public record LogProgress(long unstored, long oldestAgeMs, double perSecond, long drainMs) {}

  /** Registers the meters. */
  public ConsumerMetrics(MeterRegistry registry) {
    stored =
        Counter.builder("seckill.orders.stored")
            .description("Orders written to MySQL, FAILED(LOST) included")
            .register(registry);
    lost =
        Counter.builder("seckill.orders.lost")
            .description("Orders stored as FAILED(LOST): wins that a closed epoch does not know")
            .register(registry);
    repeated =
        Counter.builder("seckill.consumer.repeated")
            .description("Entries that were read again although they were stored")
            .register(registry);
    deadLetters =
        Counter.builder("seckill.consumer.dead.letters")
            .description("Entries that became dead letters")
            .register(registry);
    batchEntries =
        DistributionSummary.builder("seckill.consumer.batch.entries")
            .description("Entries in one transaction")
            .register(registry);
    batchSeconds =
        Timer.builder("seckill.consumer.batch.time")
            .description("Time of one transaction that stored entries")
            .register(registry);
    retried =
        RETRY_CAUSES.stream()
            .collect(Collectors.toUnmodifiableMap(why -> why, why -> retries(registry, why)));
    claimed =
        Counter.builder("seckill.consumer.claimed")
            .description("Entries taken over from a consumer that held them for too long")
            .register(registry);
    incidentDeleted = incidents(registry, "deleted");
    incidentMissing = incidents(registry, "missing");
    groupsMade =
        Counter.builder("seckill.consumer.groups.made")
            .description("Consumer groups made, at the first start or because one was gone")
            .register(registry);
    transferred =
        Counter.builder("seckill.ledger.transfers")
            .description("Transfers between shards that were stored at an engine's word")
            .register(registry);
    archived =
        Counter.builder("seckill.ledger.archived")
            .description("Items archived, so that Redis forgets them")
            .register(registry);
    auditsClean = audits(registry, "true");
    auditsUnclean = audits(registry, "false");
    ended =
        END_REASONS.stream()
            .collect(Collectors.toUnmodifiableMap(why -> why, why -> ended(registry, why)));
    age("seckill.orders.due.age", dueAgeMs)
        .description("How long the oldest unpaid order is over its time")
        .register(registry);
    Gauge.builder("seckill.orders.releases.waiting", releasesWaiting, AtomicLong::get)
        .description("Releases whose entries are not stored yet")
        .register(registry);
    age("seckill.orders.releases.age", releasesAgeMs)
        .description("How long the oldest of them has waited")
        .register(registry);
    Gauge.builder("seckill.orders.letters.open", lettersOpen, AtomicLong::get)
        .description("Dead letters that wait for an operator")
        .register(registry);
    age("seckill.orders.letters.age", lettersAgeMs)
        .description("How long the oldest of them has waited for an operator")
        .register(registry);
    logs("lag.entries", all -> all.mapToDouble(LogProgress::unstored).sum())
        .description(
            "Changes that the logs of this process's shards hold still, not stored or not trimmed,"
                + " exact to one batch")
        .register(registry);
    logs("oldest.age", all -> all.mapToDouble(LogProgress::oldestAgeMs).max().orElse(0) / 1_000)
        .description("Age of the oldest change in those logs that is not stored")
        .baseUnit("seconds")
        .register(registry);
    logs("rate", all -> all.mapToDouble(LogProgress::perSecond).sum())
        .description("Changes of those logs that are stored in a second, by whichever process")
        .register(registry);
    logs("drain.time", all -> all.mapToDouble(LogProgress::drainMs).max().orElse(0) / 1_000)
        .description("Estimate of the time until what those logs hold is stored")
        .baseUnit("seconds")
        .register(registry);
  }

  private Gauge.Builder<?> logs(String name, ToDoubleFunction<Stream<LogProgress>> sum) {
    return Gauge.builder(
        "seckill.consumer." + name, logs, all -> sum.applyAsDouble(all.values().stream()));
  }

  private static Counter ended(MeterRegistry registry, String reason) {
    return Counter.builder("seckill.orders.ended")
        .description("Orders that were cancelled or are refunded, by why")
        .tag("reason", reason)
        .register(registry);
  }

  private static Gauge.Builder<AtomicLong> age(String name, AtomicLong milliseconds) {
    return Gauge.builder(name, milliseconds, value -> value.get() / 1_000.0).baseUnit("seconds");
  }

  private static Counter retries(MeterRegistry registry, String cause) {
    return Counter.builder("seckill.consumer.retries")
        .description(
            "Transactions tried again: another one was in the way, MySQL was not to be reached, or"
                + " nobody knows why one entry fails")
        .tag("cause", cause)
        .register(registry);
  }

  private static Counter incidents(MeterRegistry registry, String kind) {
    return Counter.builder("seckill.consumer.incidents")
        .description("Entries whose content was gone from the log before they were stored")
        .tag("kind", kind)
        .register(registry);
  }

  private static Counter audits(MeterRegistry registry, String clean) {
    return Counter.builder("seckill.consumer.audits")
        .description("Audits that ended, by whether they found nothing")
        .tag("clean", clean)
        .register(registry);
  }

  /** A transaction stored a run. */
  public void stored(int entries, Outcome.Stored outcome, long nanos) {
    stored.increment(outcome.orders());
    lost.increment(outcome.lost());
    repeated.increment(outcome.repeated());
    deadLetters.increment(outcome.letters());
    batchEntries.record(entries);
    batchSeconds.record(nanos, TimeUnit.NANOSECONDS);
  }

  /** A transaction is tried again: {@code conflict}, {@code transient} or {@code unexplained}. */
  public void retried(String cause) {
    retried.get(cause).increment();
  }

  /** Entries were taken over. */
  public void claimed(int entries) {
    claimed.increment(entries);
  }

  /** Entries were deleted while somebody held them. */
  public void deleted(int entries) {
    incidentDeleted.increment(entries);
  }

  /** Numbers were given out that the log does not have. */
  public void missing(int entries) {
    incidentMissing.increment(entries);
  }

  /** A group was made. */
  public void groupMade() {
    groupsMade.increment();
  }

  /** A transfer was stored out of the log's turn. */
  public void transferred() {
    transferred.increment();
  }

  /** Items were archived. */
  public void archived(int items) {
    archived.increment(items);
  }

  /** An audit ended. */
  public void audited(boolean clean) {
    (clean ? auditsClean : auditsUnclean).increment();
  }

  /** Orders ended by a committed change: for {@code user}, {@code admin}, {@code timeout} … */
  public void ended(String reason, int orders) {
    ended.get(reason).increment(orders);
  }

  /** How long the oldest due order is due, and how many releases wait since when. */
  public void backlog(long dueMs, long releases, long oldestReleaseMs) {
    dueAgeMs.set(dueMs);
    releasesWaiting.set(releases);
    releasesAgeMs.set(oldestReleaseMs);
  }

  /** How many dead letters are open, and since when the oldest of them. */
  public void letters(long open, long oldestMs) {
    lettersOpen.set(open);
    lettersAgeMs.set(oldestMs);
  }

  /** How far a shard's log is stored. */
  public void progress(ShardRef shard, LogProgress progress) {
    logs.put(shard, progress);
  }

  /** A shard's log is not read here any more. */
  public void forget(ShardRef shard) {
    logs.remove(shard);
  }
}
