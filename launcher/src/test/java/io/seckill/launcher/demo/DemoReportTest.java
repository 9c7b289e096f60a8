package io.seckill.launcher.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.OrderIds;
import io.seckill.common.id.WinId;
import io.seckill.launcher.load.AnsweredWin;
import io.seckill.launcher.load.CrowdErrors;
import io.seckill.launcher.load.CrowdRecord;
import io.seckill.launcher.load.CrowdSize;
import io.seckill.launcher.load.Latencies;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DemoReportTest {

  private static final DemoOptions OPTIONS =
      new DemoOptions(
          5,
          new CrowdSize(10, 30, 1),
          4,
          new DemoOptions.Play(8, 42, Duration.ofSeconds(1)),
          Optional.of(new Paying(0.6, Duration.ofSeconds(5))));

  private static final Verdict.Ends ENDS = new Verdict.Ends(3, 2, 2);

  @Test
  void jsonShouldHaveEveryFieldOfTheDesign() {
    JsonObject json = report(new Verdict(5, 5, ENDS, 0, 0, 0, 0, 0, List.of())).json();

    assertThat(json.getString("verdict")).isEqualTo("PASS");
    assertThat(json.fieldNames())
        .startsWith(
            "verdict",
            "stock",
            "sold",
            "ordersStored",
            "oversold",
            "overLimit",
            "lostWins",
            "strandedUnits",
            "requests",
            "accepted",
            "replayed",
            "refused",
            "errors",
            "throughputPerSecond",
            "latencyMs")
        .contains("paid", "cancelled", "released")
        .contains("seconds", "seed", "warmUp", "machine", "epochs", "figures", "drain", "reasons");
    assertThat(json.getLong("paid")).isEqualTo(3);
    assertThat(json.getLong("cancelled")).isEqualTo(2);
    assertThat(json.getLong("released")).isEqualTo(2);
    assertThat(json.getJsonObject("refused")).isEqualTo(new JsonObject().put("SOLD_OUT", 20L));
    assertThat(json.getJsonObject("latencyMs").fieldNames())
        .containsExactly("p50", "p95", "p99", "p999", "max");
    assertThat(json.getLong("throughputPerSecond")).isEqualTo(15);
    assertThat(json.encode()).doesNotContain("\n");
  }

  @Test
  void textShouldEndWithTheVerdictAndSayWhy() {
    assertThat(report(new Verdict(5, 5, ENDS, 0, 0, 0, 0, 0, List.of())).text()).endsWith("PASS");
    assertThat(report(new Verdict(5, 5, ENDS, 0, 0, 0, 0, 0, List.of())).text())
        .contains("paid", "60 % of the buyers pay", "not paid within 5 s")
        .contains("30 answers of the rush")
        .contains("over 2.0 s of the rush");
    assertThat(report(new Verdict(5, 4, ENDS, 0, 0, 1, 0, 0, List.of("one win is lost"))).text())
        .contains("one win is lost")
        .endsWith("FAIL");
  }

  @Test
  void epochsShouldBeReadFromTheOrderIds() {
    OrderIds ids = new OrderIds(new byte[16]);
    List<AnsweredWin> wins =
        List.of(
            new AnsweredWin(1, 1, ids.seal(WinId.of(0, 3, 7, 1))),
            new AnsweredWin(2, 1, ids.seal(WinId.of(0, 1, 9, 1))));

    assertThat(DemoReport.Epochs.of(wins, ids)).isEqualTo(new DemoReport.Epochs(2, 7, 9));
    assertThat(DemoReport.Epochs.of(List.of(), ids)).isEqualTo(new DemoReport.Epochs(0, 0, 0));
  }

  @Test
  void figuresShouldSayWhatWasMeasuredAgainstItsGoal() {
    Verdict verdict = new Verdict(5, 5, ENDS, 0, 0, 0, 0, 0, List.of());
    JsonArray few = report(verdict).json().getJsonArray("figures");
    assertThat(few.getJsonObject(0))
        .isEqualTo(
            new JsonObject()
                .put("id", "throughput")
                .put("value", 15.0)
                .put("unit", "answers/s")
                .put("goal", 15_000.0)
                .put("met", false));
    assertThat(few.getJsonObject(1).getBoolean("met")).isTrue();
    assertThat(few).hasSize(2);

    JsonArray many =
        report(verdict, new StorePace.Drain(120_000, 8, true)).json().getJsonArray("figures");
    assertThat(many.stream().map(each -> ((JsonObject) each).getString("id")))
        .containsExactly("throughput", "p99", "storedPerSecond", "backlogStored");
    assertThat(many.getJsonObject(2).getDouble("value")).isEqualTo(15_000);
    assertThat(many.getJsonObject(3).getBoolean("met")).isTrue();
  }

  private static DemoReport report(Verdict verdict) {
    return report(verdict, new StorePace.Drain(5, 0.1, false));
  }

  private static DemoReport report(Verdict verdict, StorePace.Drain drain) {
    CrowdRecord crowd =
        new CrowdRecord(
            30,
            List.of(),
            5,
            Map.of(ErrorCode.SOLD_OUT, 20L),
            0,
            List.of(),
            new CrowdErrors(0, 0, 0, 0, 0, List.of()),
            new CrowdRecord.Pace(30, 2, new Latencies(1, 2, 3, 4, 5)));
    return new DemoReport(OPTIONS, null, crowd, verdict, new DemoReport.Epochs(0, 0, 0), drain);
  }
}
