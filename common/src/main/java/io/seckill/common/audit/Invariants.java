package io.seckill.common.audit;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.ShardRef;
import io.seckill.common.id.UserId;
import io.seckill.common.id.WinId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The promises I1 to I4 as checks of facts: facts in, findings out. The one set of checkers for
 * tests, demo, bench, drill and the running audit. Knows no server; whoever collects the facts says
 * how they are of one instant.
 */
public final class Invariants {

  private static final String I1 = "I1";
  private static final String I2 = "I2";
  private static final String I3 = "I3";
  private static final String I4 = "I4";

  private Invariants() {}

  /** I1 for one item in one shard: the stock is exactly what the log explains. */
  public static Optional<Finding> stockIsExplained(ShardItemFacts facts) {
    String place = place(facts.shard(), facts.item());
    if (facts.stock() == null) {
      return finding(I1, place, -facts.explainedStock(), "the stock key is missing");
    }
    long tooMany = facts.stock() - facts.explainedStock();
    return tooMany == 0
        ? Optional.empty()
        : finding(
            I1,
            place,
            tooMany,
            "stock is "
                + facts.stock()
                + ", the log explains "
                + facts.explainedStock()
                + ": "
                + facts.unitsIn()
                + " in - "
                + facts.unitsOut()
                + " out - "
                + facts.sent()
                + " sent + "
                + facts.received()
                + " received - "
                + facts.won()
                + " won + "
                + facts.backToStock()
                + " back");
  }

  /**
   * I4: units that one shard sent to another arrive.
   *
   * @param shard where they are to arrive
   * @param move the number of the move that lets them in
   * @param ageMs how long ago they were sent
   * @param allowedMs how long they may take
   */
  public static Optional<Finding> hasArrived(
      ShardRef shard, ItemId item, long move, long units, long ageMs, long allowedMs) {
    return ageMs <= allowedMs
        ? Optional.empty()
        : finding(
            I4,
            place(shard, item),
            -units,
            units
                + " units of another shard have not arrived by move "
                + move
                + " for "
                + ageMs
                + " ms");
  }

  /** I1: what one shard sent, the other lets in: once and all of it. */
  public static Optional<Finding> transferIsWhole(
      ShardRef shard, ItemId item, long move, long sent, long letIn) {
    return sent == letIn
        ? Optional.empty()
        : finding(
            I1,
            place(shard, item),
            letIn - sent,
            "move " + move + " between shards lets in " + letIn + " units, sent were " + sent);
  }

  /** I2: what a user holds over a group of items. */
  public static Optional<Finding> isWithinGroupLimit(
      UserId user, String group, long held, long limit) {
    return held <= limit
        ? Optional.empty()
        : finding(
            I2,
            "group " + group + " user " + user,
            held - limit,
            "holds " + held + " units, the limit of the group is " + limit);
  }

  /** I1 for one item: orders never hold more than was granted. */
  public static Optional<Finding> isNotOversold(ItemTotals totals) {
    long oversold = oversold(totals);
    return oversold == 0
        ? Optional.empty()
        : finding(
            I1,
            "item " + totals.item(),
            oversold,
            "orders hold or will hold "
                + (totals.held() + totals.inFlight())
                + " units, "
                + totals.betweenShards()
                + " are between shards, "
                + totals.granted()
                + " were granted");
  }

  /** Units that are held, or on their way, beyond what was granted; 0 when all is well. */
  public static long oversold(ItemTotals totals) {
    return Math.max(
        0, totals.held() + totals.inFlight() + totals.betweenShards() - totals.granted());
  }

  /** I1: a counter beside the rows that it counts. */
  public static Optional<Finding> counterAgrees(
      String place, String counter, long recorded, long summed) {
    return recorded == summed
        ? Optional.empty()
        : finding(
            I1,
            place,
            recorded - summed,
            counter + " says " + recorded + ", the rows sum up to " + summed);
  }

  /** I1: an order holds all of its lines or nothing, and says how many units they are. */
  public static Optional<Finding> orderIsWhole(WinId win, long held, long quantity, long summed) {
    boolean whole = quantity == summed && (held == 0 || held == summed);
    return whole
        ? Optional.empty()
        : finding(
            I1,
            "win " + win,
            quantity == summed ? held - summed : quantity - summed,
            "the order says "
                + quantity
                + " units and holds "
                + held
                + ", its lines are "
                + summed);
  }

  /**
   * I4: the units of an order that ended go back, and only they.
   *
   * @param held units that the order holds
   * @param waits whether a release of it waits to be done
   */
  public static Finding endIsWrong(WinId win, long held, boolean waits) {
    return new Finding(
        I4,
        "win " + win,
        held,
        waits
            ? "the order holds " + held + " units and is to give them back, which it cannot"
            : "the order ended and holds " + held + " units that nobody gives back");
  }

  /** I2: what a user holds of an item beside the limit that his wins were checked against. */
  public static Optional<Finding> isWithinLimit(UserId user, ItemId item, long held, long limit) {
    return held <= limit
        ? Optional.empty()
        : finding(
            I2,
            "item " + item + " user " + user,
            held - limit,
            "holds " + held + " units, the limit was " + limit);
  }

  /**
   * I3: the numbers of an epoch have no gap.
   *
   * @param given the last number that was given out
   * @param known how many of the numbers are stored or still in the log
   * @param firstMissing the first that is neither; looked at only when numbers are missing
   */
  public static Optional<Finding> hasNoGap(
      ShardRef shard, long epoch, long given, long known, long firstMissing) {
    return known == given
        ? Optional.empty()
        : finding(
            I3,
            "entry " + shard + ":" + epoch + ":" + firstMissing,
            known - given,
            "of " + given + " entries " + known + " are stored or in the log");
  }

  /** I3: every open dead letter is an entry that is not what it says yet. */
  public static Finding letterIsOpen(ShardRef shard, String entry, String reason) {
    return new Finding(
        I3, "entry " + shard + ":" + entry.replace('-', ':'), -1, "dead letter: " + reason);
  }

  /**
   * I1 to I3 for one user of one item: his receipt and his orders say the same. At most one finding
   * for each win.
   */
  public static List<Finding> receiptAgrees(ReceiptFacts facts) {
    List<Finding> findings = new ArrayList<>(0);
    String whose = place(facts.shard(), facts.item()) + " user " + facts.user();
    long records = facts.receiptHeld().values().stream().mapToLong(Long::longValue).sum();
    if (records != facts.receiptUnits()) {
      findings.add(
          new Finding(
              I2,
              whose,
              facts.receiptUnits() - records,
              "the receipt says "
                  + facts.receiptUnits()
                  + " units held, its records sum up to "
                  + records));
    }
    for (Map.Entry<EntryId, Long> held : new TreeMap<>(facts.receiptHeld()).entrySet()) {
      Long ordered = facts.orderHeld().get(held.getKey());
      if (ordered == null && !facts.excused().contains(held.getKey())) {
        findings.add(
            new Finding(
                I3,
                win(facts, held.getKey()),
                -held.getValue(),
                "the receipt holds " + held.getValue() + " units, no order does"));
      } else if (ordered != null && !ordered.equals(held.getValue())) {
        findings.add(
            new Finding(
                I1,
                win(facts, held.getKey()),
                ordered - held.getValue(),
                "the order holds " + ordered + " units, its receipt " + held.getValue()));
      }
    }
    for (Map.Entry<EntryId, Long> order : new TreeMap<>(facts.orderHeld()).entrySet()) {
      if (!facts.receiptHeld().containsKey(order.getKey())) {
        findings.add(
            new Finding(
                I2,
                win(facts, order.getKey()),
                -order.getValue(),
                "the order holds " + order.getValue() + " units, no receipt does"));
      }
    }
    return findings;
  }

  /**
   * I4: who joined the line and did not leave it stands in it: in Redis, where units are given out,
   * and in MySQL, from which the line is written again.
   *
   * @param isInRedis whether he waits in Redis
   * @param isStored whether he waits as the stored log says
   */
  public static Optional<Finding> waiterAgrees(
      ShardRef shard, ItemId item, UserId user, boolean isInRedis, boolean isStored) {
    return isInRedis == isStored
        ? Optional.empty()
        : finding(
            I4,
            place(shard, item) + " user " + user,
            isInRedis ? 1 : -1,
            isInRedis
                ? "he waits in Redis and did not join by the log"
                : "he joined by the log and does not wait in Redis");
  }

  private static String win(ReceiptFacts facts, EntryId entry) {
    return "win "
        + new WinId(facts.shard(), entry)
        + " item "
        + facts.item()
        + " user "
        + facts.user();
  }

  private static String place(ShardRef shard, ItemId item) {
    return "item " + item + " shard " + shard;
  }

  private static Optional<Finding> finding(
      String promise, String place, long amount, String detail) {
    return Optional.of(new Finding(promise, place, amount, detail));
  }
}
