package io.seckill.launcher.load;

import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.OrderId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What buyers were told, and whether it hangs together: one order for one key, one buyer for one
 * order, one first answer for one win, no limit that was not reached.
 *
 * <p>For one event loop.
 */
final class BuyerLedger {

  private static final Set<ErrorCode> LACK_OF_UNITS =
      EnumSet.of(ErrorCode.SOLD_OUT, ErrorCode.INSUFFICIENT_STOCK, ErrorCode.BUSY);

  private final int limitPerUser;
  private final Optional<Consumer<AnsweredWin>> winners;
  private final Map<OrderId, Told> orders = new HashMap<>();
  private final Map<BuyerKey, OrderId> byKey = new HashMap<>();
  private final Map<ErrorCode, Long> refused = new EnumMap<>(ErrorCode.class);
  private final int[] held;
  private final int[] lacked;
  private final int[] limitedAt;
  private final BitSet uncertain = new BitSet();
  private final List<String> samples = new ArrayList<>();
  private long replayed;
  private long failed;
  private long serverFailures;
  private long brokenSockets;
  private long wrongAnswers;
  private long unresolved;

  private record BuyerKey(int buyer, String key) {}

  /** An order that a buyer knows of; {@code fresh} once an answer claimed to have made it. */
  private record Told(BuyerKey by, int quantity, boolean fresh) {}

  /**
   * An empty account.
   *
   * @param winners hears of each order that is new here; with them units may come back meanwhile
   */
  BuyerLedger(int users, int limitPerUser, Optional<Consumer<AnsweredWin>> winners) {
    this.limitPerUser = limitPerUser;
    this.winners = winners;
    held = new int[users];
    lacked = new int[users];
    limitedAt = new int[users];
  }

  /** A click ended with an order. */
  void won(int buyer, String key, int quantity, PurchaseAnswer.Won answer) {
    BuyerKey by = new BuyerKey(buyer, key);
    Told before = orders.get(answer.orderId());
    String contradiction = contradiction(by, before, answer);
    if (contradiction != null) {
      wrong(false, contradiction + ": buyer " + buyer + ", order " + answer.orderId());
      failed(buyer);
      return;
    }
    lacked[buyer] = 0;
    boolean fresh = !answer.replayed() || (before != null && before.fresh());
    orders.put(answer.orderId(), new Told(by, quantity, fresh));
    if (before == null) {
      byKey.put(by, answer.orderId());
      held[buyer] += quantity;
      winners.ifPresent(hears -> hears.accept(new AnsweredWin(buyer, quantity, answer.orderId())));
    } else {
      replayed++;
    }
  }

  private String contradiction(BuyerKey by, Told before, PurchaseAnswer.Won answer) {
    if (before == null) {
      // Without a key a click buys anew when the order of the one before has run out.
      boolean mayBuyAnew = winners.isPresent() && by.key().isEmpty();
      return byKey.containsKey(by) && !mayBuyAnew ? "a second order for the same key" : null;
    }
    if (!before.by().equals(by)) {
      return "one order for two buyers or keys";
    }
    return before.fresh() && !answer.replayed() ? "one order made twice" : null;
  }

  /** A click ended with a refusal. */
  void refused(int buyer, int quantity, ErrorCode code) {
    refused.merge(code, 1L, Long::sum);
    lacked[buyer] = LACK_OF_UNITS.contains(code) ? quantity : 0;
    if (code == ErrorCode.LIMIT_REACHED && (limitedAt[buyer] == 0 || quantity < limitedAt[buyer])) {
      limitedAt[buyer] = quantity;
    }
  }

  /** An answer contradicts the contract. */
  void wrong(boolean serverFailure, String why) {
    if (serverFailure) {
      serverFailures++;
    } else {
      wrongAnswers++;
    }
    sample(why);
  }

  /** A request has no answer. */
  void broken(String why) {
    brokenSockets++;
    sample("no answer: " + why);
  }

  /** The repeat of a request was told OUTCOME_UNKNOWN too. */
  void unresolved(int buyer) {
    unresolved++;
    sample("the outcome stayed unknown: buyer " + buyer);
  }

  /** A click ended without a good answer; what the buyer holds is not known any more. */
  void failed(int buyer) {
    failed++;
    uncertain.set(buyer);
    lacked[buyer] = 0;
  }

  private void sample(String why) {
    if (samples.size() < CrowdErrors.MAX_SAMPLES) {
      samples.add(why);
    }
  }

  /**
   * The account at the end.
   *
   * @param requests clicks that were begun
   * @param open clicks that have no final answer
   */
  LaneRecord close(long requests, long open, LaneClock clock) {
    checkLimits();
    List<AnsweredWin> wins = new ArrayList<>(orders.size());
    orders.forEach((id, told) -> wins.add(new AnsweredWin(told.by().buyer(), told.quantity(), id)));
    List<CrowdRecord.Shortage> shortages = new ArrayList<>();
    for (int buyer = 0; buyer < lacked.length; buyer++) {
      if (lacked[buyer] > 0) {
        shortages.add(new CrowdRecord.Shortage(buyer, lacked[buyer]));
      }
    }
    CrowdErrors errors =
        new CrowdErrors(serverFailures, brokenSockets, wrongAnswers, unresolved, open, samples);
    return new LaneRecord(
        requests,
        wins,
        replayed,
        refused,
        failed + open,
        shortages,
        errors,
        clock.times(),
        clock.firstSendNs(),
        clock.lastAnswerNs());
  }

  /**
   * Where nothing goes back during a run, whoever was told LIMIT_REACHED holds too much for that
   * quantity also at the end.
   */
  private void checkLimits() {
    if (winners.isPresent()) {
      return;
    }
    for (int buyer = 0; buyer < limitedAt.length; buyer++) {
      if (limitedAt[buyer] > 0
          && !uncertain.get(buyer)
          && held[buyer] + limitedAt[buyer] <= limitPerUser) {
        wrong(
            false,
            "LIMIT_REACHED for %d more units: buyer %d holds %d of %d"
                .formatted(limitedAt[buyer], buyer, held[buyer], limitPerUser));
      }
    }
  }
}
