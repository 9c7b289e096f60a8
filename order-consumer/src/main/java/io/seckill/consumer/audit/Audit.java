package io.seckill.consumer.audit;

import io.seckill.common.audit.Finding;
import io.seckill.common.audit.Invariants;
import io.seckill.common.audit.ItemTotals;
import io.seckill.common.bus.AuditReport;
import io.seckill.common.bus.AuditRequest;
import io.seckill.common.bus.ItemQuery;
import io.seckill.common.bus.ItemRecords;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.ShardRef;
import io.seckill.common.item.ItemRecord;
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
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
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
    return once(request, System.nanoTime())
        .compose(
            report -> {
              metrics.audited(report.clean());
              return keep(request, report).map(report);
            });
  }

  private Future<AuditReport> once(AuditRequest request, long startedAt) {
    Findings findings = new Findings();
    Map<ItemId, Sum> sums = new TreeMap<>();
    return items
        .query(new ItemQuery(request.item()))
        .compose(
            records -> {
              List<ItemId> ids = idsOf(records);
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
                  .compose(done -> groups(records, findings))
                  .compose(done -> unitsOut(request.item(), findings))
                  .compose(done -> transfers(request.item(), findings))
                  .compose(done -> items.query(new ItemQuery(request.item())))
                  .compose(
                      now ->
                          idsOf(now).containsAll(ids)
                              ? Future.succeededFuture(report(startedAt, findings, sums))
                              // Meanwhile shards may have forgotten an item that was archived.
                              : once(request, startedAt));
            });
  }

  /** Items that shards have; of the others there is nothing to compare. */
  private static List<ItemId> idsOf(ItemRecords records) {
    return records.items().stream()
        .filter(record -> record.state() != ItemState.CREATED)
        .filter(record -> record.state() != ItemState.ARCHIVED)
        .map(record -> record.definition().id())
        .sorted()
        .toList();
  }

  private Future<Void> groups(ItemRecords records, Findings findings) {
    Set<String> groups = new TreeSet<>();
    for (ItemRecord record : records.items()) {
      if (record.definition().group() != null) {
        groups.add(record.definition().group().id());
      }
    }
    Future<Void> chain = Future.succeededFuture();
    for (String group : groups) {
      chain =
          chain
              .compose(done -> queries.overGroupLimit(group))
              .map(
                  over -> {
                    for (AuditQueries.UserPair pair : over) {
                      findings.add(
                          Invariants.isWithinGroupLimit(
                              pair.user(), group, pair.first(), pair.second()));
                    }
                    return null;
                  });
    }
    return chain;
  }

  private Future<Void> transfers(ItemId item, Findings findings) {
    return queries
        .brokenTransfers(region, item)
        .map(
            broken -> {
              for (AuditQueries.BrokenTransfer transfer : broken) {
                findings.add(
                    Invariants.transferIsWhole(
                        transfer.shard(),
                        transfer.item(),
                        transfer.move(),
                        transfer.sent(),
                        transfer.letIn()));
              }
              return null;
            });
  }

  /** Units of one item over all shards. */
  private static final class Sum {
    long granted;
    long left;
    long held;
    long inFlight;
    long wins;
    long betweenShards;
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
                  sum.betweenShards += part.facts().sent() - part.facts().received();
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

  private Future<Void> ledger(List<ItemId> ids, Findings findings) {
    Future<Void> chain = Future.succeededFuture();
    for (ItemId id : ids) {
      chain =
          chain
              .compose(done -> queries.books(id))
              .map(
                  books -> {
                    if (books != null) {
                      judge(id, books, findings);
                    }
                    return null;
                  });
    }
    return chain;
  }

  private static void judge(ItemId id, ItemBooks.Books books, Findings findings) {
    String item = "item " + id;
    ItemBooks.Counters counters = books.counters();
    findings.add(
        Invariants.counterAgrees(
            item, "the counter of held units", counters.held(), counters.heldSummed()));
    findings.add(
        Invariants.counterAgrees(
            item, "the counter of units in", counters.in(), counters.inSummed()));
    findings.add(
        Invariants.counterAgrees(
            item, "the counter of the reserve", counters.reserve(), counters.reserveSummed()));
    for (AuditQueries.UserPair pair : books.wrongHoldings()) {
      findings.add(
          Invariants.counterAgrees(
              item + " user " + pair.user(), "the holding", pair.first(), pair.second()));
    }
    for (AuditQueries.UserPair pair : books.overLimit()) {
      findings.add(Invariants.isWithinLimit(pair.user(), id, pair.first(), pair.second()));
    }
  }

  private static AuditReport report(long startedAt, Findings findings, Map<ItemId, Sum> sums) {
    List<ItemTotals> totals = new ArrayList<>(sums.size());
    sums.forEach(
        (id, sum) -> {
          ItemTotals total =
              new ItemTotals(
                  id, sum.granted, sum.left, sum.held, sum.inFlight, sum.wins, sum.betweenShards);
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
