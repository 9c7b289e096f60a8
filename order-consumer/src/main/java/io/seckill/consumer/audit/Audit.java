package io.seckill.consumer.audit;

import io.seckill.common.audit.Finding;
import io.seckill.common.audit.Invariants;
import io.seckill.common.audit.ItemTotals;
import io.seckill.common.bus.AuditReport;
import io.seckill.common.bus.AuditRequest;
import io.seckill.common.bus.ItemQuery;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.ShardRef;
import io.seckill.common.item.ItemState;
import io.seckill.consumer.ConsumerMetrics;
import io.seckill.consumer.RegionLog;
import io.seckill.consumer.ledger.ItemLedger;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares Redis with MySQL by the checkers of {@link Invariants}, exactly, also while buyers buy.
 * Belongs to one event loop.
 */
public final class Audit {

  private static final Logger LOG = LoggerFactory.getLogger(Audit.class);

  private static final long MAX_WAIT_MS = 60_000;

  /** Items in one reading of a shard, so that one script call stays short. */
  private static final int ITEMS_AT_ONCE = 100;

  /** Each may hold a long log in memory. */
  private static final int SHARDS_AT_ONCE = 2;

  private final Vertx vertx;
  private final RegionLog log;
  private final AuditQueries queries;
  private final ItemLedger items;
  private final int region;
  private final ConsumerMetrics metrics;

  /** Makes the audit. */
  Audit(
      Vertx vertx,
      RegionLog log,
      AuditQueries queries,
      ItemLedger items,
      int region,
      ConsumerMetrics metrics) {
    this.vertx = vertx;
    this.log = log;
    this.queries = queries;
    this.items = items;
    this.region = region;
    this.metrics = metrics;
  }

  /** Runs an audit; fails with UNAVAILABLE when a shard is not open or cannot be read. */
  Future<AuditReport> run(AuditRequest request) {
    if (request.waitMs() < 0 || request.waitMs() > MAX_WAIT_MS) {
      return Future.failedFuture(
          new SeckillException(ErrorCode.INVALID_REQUEST, "waitMs is 0 to " + MAX_WAIT_MS));
    }
    long startedAt = System.nanoTime();
    Findings findings = new Findings();
    Map<ItemId, Sum> sums = new TreeMap<>();
    return items
        .query(new ItemQuery(request.item()))
        .compose(
            records -> {
              List<ItemId> ids =
                  records.items().stream()
                      .filter(record -> record.state() != ItemState.CREATED)
                      .map(record -> record.definition().id())
                      .sorted()
                      .toList();
              long deadlineMs = startedAt / 1_000_000 + request.waitMs();
              Future<Void> chain = Future.succeededFuture();
              for (int shard = 0; shard < log.shardCount(); shard += SHARDS_AT_ONCE) {
                int first = shard;
                for (int from = 0; from < Math.max(1, ids.size()); from += ITEMS_AT_ONCE) {
                  List<ItemId> some = ids.subList(from, Math.min(ids.size(), from + ITEMS_AT_ONCE));
                  ShardAudit.Tools tools =
                      new ShardAudit.Tools(vertx, log, queries, deadlineMs, from == 0);
                  chain = chain.compose(done -> shards(first, some, tools, findings, sums));
                }
              }
              return chain
                  .compose(done -> ledger(ids, findings))
                  .compose(done -> unitsOut(request.item(), findings));
            })
        .compose(
            done -> {
              AuditReport report = report(startedAt, findings, sums);
              metrics.audited(report.clean());
              return keep(request, report).map(report);
            });
  }

  /** Units of one item over all shards. */
  private static final class Sum {
    long granted;
    long left;
    long held;
    long inFlight;
    long wins;
  }

  private Future<Void> shards(
      int first,
      List<ItemId> some,
      ShardAudit.Tools tools,
      Findings findings,
      Map<ItemId, Sum> sums) {
    List<Future<List<ShardAudit.Part>>> audits = new ArrayList<>();
    int end = Math.min(log.shardCount(), first + SHARDS_AT_ONCE);
    for (int shard = first; shard < end; shard++) {
      audits.add(new ShardAudit(tools, new ShardRef(region, shard), findings).run(some));
    }
    return Future.join(audits)
        .map(
            all -> {
              for (Future<List<ShardAudit.Part>> audit : audits) {
                for (ShardAudit.Part part : audit.result()) {
                  Sum sum = sums.computeIfAbsent(part.facts().item(), id -> new Sum());
                  sum.granted +=
                      part.facts().unitsIn() - part.facts().unitsOut() - part.facts().offGrant();
                  sum.left += part.facts().stock() == null ? 0 : part.facts().stock();
                  sum.held += part.facts().held() - part.inFlight();
                  sum.inFlight += part.inFlight();
                  sum.wins += part.wins();
                }
              }
              return null;
            });
  }

  private Future<Void> unitsOut(ItemId item, Findings findings) {
    return queries
        .wrongUnitsOut(item)
        .map(
            wrong -> {
              for (AuditQueries.ItemPair pair : wrong) {
                findings.add(
                    Invariants.counterAgrees(
                        "item " + pair.item(),
                        "the counter of units out",
                        pair.recorded(),
                        pair.summed()));
              }
              return null;
            });
  }

  /** What MySQL says twice has to agree within MySQL: each statement is one snapshot. */
  private Future<Void> ledger(List<ItemId> ids, Findings findings) {
    Future<Void> chain = Future.succeededFuture();
    for (ItemId id : ids) {
      chain =
          chain
              .compose(done -> queries.counters(id))
              .compose(
                  counters -> {
                    if (counters != null) {
                      String place = "item " + id;
                      findings.add(
                          Invariants.counterAgrees(
                              place,
                              "the counter of held units",
                              counters.held(),
                              counters.heldSummed()));
                      findings.add(
                          Invariants.counterAgrees(
                              place,
                              "the counter of units in",
                              counters.in(),
                              counters.inSummed()));
                    }
                    return queries.wrongHoldings(id);
                  })
              .compose(
                  wrong -> {
                    for (AuditQueries.UserPair pair : wrong) {
                      findings.add(
                          Invariants.counterAgrees(
                              "item " + id + " user " + pair.user(),
                              "the holding",
                              pair.first(),
                              pair.second()));
                    }
                    return queries.overLimit(id);
                  })
              .map(
                  over -> {
                    for (AuditQueries.UserPair pair : over) {
                      findings.add(
                          Invariants.isWithinLimit(pair.user(), id, pair.first(), pair.second()));
                    }
                    return null;
                  });
    }
    return chain;
  }

  private static AuditReport report(long startedAt, Findings findings, Map<ItemId, Sum> sums) {
    List<ItemTotals> totals = new ArrayList<>(sums.size());
    sums.forEach(
        (id, sum) -> {
          ItemTotals total =
              new ItemTotals(id, sum.granted, sum.left, sum.held, sum.inFlight, sum.wins);
          findings.add(Invariants.isNotOversold(total));
          totals.add(total);
        });
    long tookMs = (System.nanoTime() - startedAt) / 1_000_000;
    return new AuditReport(
        findings.isClean(), System.currentTimeMillis(), tookMs, totals, findings.list());
  }

  private Future<Void> keep(AuditRequest request, AuditReport report) {
    JsonArray list = new JsonArray();
    for (Finding finding : report.findings()) {
      LOG.error(
          "audit: {} {} {}: {}",
          finding.promise(),
          finding.place(),
          finding.amount(),
          finding.detail());
      list.add(
          new JsonObject()
              .put("promise", finding.promise())
              .put("place", finding.place())
              .put("amount", finding.amount())
              .put("detail", finding.detail()));
    }
    long item = request.item() == null ? 0 : request.item().value();
    return queries.keep(region, item, report.clean(), report.tookMs(), list);
  }
}
