package io.seckill.consumer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.seckill.consumer.store.Outcome;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * Every meter of the module, made once. Tags come from fixed lists only. An entry counts by its
 * number: the wins of a batch count one by one. Safe for use by all event loops.
 */
public final class ConsumerMetrics {

  /** Why orders end. */
  private static final List<String> END_REASONS = List.of("user", "admin", "timeout", "refund");

  private final Counter stored;
  private final Counter lost;
  private final Counter repeated;
  private final Counter deadLetters;
  private final DistributionSummary batchEntries;
  private final Timer batchSeconds;
  private final Counter retriedConflict;
  private final Counter retriedTransient;
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
  private final Map<Object, Long> lagEntries = new ConcurrentHashMap<>();

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
    retriedConflict = retries(registry, "conflict");
    retriedTransient = retries(registry, "transient");
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
    Gauge.builder(
            "seckill.consumer.lag.entries",
            lagEntries,
            lags -> lags.values().stream().mapToLong(Long::longValue).sum())
        .description(
            "Changes that the logs of this process's shards hold still, not stored or not trimmed,"
                + " exact to one batch")
        .register(registry);
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
            "Transactions tried again: another one was in the way, or MySQL was not to be reached")
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

  /** A transaction is tried again: {@code conflict} or {@code transient}. */
  public void retried(String cause) {
    (cause.equals("conflict") ? retriedConflict : retriedTransient).increment();
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

  /** So many numbers of a shard's open epoch are not stored and trimmed. */
  public void lag(Object shard, long entries) {
    lagEntries.put(shard, entries);
  }
}
