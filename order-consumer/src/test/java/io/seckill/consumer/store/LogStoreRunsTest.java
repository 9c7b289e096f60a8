package io.seckill.consumer.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.log.LogEntry;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LogStoreRunsTest {

  private static final Map<String, String> BATCH =
      Map.of(
          "t",
          "1764430000000",
          "wins",
          "ann|-||1:1:9900:CNY:2:1:900000;bob|key|body|1:2:9900:CNY:2:2:900000,3:1:1:CNY:1:1:1"
              + ";eve|-||1:1:9900:CNY:2:1:900000");

  private static List<List<String>> idsOf(Received... entries) {
    return idsOf(10, entries);
  }

  private static List<List<String>> idsOf(int atMost, Received... entries) {
    return LogStore.runs(List.of(entries), atMost).stream()
        .map(run -> run.stream().map(Received::id).toList())
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
    assertThat(Entries.runs(List.of())).isEmpty();
  }

  @Test
  void runsShouldBeAsLongAsOneTransactionMayBe() {
    assertThat(idsOf(2, entry("1-1"), entry("1-2"), entry("1-3"), entry("1-4"), entry("1-5")))
        .containsExactly(List.of("1-1", "1-2"), List.of("1-3", "1-4"), List.of("1-5"));
    assertThat(idsOf(2, entry("1-1"), entry("1-2"), entry("1-4")))
        .containsExactly(List.of("1-1", "1-2"), List.of("1-4"));
  }

  @Test
  void readShouldNumberTheWinsOfABatchAndMarkTheLast() {
    List<Received> wins =
        Entries.batch(
            7,
            12,
            List.of(
                Entries.record("ann", 1, 1),
                Entries.record("bob", 2, 2),
                Entries.record("eve", 1, 1)));

    assertThat(wins).extracting(Received::id).containsExactly("7-10", "7-11", "7-12");
    assertThat(wins).extracting(Received::endsStreamEntry).containsExactly(false, false, true);
    assertThat(wins.get(1).entry()).isEqualTo(Entries.win(7, 11, "bob", 2, 2).entry());
    assertThat(Received.read("7-12", BATCH, place -> place.seq() == 11))
        .extracting(Received::id)
        .containsExactly("7-11");
  }

  @Test
  void SC_09_readShouldMakeALetterOfABrokenRecordAlone() {
    List<Received> wins =
        Entries.batch(
            1,
            3,
            List.of(Entries.record("ann", 1, 1), "bob|no record", Entries.record("e v e", 1, 1)));

    assertThat(wins).extracting(Received::id).containsExactly("1-1", "1-2", "1-3");
    assertThat(wins.get(0).letter()).isNull();
    assertThat(wins.get(1).letter().payload()).contains("bob|no record");
    assertThat(wins.get(2).letter().payload()).contains("\"u\":\"e v e\"");
    assertThat(wins.get(2).endsStreamEntry()).isTrue();
  }

  @Test
  void SC_09_readShouldKnowOnlyTheIdOfAnEntryThatCannotBeToldApart() {
    List<Received> more = Received.read("1-2", BATCH);
    List<Received> other =
        Received.read("1-9", Map.of("t", "1", "wins", BATCH.get("wins"), "k", "win"));

    for (List<Received> read : List.of(more, other)) {
      assertThat(read).hasSize(1);
      assertThat(read.get(0).letter().reason()).isEqualTo(Letter.MALFORMED);
      assertThat(read.get(0).endsStreamEntry()).isTrue();
    }
    assertThat(Received.read("1-2", BATCH, place -> place.seq() < 2)).isEmpty();
  }

  @Test
  void letterOfAWinOfABatchShouldTellTheWin() {
    Received win = Received.read("7-12", BATCH).get(1);

    assertThat(DeadWins.parse(win.id(), win.asLetter("LIMIT", "").letter().payload()))
        .contains((LogEntry.Win) win.entry());
  }

  @Test
  void SC_09_readShouldNeverThrow() {
    assertThat(Entries.one("1-1", Map.of()).letter().reason()).isEqualTo(Letter.MALFORMED);
    assertThat(Entries.one("0-0", Map.of()).place()).isNull();
    Received huge = Entries.one("1-1", Map.of("k", "win", "x", "\uD83D\uDE00".repeat(50_000)));
    assertThat(huge.letter().payload().length()).isLessThanOrEqualTo(Letter.MAX_PAYLOAD);
    assertThat(
            Entries.one(
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
