package io.seckill.launcher.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.ItemId;
import io.seckill.launcher.load.CrowdRecord;
import io.seckill.launcher.load.CrowdSize;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A demo that cannot fail proves nothing: each test breaks one promise by hand and sees FAIL. */
class DemoFailsIT {

  /** The second item of a system: the first is the warm-up's. */
  private static final ItemId ITEM = new ItemId(2);

  @TempDir private Path folder;

  /** Breaks something when the sale is over and all is stored. */
  private interface Break {
    void in(DemoSystem system, CrowdRecord crowd) throws IOException;
  }

  @Test
  void judgeShouldFailWhenAnOrderRowIsGone() throws IOException {
    Verdict verdict = verdictAfter((system, crowd) -> system.sql("DELETE FROM orders LIMIT 1"));

    fails(verdict, "I3");
    assertThat(verdict.lostWins()).isEqualTo(1);
    assertThat(verdict.ordersStored()).isEqualTo(19);
  }

  @Test
  void judgeShouldFailWhenAStockKeyWasRaisedByHand() throws IOException {
    Verdict verdict =
        verdictAfter((system, crowd) -> system.redis("INCRBY", system.keys(0).stock(ITEM), "5"));

    fails(verdict, "I1");
    assertThat(verdict.reasons()).anyMatch(reason -> reason.contains("+5"));
  }

  @Test
  void judgeShouldFailWhenAReceiptIsGone() throws IOException {
    String[] user = new String[1];
    Verdict verdict =
        verdictAfter(
            (system, crowd) -> {
              user[0] = "buyer-" + ITEM + "-" + crowd.wins().get(0).buyer();
              assertThat(system.redis("HDEL", system.keys(0).receipts(ITEM), user[0]))
                  .isEqualTo("1");
            });

    fails(verdict, user[0]);
  }

  @Test
  void judgeShouldFailWhenAnOrderSaysMoreThanWasWon() throws IOException {
    Verdict verdict =
        verdictAfter((system, crowd) -> system.sql("UPDATE order_lines SET quantity = 2 LIMIT 1"));

    fails(verdict, "I1");
    assertThat(verdict.oversold()).isEqualTo(1);
    assertThat(verdict.reasons()).anyMatch(reason -> reason.contains("not of what was asked for"));
  }

  @Test
  void judgeShouldPassWhenNothingWasBroken() throws IOException {
    assertThat(verdictAfter((system, crowd) -> {}).reasons()).isEmpty();
  }

  private Verdict verdictAfter(Break broken) throws IOException {
    try (DemoSystem system = new DemoSystem(folder.resolve("system"), 1);
        SaleRun sale = system.sale(system.options(20, new CrowdSize(100, 300, 1), Duration.ZERO))) {
      sale.prepare();
      CrowdRecord crowd = sale.sell();
      assertThat(sale.awaitStored().clean()).isTrue();
      broken.in(system, crowd);
      return sale.judge();
    }
  }

  private static void fails(Verdict verdict, String because) {
    assertThat(verdict.word()).isEqualTo("FAIL");
    assertThat(verdict.reasons())
        .as("a finding of the audit names promise and place")
        .anyMatch(reason -> reason.startsWith("audit: ") && reason.contains(because));
  }
}
