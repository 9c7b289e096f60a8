package io.seckill.launcher.load;

import io.seckill.common.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a crowd was answered. {@code requests = wins + replayed + Σ refused + failed}, where each
 * click counts by its last answer and the orders of those who waited in line are left out.
 *
 * @param requests clicks that were begun
 * @param wins distinct orders that buyers were told of
 * @param replayed clicks that were told of an order which another click had made
 * @param refused clicks by the code of their last answer
 * @param failed clicks without a good last answer; {@code errors} says why
 * @param shortages buyers whose last answer was a refusal for lack of units
 * @param errors what must never happen
 * @param pace speed
 * @param waited what became of those who stood in line, where they did; their orders are among the
 *     wins
 */
public record CrowdRecord(
    long requests,
    List<AnsweredWin> wins,
    long replayed,
    Map<ErrorCode, Long> refused,
    long failed,
    List<Shortage> shortages,
    CrowdErrors errors,
    Pace pace,
    Optional<Waiters.Outcome> waited) {

  /** When nobody waits. */
  public CrowdRecord(
      long requests,
      List<AnsweredWin> wins,
      long replayed,
      Map<ErrorCode, Long> refused,
      long failed,
      List<Shortage> shortages,
      CrowdErrors errors,
      Pace pace) {
    this(requests, wins, replayed, refused, failed, shortages, errors, pace, Optional.empty());
  }

  /** Copies the collections. */
  public CrowdRecord {
    wins = List.copyOf(wins);
    refused = Map.copyOf(refused);
    shortages = List.copyOf(shortages);
  }

  /**
   * The same when it is over for those who waited too. What they won they got without a click, or
   * by one that is not counted; the speed is that of the rush.
   *
   * @param waited what became of those who stood in line
   * @param paying what went wrong when wins were paid
   */
  public CrowdRecord settled(Waiters.Outcome waited, CrowdErrors paying) {
    List<AnsweredWin> all = new ArrayList<>(wins);
    all.addAll(waited.wins());
    return new CrowdRecord(
        requests,
        all,
        replayed,
        refused,
        failed,
        waited.stillWanting(),
        errors.plus(waited.errors()).plus(paying),
        pace,
        Optional.of(waited));
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
