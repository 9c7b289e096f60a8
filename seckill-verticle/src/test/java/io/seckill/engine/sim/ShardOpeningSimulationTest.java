package io.seckill.engine.sim;

import static org.assertj.core.api.Assertions.fail;

import java.util.EnumSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Opening and repair of shards in random histories (docs/architecture.md, "Opening a shard"): lost
 * writes, failovers, old masters, stalled and dead openers, consumers and transfers. Every history
 * follows from its seed: {@code -Dseed=…} repeats one.
 */
class ShardOpeningSimulationTest {

  private static final int MAX_STEPS = 250;
  private static final int LONG_HISTORIES = 100_000;

  /**
   * The seeds are always the same, and each guard is missed within a few hundred of them; a change
   * of the simulation moves that by chance.
   */
  private static final int MUTANT_HISTORIES = 20_000;

  @Test
  void RF_02_randomHistoriesShouldKeepAllPromises() {
    Long seed = Long.getLong("seed");
    if (seed != null) {
      live(seed, EnumSet.allOf(Guard.class));
      return;
    }
    int histories = Math.min(Integer.getInteger("rounds", 10) * 200, LONG_HISTORIES);
    long first = System.nanoTime();
    for (long history = first; history < first + histories; history++) {
      try {
        live(history, EnumSet.allOf(Guard.class));
      } catch (RuntimeException e) {
        fail("history -Dseed=" + history + ": " + e.getMessage(), e);
      }
    }
  }

  /** A check that cannot fail proves nothing: without any one of the guards a promise breaks. */
  @ParameterizedTest
  @EnumSource(Guard.class)
  void aMissingGuardShouldBeFound(Guard missing) {
    Set<Guard> others = EnumSet.complementOf(EnumSet.of(missing));
    for (long history = 1; history <= MUTANT_HISTORIES; history++) {
      try {
        live(history, others);
      } catch (Violation found) {
        return;
      }
    }
    fail(MUTANT_HISTORIES + " histories without " + missing + " broke no promise");
  }

  private static void live(long seed, Set<Guard> guards) {
    Random random = new Random(seed);
    new SimWorld(random, guards).run(30 + random.nextInt(MAX_STEPS));
  }
}
