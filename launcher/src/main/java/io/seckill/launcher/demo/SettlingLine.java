package io.seckill.launcher.demo;

import io.seckill.launcher.load.AnsweredWin;
import io.seckill.launcher.load.CrowdRecord;
import io.seckill.launcher.load.CrowdRecord.Shortage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * Buyers who went away for lack of units and come again when some are back. Whoever has won and
 * does not pay is no longer among them: he had his turn.
 */
final class SettlingLine {

  private final IntPredicate pays;
  private final ArrayDeque<Shortage> waiting = new ArrayDeque<>();
  private final Set<Integer> hadTheirTurn = new HashSet<>();

  /**
   * All who went away, in an order left to chance.
   *
   * @param sale the first answers
   * @param pays which buyers pay
   * @param seed decides the chance
   */
  SettlingLine(CrowdRecord sale, IntPredicate pays, long seed) {
    this.pays = pays;
    noteTurns(sale);
    List<Shortage> shuffled = new ArrayList<>(sale.shortages());
    Collections.shuffle(shuffled, new Random(seed));
    shuffled.stream().filter(this::mayCome).forEach(waiting::add);
  }

  /** Takes the next few out of the line. */
  List<Shortage> next(int most) {
    List<Shortage> next = new ArrayList<>();
    while (next.size() < most && !waiting.isEmpty()) {
      next.add(waiting.poll());
    }
    return next;
  }

  /** They came; those who were refused for lack of units again stand at the end. */
  void came(CrowdRecord again) {
    noteTurns(again);
    again.shortages().stream().filter(this::mayCome).forEach(waiting::add);
  }

  private void noteTurns(CrowdRecord record) {
    record.wins().stream()
        .map(AnsweredWin::buyer)
        .filter(buyer -> !pays.test(buyer))
        .forEach(hadTheirTurn::add);
  }

  private boolean mayCome(Shortage shortage) {
    return !hadTheirTurn.contains(shortage.buyer());
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Who still wants. */
  List<Shortage> waiting() {
    return List.copyOf(waiting);
  }
}
