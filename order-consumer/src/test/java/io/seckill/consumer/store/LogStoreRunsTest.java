package io.seckill.consumer.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LogStoreRunsTest {

  private static List<List<String>> idsOf(Received... entries) {
    return LogStore.runs(List.of(entries)).stream()
        .map(run -> run.stream().map(Received::streamId).toList())
        .toList();
  }

  private static Received entry(String id) {
    return Received.lost(id, Letter.MISSING);
  }

  @Test
  void runsShouldBeOneWhenNumbersFollowEachOther() {
    assertThat(idsOf(entry("1-2"), entry("1-1"), entry("1-3")))
        .containsExactly(List.of("1-1", "1-2", "1-3"));
  }

  @Test
  void runsShouldBreakAtGapsAndEpochs() {
    assertThat(idsOf(entry("1-1"), entry("1-3"), entry("2-4"), entry("2-5")))
        .containsExactly(List.of("1-1"), List.of("1-3"), List.of("2-4", "2-5"));
  }

  @Test
  void runsShouldKeepForeignIdsApartAndDropRepeats() {
    assertThat(
            idsOf(entry("9-1"), entry("1764430000000-0"), entry("1764430000000-1"), entry("9-1")))
        .containsExactly(List.of("9-1"), List.of("1764430000000-0"), List.of("1764430000000-1"));
  }

  @Test
  void runsShouldBeEmptyForNothing() {
    assertThat(LogStore.runs(List.of())).isEmpty();
  }

  @Test
  void SC_09_readShouldNeverThrow() {
    assertThat(Received.read("1-1", Map.of()).letter().reason()).isEqualTo(Letter.MALFORMED);
    assertThat(Received.read("0-0", Map.of()).place()).isNull();
    Received huge = Received.read("1-1", Map.of("k", "win", "x", "\uD83D\uDE00".repeat(50_000)));
    assertThat(huge.letter().payload().length()).isLessThanOrEqualTo(Letter.MAX_PAYLOAD);
    assertThat(
            Received.read(
                    "1-1",
                    Map.of(
                        "k",
                        "rel",
                        "t",
                        "1",
                        "u",
                        "ann",
                        "w",
                        "1-1",
                        "r",
                        "x".repeat(65),
                        "l",
                        "1:1:stock"))
                .letter())
        .isNotNull();
  }

  @Test
  void jsonRowsShouldEscapeWhatEntriesMadeByHandCarry() {
    JsonRows rows = new JsonRows();
    rows.row().add(1).add("a\"b\\c\n\u0000\uD83D\uDE00").end();
    rows.row().add(2).add("").end();

    assertThat(rows.rows()).isEqualTo(2);
    assertThat(rows.json()).isEqualTo("[[1,\"a\\\"b\\\\c\\u000a\\u0000\\ud83d\\ude00\"],[2,\"\"]]");
  }
}
