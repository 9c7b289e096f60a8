package io.seckill.launcher.bench;

import io.seckill.launcher.RunStamp;
import io.seckill.launcher.demo.Figure;
import java.util.List;

/** The end of each bench's table. */
final class BenchTable {

  private BenchTable() {}

  /** Figures with their goals, what was sold, on what it was measured, reasons, verdict. */
  static void appendEnd(
      StringBuilder text, List<Figure> figures, BenchVerdict verdict, String redisVersion) {
    text.append("%n".formatted());
    for (Figure figure : figures) {
      text.append(
          "  %-22s %,12.3f %-16s goal %,.2f, %s%n"
              .formatted(
                  figure.id(),
                  figure.value(),
                  figure.unit(),
                  figure.goal(),
                  figure.met() ? "met" : "not met"));
    }
    text.append(
        "%n  %-22s %,d of %,d units, %,d orders stored; %,d wins answered, %,d errors%n"
            .formatted(
                "sold",
                verdict.sold(),
                verdict.stock(),
                verdict.ordersStored(),
                verdict.told().accepted(),
                verdict.told().errors()));
    text.append(
        "  %-22s %s, Redis %s, commit %s%n%n"
            .formatted("machine", RunStamp.machineInWords(), redisVersion, RunStamp.commit()));
    verdict.reasons().forEach(reason -> text.append("  ").append(reason).append('\n'));
    text.append(verdict.word());
  }
}
