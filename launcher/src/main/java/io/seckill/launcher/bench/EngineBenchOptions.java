package io.seckill.launcher.bench;

import io.seckill.common.config.SeckillConfig.Durability;
import java.time.Duration;
import java.util.List;

/**
 * How large {@code bench engine} is.
 *
 * @param durabilities measured in turn, round by round; NONE among them also gets the quiet sale
 * @param shards S of the engine beside the baselines
 * @param inFlight purchases under way, on our side and in the pipelined baseline
 * @param size how long and how much
 * @param rebalanceUnits units of each sale of the rebalancing, 0 for without
 */
public record EngineBenchOptions(
    List<Durability> durabilities, int shards, int inFlight, Size size, int rebalanceUnits) {

  /** As many as a pool of a usual client has. */
  public static final int PLAIN_CONNECTIONS = 50;

  /** S of the rebalancing. */
  public static final int REBALANCE_SHARDS = 16;

  /**
   * How long and how much.
   *
   * @param rounds measurements of each kind
   * @param each how long one takes
   * @param wins most wins of all rounds together, for each durability: all of them are stored and
   *     audited at the end
   * @param warmUp what runs before the clock starts
   */
  public record Size(int rounds, Duration each, long wins, Duration warmUp) {}

  /** Checks the ranges. */
  public EngineBenchOptions {
    durabilities = List.copyOf(durabilities);
    check("durability", durabilities.size(), 1, Durability.values().length);
    check("shards", shards, 1, 1_023);
    check("in-flight", inFlight, 1, 16_000);
    check("rounds", size.rounds(), 1, 100);
    check("milliseconds of a measurement", size.each().toMillis(), 10, 60_000);
    check("wins", size.wins(), 100, 1_500_000);
    check("milliseconds of the warm-up", size.warmUp().toMillis(), 0, 60_000);
    check("units of the rebalancing", rebalanceUnits, 0, 300_000);
  }

  static void check(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + " must be " + min + " to " + max + ", not " + value);
    }
  }
}
