package io.seckill.launcher.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.OrderId;
import io.seckill.launcher.load.AnsweredWin;
import io.seckill.launcher.load.CrowdErrors;
import io.seckill.launcher.load.CrowdRecord;
import io.seckill.launcher.load.CrowdRecord.Shortage;
import io.seckill.launcher.load.Latencies;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SettlingLineTest {

  /** Buyers with an even number pay. */
  private static boolean pays(int buyer) {
    return buyer % 2 == 0;
  }

  @Test
  void nextShouldGiveEachOfThoseWhoWentAwayOnce() {
    SettlingLine line = line(record(List.of(), 1, 2, 3));
    List<Shortage> first = line.next(2);
    List<Shortage> rest = line.next(5);
    assertThat(first).hasSize(2);
    assertThat(rest).hasSize(1).doesNotContainAnyElementsOf(first);
    assertThat(line.isEmpty()).isTrue();
  }

  @Test
  void whoDoesNotPayShouldComeUntilHeHasWonAndNotAfter() {
    SettlingLine line = line(record(List.of(5, 6), 1, 3, 5, 6));
    assertThat(line.waiting()).extracting(Shortage::buyer).containsExactlyInAnyOrder(1, 3, 6);
    line.next(3);
    line.came(record(List.of(3), 1, 3, 6));
    assertThat(line.waiting()).extracting(Shortage::buyer).containsExactly(1, 6);
  }

  private static SettlingLine line(CrowdRecord sale) {
    return new SettlingLine(sale, SettlingLineTest::pays, 1);
  }

  private static CrowdRecord record(List<Integer> winners, int... refused) {
    return new CrowdRecord(
        0,
        winners.stream()
            .map(buyer -> new AnsweredWin(buyer, 1, new OrderId("%026d".formatted(buyer))))
            .toList(),
        0,
        Map.of(),
        0,
        IntStream.of(refused).mapToObj(buyer -> new Shortage(buyer, 1)).toList(),
        CrowdErrors.NONE,
        new CrowdRecord.Pace(0, 0, new Latencies(0, 0, 0, 0, 0)));
  }
}
