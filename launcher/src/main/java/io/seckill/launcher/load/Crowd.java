package io.seckill.launcher.load;

import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.OrderId;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;

/**
 * A crowd that buys one item over real HTTP. Each buyer follows {@code Retry-After} on BUSY, takes
 * one unit when there are too few for what he wanted, and repeats once with the same key when he
 * does not know what became of his request. Nobody knows more of the server than its answers.
 *
 * <p>Safe for all threads; runs once.
 */
public final class Crowd {

  private final Vertx vertx;
  private final CrowdPlan plan;
  private final PurchaseText text;
  private final CrowdRules rules;
  private final LongAdder answers = new LongAdder();

  /**
   * A crowd that waits for the word.
   *
   * @param vertx made with {@link LoadOptions#vertx}
   * @param plan who clicks when
   * @param people the plan's buyers, signed in
   * @param item what they want
   * @param rules where and how long
   */
  public Crowd(Vertx vertx, CrowdPlan plan, CrowdPeople people, ItemId item, CrowdRules rules) {
    this.vertx = vertx;
    this.plan = plan;
    this.rules = rules;
    this.text = new PurchaseText(rules.server(), item, people, plan.size().limitPerUser());
  }

  /**
   * Opens all connections, then sends, then closes them.
   *
   * @return what was answered; fails only when the connections cannot be opened
   */
  public Future<CrowdRecord> run() {
    int count = Math.min(LoadOptions.lanes(), rules.connections());
    List<CrowdLane> lanes = new ArrayList<>();
    List<Future<String>> deployed = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int connections = rules.connections() / count + (i < rules.connections() % count ? 1 : 0);
      CrowdLane.Part part = new CrowdLane.Part(i, count, connections);
      CrowdLane lane = new CrowdLane(part, plan, text, rules, answers);
      lanes.add(lane);
      deployed.add(vertx.deployVerticle(lane));
    }
    return Future.join(deployed)
        .compose(all -> Future.all(lanes.stream().map(CrowdLane::run).toList()))
        .map(all -> merge(all.<LaneRecord>list()))
        .eventually(() -> undeploy(deployed));
  }

  /** HTTP answers so far, for people who wait. */
  public long answers() {
    return answers.sum();
  }

  private Future<Void> undeploy(List<Future<String>> deployed) {
    return Future.join(
            deployed.stream()
                .filter(Future::succeeded)
                .map(lane -> vertx.undeploy(lane.result()))
                .toList())
        .mapEmpty();
  }

  private static CrowdRecord merge(List<LaneRecord> lanes) {
    List<AnsweredWin> wins = new ArrayList<>();
    List<CrowdRecord.Shortage> shortages = new ArrayList<>();
    Map<ErrorCode, Long> refused = new EnumMap<>(ErrorCode.class);
    CrowdErrors errors = CrowdErrors.NONE;
    Histogram times = new LaneClock().times();
    long requests = 0;
    long replayed = 0;
    long failed = 0;
    long firstSendNs = Long.MAX_VALUE;
    long lastAnswerNs = Long.MIN_VALUE;
    for (LaneRecord lane : lanes) {
      wins.addAll(lane.wins());
      shortages.addAll(lane.shortages());
      lane.refused().forEach((code, count) -> refused.merge(code, count, Long::sum));
      errors = errors.plus(lane.errors());
      times.add(lane.times());
      requests += lane.requests();
      replayed += lane.replayed();
      failed += lane.failed();
      firstSendNs = Math.min(firstSendNs, lane.firstSendNs());
      lastAnswerNs = Math.max(lastAnswerNs, lane.lastAnswerNs());
    }
    double seconds = lastAnswerNs > firstSendNs ? (lastAnswerNs - firstSendNs) / 1e9 : 0;
    return new CrowdRecord(
        requests,
        wins,
        replayed,
        refused,
        failed,
        shortages,
        errors.plus(sharedOrders(wins)),
        new CrowdRecord.Pace(times.getTotalCount(), seconds, Latencies.ofMicroseconds(times)));
  }

  /** Each lane saw to its own buyers; this finds one order for buyers of two lanes. */
  private static CrowdErrors sharedOrders(List<AnsweredWin> wins) {
    Set<OrderId> seen = new HashSet<>();
    List<String> shared = new ArrayList<>();
    for (AnsweredWin win : wins) {
      if (!seen.add(win.orderId())) {
        shared.add("one order for two buyers: " + win.orderId());
      }
    }
    return new CrowdErrors(0, 0, shared.size(), 0, 0, shared);
  }
}
