package io.seckill.launcher.load;

import java.util.ArrayList;
import java.util.List;

/**
 * What must never happen to a crowd.
 *
 * @param serverFailures 5xx without a stable code
 * @param brokenSockets requests whose connection broke or that had no answer in time, also when a
 *     repeat had one
 * @param wrongAnswers answers that contradict the contract or each other
 * @param unresolved outcomes that stayed unknown after one repeat
 * @param unanswered clicks that had no final answer when the run was over
 * @param samples the first few, for people
 */
public record CrowdErrors(
    long serverFailures,
    long brokenSockets,
    long wrongAnswers,
    long unresolved,
    long unanswered,
    List<String> samples) {

  /** A good crowd. */
  public static final CrowdErrors NONE = new CrowdErrors(0, 0, 0, 0, 0, List.of());

  /** Samples that are kept. */
  static final int MAX_SAMPLES = 10;

  /** Copies the list. */
  public CrowdErrors {
    samples = List.copyOf(samples);
  }

  /** All of them. */
  public long total() {
    return serverFailures + brokenSockets + wrongAnswers + unresolved + unanswered;
  }

  CrowdErrors plus(CrowdErrors other) {
    List<String> both = new ArrayList<>(samples);
    both.addAll(other.samples);
    return new CrowdErrors(
        serverFailures + other.serverFailures,
        brokenSockets + other.brokenSockets,
        wrongAnswers + other.wrongAnswers,
        unresolved + other.unresolved,
        unanswered + other.unanswered,
        both.subList(0, Math.min(both.size(), MAX_SAMPLES)));
  }
}
