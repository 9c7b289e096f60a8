package io.seckill.launcher.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.launcher.load.CrowdRecord;
import io.seckill.launcher.load.CrowdSize;
import io.seckill.launcher.load.Waiters;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole sales over real HTTP, small ones. */
class DemoIT {

  @TempDir private Path folder;

  @Test
  void aSaleShouldPassWithOneShard() {
    try (DemoSystem system = new DemoSystem(folder.resolve("one"), 1)) {
      soldOut(system, 50, new CrowdSize(400, 1_200, 1), Duration.ofMillis(300));
      soldOut(system, 50, new CrowdSize(400, 1_200, 3), Duration.ZERO);
      soldOut(system, 7, new CrowdSize(400, 1_200, 1), Duration.ZERO);
      moreStockThanBuyers(system);
    }
  }

  @Test
  void aSaleShouldPassWithFourShards() {
    try (DemoSystem system = new DemoSystem(folder.resolve("four"), 4)) {
      soldOut(system, 40, new CrowdSize(400, 1_200, 1), Duration.ZERO);
      moreStockThanBuyers(system);
    }
  }

  @Test
  void ST_02_aSaleShouldSellToTheLastUnitWithMoreShardsThanSomeOfThemHaveUnits() {
    try (DemoSystem system = new DemoSystem(folder.resolve("sixteen"), 16)) {
      soldOut(system, 17, new CrowdSize(1_000, 3_000, 1), Duration.ZERO);
      soldOut(system, 17, new CrowdSize(200, 600, 3), Duration.ZERO);
      soldOut(system, 7, new CrowdSize(200, 400, 1), Duration.ZERO);
      soldOut(system, 17, new CrowdSize(18, 18, 1), Duration.ZERO);
    }
  }

  @Test
  void aSaleShouldSellEveryUnitInTheEndToPeopleWhoPay() {
    try (DemoSystem system = new DemoSystem(folder.resolve("paid"), 2)) {
      Paying paying = new Paying(0.6, Duration.ofSeconds(2));
      DemoOptions options = system.options(40, new CrowdSize(300, 600, 1), paying);
      try (SaleRun sale = system.sale(options)) {
        sale.prepare();
        sale.sell();
        CrowdRecord crowd = sale.settle();
        Verdict verdict = sale.judge();

        assertThat(verdict.reasons()).isEmpty();
        assertThat(verdict.sold()).isEqualTo(40);
        assertThat(verdict.ends().paid()).isEqualTo(40);
        assertThat(verdict.ends().cancelled()).isPositive();
        assertThat(verdict.ends().released()).isEqualTo(verdict.ends().cancelled());
        assertThat(crowd.wins()).hasSize((int) (40 + verdict.ends().cancelled()));
        Waiters.Outcome waited = crowd.waited().orElseThrow();
        assertThat(waited.promoted()).as("what came back went to the waitlist").isPositive();
        assertThat(waited.joined()).isEqualTo(waited.promoted() + waited.stillWanting().size());
      }
    }
  }

  private static void soldOut(DemoSystem system, int stock, CrowdSize crowd, Duration warmUp) {
    try (SaleRun sale = system.sale(system.options(stock, crowd, warmUp))) {
      Verdict verdict = play(sale);

      assertThat(verdict.reasons()).isEmpty();
      assertThat(verdict.sold()).isEqualTo(stock);
    }
  }

  private static void moreStockThanBuyers(DemoSystem system) {
    CrowdSize crowd = new CrowdSize(60, 180, 1);
    try (SaleRun sale = system.sale(system.options(400, crowd, Duration.ZERO))) {
      Verdict verdict = play(sale);

      assertThat(verdict.reasons()).isEmpty();
      assertThat(verdict.sold()).as("everybody has one").isEqualTo(60);
      assertThat(verdict.ordersStored()).isEqualTo(60);
    }
  }

  private static Verdict play(SaleRun sale) {
    sale.prepare();
    sale.warmUp();
    CrowdRecord crowd = sale.sell();
    assertThat(
            crowd.wins().size()
                + crowd.replayed()
                + crowd.failed()
                + crowd.refused().values().stream().mapToLong(Long::longValue).sum())
        .as("every click has one last answer")
        .isEqualTo(crowd.requests());
    return sale.judge();
  }
}
