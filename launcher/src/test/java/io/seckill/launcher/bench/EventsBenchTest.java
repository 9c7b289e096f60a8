package io.seckill.launcher.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.error.ErrorCode;
import io.seckill.launcher.demo.Figure;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventsBenchTest {

  private static final int STREAMS = 10_000;

  @Test
  void reasonsShouldBeNoneWhenAllHeard() {
    assertThat(reasons(3, 3, tally(3, 0))).isEmpty();
  }

  @Test
  void reasonsShouldSayThatNobodyBought() {
    assertThat(reasons(3, 0, tally(0, 3)))
        .singleElement()
        .asString()
        .contains("3 of 3 purchases", "BUSY=3");
  }

  @Test
  void reasonsShouldSayThatSomebodyDidNotHear() {
    assertThat(reasons(3, 2, tally(3, 0))).singleElement().asString().contains("1 of 3 buyers");
  }

  @Test
  void reasonsShouldSayThatAStreamWasNotOpened() {
    assertThat(reasons(2, 2, tally(3, 0))).singleElement().asString().contains("1 of 3 streams");
  }

  @Test
  void figuresShouldSayNothingOfLatenciesWhenNotAllHeard() {
    assertThat(figures(STREAMS)).containsExactly("statusP99", "streams");
    assertThat(figures(0)).containsExactly("streams");
  }

  private static List<String> reasons(int open, int heard, Tally tally) {
    return EventsBench.reasons(
        3,
        new JsonObject().put("open", open).put("refusal", ""),
        new JsonObject().put("heard", heard).put("refusal", ""),
        tally);
  }

  private static Tally tally(int accepted, int refused) {
    Tally tally = new Tally();
    for (int i = 0; i < accepted; i++) {
      tally.accepted(0, 1_000, false);
    }
    for (int i = 0; i < refused; i++) {
      tally.refused(ErrorCode.BUSY, 0, 1_000);
    }
    return tally;
  }

  private static List<String> figures(int heard) {
    EventsReport.Part part =
        new EventsReport.Part(STREAMS, STREAMS, heard, new JsonObject().put("p99", 0.0));
    EventsReport report =
        new EventsReport(
            new EventsBenchOptions(STREAMS, STREAMS, 1_000),
            part,
            part,
            new BenchEnd(null, new Tally(), ""));
    return report.figures().stream().map(Figure::id).toList();
  }
}
