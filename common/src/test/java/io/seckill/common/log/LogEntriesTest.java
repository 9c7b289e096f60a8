package io.seckill.common.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.item.ItemState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LogEntriesTest {

  private static final Map<String, String> WIN =
      Map.of(
          "k",
          "win",
          "t",
          "1764000000000",
          "u",
          "007",
          "kd",
          "-",
          "bd",
          "",
          "l",
          "9007199254740993:2:1999:CNY:7:3:900000");
  private static final Map<String, String> RELEASE =
      Map.of(
          "k", "rel", "t", "1", "u", "bob", "w", "2-9", "r", "timeout", "l", "5:1:stock,3:2:grant");
  private static final Map<String, String> UNITS_IN =
      Map.of("k", "in", "t", "1", "i", "5", "m", "1", "n", "0");
  private static final Map<String, String> UNITS_OUT =
      Map.of("k", "out", "t", "1", "i", "5", "m", "2", "n", "4");
  private static final Map<String, String> UNITS_SENT =
      Map.of("k", "send", "t", "1", "i", "5", "n", "4", "d", "15");
  private static final Map<String, String> SWITCHED =
      Map.of("k", "sales", "t", "1", "g", "3", "s", "STOPPED");
  private static final Map<String, String> JOINED =
      Map.of("k", "join", "t", "1", "i", "5", "u", "bob");
  private static final Map<String, String> LEFT =
      Map.of("k", "leave", "t", "1", "i", "5", "u", "bob");
  private static final Map<String, String> CHANGED =
      Map.of("k", "state", "t", "1", "i", "5", "g", "2", "s", "OPEN");

  @Test
  void LU_02_winShouldKeepEveryDigit() {
    assertThat(LogEntries.parse("4294967295-281474976710655", WIN))
        .isEqualTo(
            new LogEntry.Win(
                new EntryId(EntryId.MAX_EPOCH, EntryId.MAX_SEQ),
                1_764_000_000_000L,
                new UserId("007"),
                "-",
                "",
                List.of(
                    new LogEntry.WinLine(
                        new ItemId(9_007_199_254_740_993L), 2, 1_999, "CNY", 7, 3, 900_000))));
  }

  private static Map<String, String> wins(String... records) {
    return Map.of("t", "1764000000000", "wins", String.join(";", records));
  }

  @Test
  void winsOfABatchShouldHaveTheNumbersUpToTheirEntrysId() {
    String line = "|-||9007199254740993:2:1999:CNY:7:3:900000";

    List<LogEntry> read =
        LogEntries.parseAll(
            "4-12",
            wins(
                "007" + line,
                "bob|keyDigest01|bodyDg01|5:1:0:CNY:1:1:1,6:2:0:CNY:1:2:1",
                "eve" + line));

    assertThat(read)
        .extracting(LogEntry::id)
        .containsExactly(new EntryId(4, 10), new EntryId(4, 11), new EntryId(4, 12));
    assertThat(read.get(0)).isEqualTo(LogEntries.parse("4-10", WIN));
    LogEntry.Win basket = (LogEntry.Win) read.get(1);
    assertThat(basket.user()).isEqualTo(new UserId("bob"));
    assertThat(basket.keyDigest()).isEqualTo("keyDigest01");
    assertThat(basket.bodyDigest()).isEqualTo("bodyDg01");
    assertThat(basket.atMs()).isEqualTo(1_764_000_000_000L);
    assertThat(basket.lines()).hasSize(2);
  }

  @Test
  void everythingButTheWinsOfABatchShouldBeAnEntryOfItsOwn() {
    for (Map<String, String> entry : List.of(WIN, with(WIN, "k", "promo"), RELEASE, CHANGED)) {
      assertThat(LogEntries.parseAll("3-1", entry)).containsExactly(LogEntries.parse("3-1", entry));
    }
    assertMalformed("1-1", wins("bob|-||5:1:0:CNY:1:1:1"));
  }

  @Test
  void SC_09_changesShouldBeToldApartWhateverTheyHold() {
    List<LogEntries.Change> changes =
        LogEntries.split("1-4", wins("bob|-||5:1:0:CNY:1:1:1", "", "b o b|||", "eve|-||5:0|"));

    assertThat(changes)
        .extracting(LogEntries.Change::place)
        .containsExactly(
            new EntryId(1, 1), new EntryId(1, 2), new EntryId(1, 3), new EntryId(1, 4));
    assertThat(LogEntries.parse("1-1", changes.get(0).fields())).isInstanceOf(LogEntry.Win.class);
    for (LogEntries.Change broken : changes.subList(1, 4)) {
      assertMalformed(broken.place().toString(), broken.fields());
    }
    assertThat(changes.get(3).fields()).containsEntry("record", "eve|-||5:0|");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bob",
        "bob|-|",
        "bob|-||5:1:0:CNY:1:1:1|",
        "bo b|-||5:1:0:CNY:1:1:1",
        "bob|k k||5:1:0:CNY:1:1:1",
        "bob|-|b b|5:1:0:CNY:1:1:1",
        "bob|-||5:0:0:CNY:1:1:1",
        "bob|-||",
        "bob|-||5:1:0:CNY:1:1:1;"
      })
  void winsOfABatchShouldBeReadStrictly(String records) {
    assertThatThrownBy(() -> LogEntries.parseAll("1-9", wins(records)))
        .isInstanceOf(MalformedEntryException.class);
  }

  @Test
  void SC_09_changesShouldNotBeToldApartWhenTheirNumbersAreNotKnown() {
    String record = "bob|-||5:1:0:CNY:1:1:1";
    assertNotTold("1-1", wins(record, record));
    assertNotTold("1-9", Map.of("wins", record));
    assertNotTold("1-9", with(wins(record), "k", "win"));
    assertNotTold("x-9", wins(record));
    String thousand = (record + ";").repeat(999) + record;
    assertThat(LogEntries.split("1-1000", wins(thousand))).hasSize(LogEntries.MAX_WINS);
    assertNotTold("1-9999", wins(thousand, record));
    assertNotTold("1-9999", wins(";".repeat(1_000_000)));
  }

  @Test
  void winsOfABatchShouldHaveATime() {
    assertThatThrownBy(
            () -> LogEntries.parseAll("1-1", with(wins("bob|-||5:1:0:CNY:1:1:1"), "t", "01")))
        .isInstanceOf(MalformedEntryException.class);
  }

  private static void assertNotTold(String id, Map<String, String> fields) {
    assertThatThrownBy(() -> LogEntries.split(id, fields))
        .isInstanceOf(MalformedEntryException.class);
  }

  @Test
  void winShouldTakeUpToEightLines() {
    String line = ":1:0:CNY:1:1:1";
    StringBuilder eight = new StringBuilder("1" + line);
    for (int item = 2; item <= 8; item++) {
      eight.append(',').append(item).append(line);
    }

    LogEntry.Win win = (LogEntry.Win) LogEntries.parse("1-1", with(WIN, "l", eight.toString()));

    assertThat(win.lines()).hasSize(8);
    assertMalformed("1-1", with(WIN, "l", eight + ",9" + line));
  }

  @Test
  void releaseShouldSayWhereUnitsWent() {
    assertThat(LogEntries.parse("3-1", RELEASE))
        .isEqualTo(
            new LogEntry.Release(
                new EntryId(3, 1),
                1,
                new UserId("bob"),
                new EntryId(2, 9),
                "timeout",
                List.of(
                    new LogEntry.ReleasedLine(new ItemId(5), 1, true),
                    new LogEntry.ReleasedLine(new ItemId(3), 2, false))));
  }

  @Test
  void movesAndStatesShouldBeRead() {
    assertThat(LogEntries.parse("1-1", UNITS_IN))
        .isEqualTo(new LogEntry.UnitsIn(new EntryId(1, 1), 1, new ItemId(5), 1, 0));
    assertThat(LogEntries.parse("1-2", CHANGED))
        .isEqualTo(
            new LogEntry.ItemChanged(new EntryId(1, 2), 1, new ItemId(5), 2, ItemState.OPEN));
  }

  @Test
  void unitsOutAndWaitlistShouldBeRead() {
    EntryId place = new EntryId(1, 1);
    ItemId item = new ItemId(5);
    UserId bob = new UserId("bob");
    assertThat(LogEntries.parse("1-1", UNITS_OUT))
        .isEqualTo(new LogEntry.UnitsOut(place, 1, item, 2, 4));
    assertThat(LogEntries.parse("1-1", JOINED)).isEqualTo(new LogEntry.Joined(place, 1, item, bob));
    assertThat(LogEntries.parse("1-1", LEFT)).isEqualTo(new LogEntry.Left(place, 1, item, bob));
  }

  @Test
  void unitsOnTheirWayAndTheStopSwitchShouldBeRead() {
    EntryId place = new EntryId(1, 1);
    assertThat(LogEntries.parse("1-1", UNITS_SENT))
        .isEqualTo(new LogEntry.UnitsSent(place, 1, new ItemId(5), 4, 15));
    assertThat(LogEntries.parse("1-1", SWITCHED))
        .isEqualTo(new LogEntry.SalesSwitched(place, 1, 3, true));
    assertThat(LogEntries.parse("1-1", with(SWITCHED, "s", "OPEN")))
        .isEqualTo(new LogEntry.SalesSwitched(place, 1, 3, false));
    assertMalformed("1-1", with(UNITS_SENT, "n", "0"));
    assertMalformed("1-1", with(UNITS_SENT, "d", "1023"));
    assertMalformed("1-1", with(SWITCHED, "s", "PAUSED"));
  }

  @Test
  void promotionShouldTakeUnitsAsAWinDoes() {
    LogEntry win = LogEntries.parse("1-1", WIN);
    LogEntry promotion = LogEntries.parse("1-1", with(WIN, "k", "promo"));

    assertThat(promotion).isEqualTo(new LogEntry.Promotion((LogEntry.Win) win));
    assertThat(promotion.taken()).contains((LogEntry.Win) win);
    assertThat(promotion.id()).isEqualTo(win.id());
    assertThat(LogEntries.parse("1-1", UNITS_OUT).taken()).isEmpty();
  }

  @Test
  void SC_09_everyFieldShouldBeNeeded() {
    for (Map<String, String> entry :
        List.of(WIN, RELEASE, UNITS_IN, UNITS_OUT, UNITS_SENT, SWITCHED, JOINED, LEFT, CHANGED)) {
      for (String field : entry.keySet()) {
        Map<String, String> without = new HashMap<>(entry);
        without.remove(field);
        assertThatThrownBy(() -> LogEntries.parse("1-1", without))
            .as("%s without %s", entry, field)
            .isInstanceOf(MalformedEntryException.class);
      }
    }
  }

  @ParameterizedTest(name = "{index}")
  @CsvSource(
      delimiter = ' ',
      value = {
        "k Win",
        "t -1",
        "t +1",
        "t 1e3",
        "t 01",
        "t 9223372036854775808",
        "t \u0661",
        "u a/b",
        "kd 12345678901234567",
        "kd a=b",
        "bd a.b",
        "l ''",
        "l ,",
        "l 5",
        "l 5:0:1:CNY:1:1:1",
        "l 5:-1:1:CNY:1:1:1",
        "l 5:+1:1:CNY:1:1:1",
        "l 5:1000001:1:CNY:1:1:1",
        "l 5:4294967297:1:CNY:1:1:1",
        "l 5:1:-1:CNY:1:1:1",
        "l 5:1:19.99:CNY:1:1:1",
        "l 5:1:1:cny:1:1:1",
        "l 5:1:1:CNY:1:0:1",
        "l 5:1:1:CNY:1:1",
        "l 5:1:1:CNY:1:1:1:1",
        "l 5:1:1:CNY:1:1:1,",
        "l 05:1:1:CNY:1:1:1",
        "l 0:1:1:CNY:1:1:1",
        "l 5:1:1:CNY:1:1:1,5:1:1:CNY:1:1:1",
        "l 6:1:1:CNY:1:1:1,5:1:1:CNY:1:1:1",
      })
  void IN_08_winMadeByHandShouldNotBecomeAnOrder(String field, String value) {
    assertMalformed("1-1", with(WIN, field, value));
  }

  @ParameterizedTest(name = "{index}")
  @ValueSource(strings = {"5:1:shelf", "5:1", "5:0:stock", "5:1:stock:", "x:1:stock"})
  void IN_08_releaseMadeByHandShouldBeRefused(String lines) {
    assertMalformed("1-1", with(RELEASE, "l", lines));
  }

  @ParameterizedTest(name = "{index}")
  @ValueSource(
      strings = {
        "",
        "-",
        "1",
        "1700000000000",
        "1764430000000-0",
        "x-1",
        "01-1",
        "1-x",
        "1-281474976710656"
      })
  void IN_08_strangeIdsShouldBeRefused(String id) {
    assertMalformed(id, WIN);
  }

  private static Map<String, String> with(Map<String, String> entry, String field, String value) {
    Map<String, String> changed = new HashMap<>(entry);
    changed.put(field, value);
    return changed;
  }

  private static void assertMalformed(String id, Map<String, String> fields) {
    assertThatThrownBy(() -> LogEntries.parse(id, fields))
        .isInstanceOf(MalformedEntryException.class);
  }
}
