package io.seckill.launcher.load;

import io.seckill.common.error.ErrorCode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a crowd was answered. {@code requests = wins + replayed + Σ refused + failed}, where each
 * click counts by its last answer.
 *
 * @param requests clicks that were begun
 * @param wins distinct orders that buyers were told of
 * @param replayed clicks that were told of an order which another click had made
 * @param refused clicks by the code of their last answer
 * @param failed clicks without a good last answer; {@code errors} says why
 * @param shortages buyers whose last answer was a refusal for lack of units
 * @param errors what must never happen
 * @param pace speed
 */
public record CrowdRecord(
    long requests,
    List<AnsweredWin> wins,
    long replayed,
    Map<ErrorCode, Long> refused,
    long failed,
    List<Shortage> shortages,
    CrowdErrors errors,
    Pace pace) {

  /** Copies the collections. */
  public CrowdRecord {
    wins = List.copyOf(wins);
    refused = Map.copyOf(refused);
    shortages = List.copyOf(shortages);
  }

  /**
   * The same with what some of the crowd were answered when they came again; the speed is that of
   * the first time.
   *
   * @param again that record
   */
  public CrowdRecord plus(CrowdRecord again) {
    List<AnsweredWin> all = new ArrayList<>(wins);
    all.addAll(again.wins);
    Map<ErrorCode, Long> both = new HashMap<>(refused);
    again.refused.forEach((code, count) -> both.merge(code, count, Long::sum));
    return new CrowdRecord(
        requests + again.requests,
        all,
        replayed + again.replayed,
        both,
        failed + again.failed,
        shortages,
        errors.plus(again.errors),
        pace);
  }

  /**
   * The same when nobody comes again.
   *
   * @param stillWanting whose last answer was a refusal for lack of units, and who would still buy
   * @param paying what went wrong when wins were paid
   */
  public CrowdRecord settled(Collection<Shortage> stillWanting, CrowdErrors paying) {
    return new CrowdRecord(
        requests,
        wins,
        replayed,
        refused,
        failed,
        List.copyOf(stillWanting),
        errors.plus(paying),
        pace);
  }

  /**
   * A buyer whose last answer was SOLD_OUT, INSUFFICIENT_STOCK or BUSY.
   *
   * @param buyer his number
   * @param quantity what he had asked for
   */
  public record Shortage(int buyer, int quantity) {}

  /**
   * How fast it went.
   *
   * @param answers HTTP answers, those that were followed by a repeat included
   * @param seconds from the first send to the last answer
   * @param latencies of all answers, each from the send of its request; after a repeat of a request
   *     with an unknown outcome from the first send of that
   */
  public record Pace(long answers, double seconds, Latencies latencies) {

    /** Answers a second; 0 when there were none. */
    public double answersPerSecond() {
      return seconds > 0 ? answers / seconds : 0;
    }
  }
}
