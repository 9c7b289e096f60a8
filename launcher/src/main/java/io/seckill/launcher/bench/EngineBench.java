package io.seckill.launcher.bench;

import io.seckill.common.config.SeckillConfig.Durability;
import io.seckill.launcher.local.TemporaryStage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * {@code bench engine}: the engine beside the articles' script, each durability on a site of its
 * own, all of them up together and measured in turn.
 */
public final class EngineBench {

  private final EngineBenchOptions options;
  private final TemporaryStage stage;
  private final Consumer<String> progress;

  /**
   * A bench that has not begun.
   *
   * @param stage where it takes place; the caller closes it
   * @param progress hears one line at a time
   */
  public EngineBench(EngineBenchOptions options, TemporaryStage stage, Consumer<String> progress) {
    this.options = options;
    this.stage = stage;
    this.progress = progress;
  }

  /** Runs it; waits for minutes. */
  public EngineReport run() {
    List<DurabilityRun> runs = new ArrayList<>();
    for (Durability durability : options.durabilities()) {
      runs.add(open(durability));
    }
    for (DurabilityRun run : runs) {
      progress.accept("warm-up, " + name(run.durability()));
      run.prepare();
    }
    for (int round = 0; round < options.size().rounds(); round++) {
      progress.accept(
          "round %d of %d: wins, then sold out".formatted(round + 1, options.size().rounds()));
      for (DurabilityRun run : runs) {
        run.measureWins(round);
      }
      for (DurabilityRun run : runs) {
        run.measureRefusals(round);
      }
    }
    Optional<QuietSale.Result> quiet = quiet(runs);
    BenchVerdict verdict = null;
    for (DurabilityRun run : runs) {
      progress.accept("storing and auditing, " + name(run.durability()));
      BenchVerdict judged = run.judge(progress);
      verdict = verdict == null ? judged : verdict.and(judged);
      run.close();
      run.site().close();
    }
    List<DurabilityRun.Result> results = runs.stream().map(DurabilityRun::result).toList();
    if (options.rebalanceUnits() == 0) {
      return new EngineReport(options, results, quiet, Optional.empty(), verdict);
    }
    Rebalance rebalance = rebalance();
    verdict = verdict.and(rebalance.judge(progress));
    return new EngineReport(options, results, quiet, Optional.of(rebalance.result()), verdict);
  }

  private DurabilityRun open(Durability durability) {
    progress.accept(
        "durability %s: starting Redis, MariaDB and all roles".formatted(name(durability)));
    BenchSite site = site(name(durability), durability, options.shards());
    return stage.start(() -> new DurabilityRun(durability, options, site));
  }

  private BenchSite site(String name, Durability durability, int shards) {
    return stage.start(() -> BenchSite.start(stage.folder().resolve(name), durability, shards));
  }

  private Optional<QuietSale.Result> quiet(List<DurabilityRun> runs) {
    return runs.stream()
        .filter(run -> run.durability() == Durability.NONE)
        .findFirst()
        .map(
            run -> {
              progress.accept("a quiet sale alone, beside a busy mix, and beside a hot sale");
              return new QuietSale(run, options.size(), run.site().callsHold()).run();
            });
  }

  private Rebalance rebalance() {
    progress.accept(
        "rebalancing: starting a system of %d shards"
            .formatted(EngineBenchOptions.REBALANCE_SHARDS));
    BenchSite site = site("rebalance", Durability.NONE, EngineBenchOptions.REBALANCE_SHARDS);
    Rebalance rebalance = new Rebalance(options, site);
    progress.accept("one crowd buys with units where it is, and with units that must be moved");
    rebalance.run();
    progress.accept("storing and auditing, rebalancing");
    return rebalance;
  }

  private static String name(Durability durability) {
    return durability.name().toLowerCase(Locale.ROOT);
  }
}
