package io.seckill.consumer.store;

import static io.seckill.consumer.ConsumerBed.REGION;
import static io.seckill.consumer.ConsumerBed.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.bus.ItemChange;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.ShardRef;
import io.seckill.consumer.ConsumerBed;
import io.seckill.consumer.db.Sql;
import io.seckill.consumer.ledger.LogPages;
import io.seckill.testkit.MySqlAddress;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What storing a log promises, on every database that the dialect is for. */
abstract class BatchStoreContract {

  private static final ShardRef SHARD = new ShardRef(REGION, 0);

  private ConsumerBed bed;
  private LogStore store;
  private long epoch;

  /** An empty database. */
  abstract MySqlAddress newDatabase();

  @BeforeEach
  void open() {
    bed = ConsumerBed.on(newDatabase());
    store =
        new LogStore(
            bed.vertx(),
            new BatchStore(bed.database(), bed.news()),
            bed.metrics(),
            ConsumerBed.patience(200));
    bed.preheat(1, 3, 10);
    epoch = bed.openShard(0, 0, 0);
    assertThat(save(Entries.unitsIn(epoch, 1, 1, 10))).isInstanceOf(Outcome.Stored.class);
  }

  @AfterEach
  void close() {
    bed.close();
  }

  private Outcome save(Received... entries) {
    return save(List.of(entries));
  }

  private Outcome save(List<Received> entries) {
    List<List<Received>> runs = Entries.runs(entries);
    assertThat(runs).hasSize(1);
    return await(store.store(SHARD, runs.get(0)));
  }

  private long held() {
    return bed.number("SELECT held_units FROM items WHERE item_id = 1");
  }

  private String letter(long seq) {
    List<Row> rows = bed.query("SELECT reason FROM dead_letters WHERE seq = " + seq);
    return rows.isEmpty() ? "" : rows.get(0).getString(0);
  }

  @Test
  void storeShouldWriteOrderHoldingAndCounterWhenAWinIsNew() {
    Outcome outcome = save(Entries.win(epoch, 2, "ann", 2, 3));

    assertThat(outcome).isEqualTo(new Outcome.Stored(1, 0, 0, 0));
    Row order = bed.query("SELECT * FROM orders").get(0);
    assertThat(order.getString("user_id")).isEqualTo("ann");
    assertThat(order.getString("status")).isEqualTo("PENDING_PAYMENT");
    assertThat(order.getInteger("held_units")).isEqualTo(2);
    assertThat(order.getLong("total_minor")).isEqualTo(19_800);
    assertThat(order.getLong("pay_by_ms")).isEqualTo(order.getLong("created_at_ms") + 900_000);
    assertThat(order.getLong("changed_at_ms")).isEqualTo(order.getLong("created_at_ms"));
    assertThat(order.getInteger("promoted")).isZero();
    assertThat(bed.number("SELECT quantity FROM order_lines")).isEqualTo(2);
    assertThat(bed.number("SELECT units FROM holdings")).isEqualTo(2);
    assertThat(held()).isEqualTo(2);
    assertThat(bed.query("SELECT state FROM moves").get(0).getString(0)).isEqualTo("APPLIED");
  }

  @Test
  void DB_01_storeShouldChangeNothingWhenABatchComesAgain() {
    List<Received> batch = Entries.wins(epoch, 2, 5, "u");
    save(batch);

    assertThat(save(batch)).isEqualTo(new Outcome.Stored(0, 0, 0, 5));
    assertThat(save(Entries.wins(epoch, 5, 4, "u"))).isEqualTo(new Outcome.Stored(2, 0, 0, 2));
    assertThat(bed.number("SELECT COUNT(*) FROM orders")).isEqualTo(7);
    assertThat(held()).isEqualTo(7);
  }

  @Test
  void SC_09_storeShouldBuryOnlyTheBrokenEntryWhenItIsAmongGoodOnes() {
    List<Received> batch = new ArrayList<>(Entries.wins(epoch, 2, 6, "u"));
    batch.set(2, Entries.one(epoch + "-4", Map.of("k", "win", "u", "x")));
    batch.set(4, Entries.one(epoch + "-6", Entries.winFields("u6", "77:1:1:CNY:2:1:1")));

    assertThat(save(batch)).isEqualTo(new Outcome.Stored(4, 0, 2, 0));
    assertThat(letter(4)).isEqualTo(Letter.MALFORMED);
    assertThat(letter(6)).isEqualTo("GRANT");
    assertThat(bed.query("SELECT payload FROM dead_letters WHERE seq = 6").get(0).getString(0))
        .contains("77:1:1:CNY");
    assertThat(held()).isEqualTo(4);
  }

  @Test
  void storeShouldBuryTheWinThatBreaksTheLimit() {
    save(Entries.win(epoch, 2, "ann", 3, 3), Entries.win(epoch, 3, "bob", 1, 3));

    Outcome outcome = save(Entries.win(epoch, 4, "bob", 2, 3), Entries.win(epoch, 5, "ann", 1, 3));

    assertThat(outcome).isEqualTo(new Outcome.Stored(1, 0, 1, 0));
    assertThat(letter(5)).isEqualTo("LIMIT");
    assertThat(bed.number("SELECT units FROM holdings WHERE user_id = 'ann'")).isEqualTo(3);
    assertThat(held()).isEqualTo(6);
  }

  @Test
  void RF_02_storeShouldBuryTheWinsBeyondWhatWasGranted() {
    Outcome outcome = save(Entries.wins(epoch, 2, 12, "u"));

    assertThat(outcome).isEqualTo(new Outcome.Stored(10, 0, 2, 0));
    assertThat(letter(12)).isEqualTo("GRANT");
    assertThat(letter(13)).isEqualTo("GRANT");
    assertThat(held()).isEqualTo(10);
  }

  @Test
  void storeShouldBuryAnArrivalThatTheLedgerDoesNotKnow() {
    save(Entries.unitsIn(epoch, 2, 2, 5), Entries.unitsIn(epoch, 3, 1, 10));

    assertThat(letter(2)).isEqualTo("MOVE");
    assertThat(letter(3)).isEqualTo("MOVE");
  }

  @Test
  void OL_04_storeShouldGiveUnitsBackOnceWhenReleasesRepeat() {
    save(Entries.win(epoch, 2, "ann", 2, 3));
    bed.query(
        "INSERT INTO outbox (region, shard, epoch, seq, reason, state, created_at_ms, done_at_ms)"
            + " VALUES (3, 0, "
            + epoch
            + ", 2, 'timeout', 'PENDING', 0, 0)");

    save(
        Entries.release(epoch, 3, "ann", epoch + "-2", 2, true),
        Entries.release(epoch, 4, "ann", epoch + "-2", 2, true));

    Row order = bed.query("SELECT * FROM orders").get(0);
    assertThat(order.getInteger("held_units")).isZero();
    assertThat(order.getString("status")).isEqualTo("CANCELLED");
    assertThat(order.getString("reason")).isEqualTo("timeout");
    assertThat(bed.number("SELECT units FROM holdings")).isZero();
    assertThat(held()).isZero();
    assertThat(letter(3)).isEmpty();
    assertThat(letter(4)).isEqualTo("RELEASE");
    assertThat(bed.query("SELECT state FROM outbox").get(0).getString(0)).isEqualTo("DONE");
  }

  @Test
  void OL_08_storeShouldTakeWinReleaseAndNextWinInOneBatch() {
    Outcome outcome =
        save(
            Entries.win(epoch, 2, "ann", 3, 3),
            Entries.release(epoch, 3, "ann", epoch + "-2", 3, true),
            Entries.win(epoch, 4, "ann", 2, 3),
            Entries.state(epoch, 5, 1, 3, "PAUSED"));

    assertThat(outcome).isEqualTo(new Outcome.Stored(2, 0, 0, 0));
    assertThat(held()).isEqualTo(2);
    assertThat(bed.number("SELECT units FROM holdings")).isEqualTo(2);
  }

  @Test
  void storeShouldLowerTheGrantWhenAReleaseComesAfterTheEnd() {
    save(
        Entries.win(epoch, 2, "ann", 2, 3),
        Entries.release(epoch, 3, "ann", epoch + "-2", 2, false));

    assertThat(bed.number("SELECT units_out FROM items WHERE item_id = 1")).isEqualTo(2);
    assertThat(held()).isZero();
  }

  @Test
  void storeShouldKeepABasketWhole() {
    bed.preheat(2, 100, 1);
    save(Entries.unitsIn(epoch, 2, 2, 1, 1));

    Outcome outcome =
        save(Entries.basket(epoch, 3, "ann", 2, 1), Entries.basket(epoch, 4, "bob", 1, 1));

    assertThat(outcome).isEqualTo(new Outcome.Stored(1, 0, 1, 0));
    assertThat(bed.number("SELECT held_units FROM orders")).isEqualTo(3);
    assertThat(held()).isEqualTo(2);
    assertThat(bed.number("SELECT COUNT(*) FROM holdings WHERE user_id = 'bob'")).isZero();
  }

  @Test
  void storeShouldWaitWhenTheEntryBeforeIsNotStored() {
    assertThat(save(Entries.win(epoch, 3, "ann", 1, 3)))
        .isEqualTo(new Outcome.Early(new EntryId(epoch, 2)));
    assertThat(bed.number("SELECT COUNT(*) FROM orders")).isZero();
    assertThat(
            await(
                new BatchStore(bed.database(), bed.news())
                    .firstMissing(SHARD, new EntryId(epoch, 2))))
        .isEqualTo(2);
  }

  @Test
  void storeShouldFailLostWinsAndIgnoreWhatElseTheClosedEpochDoesNotKnow() {
    save(Entries.win(epoch, 2, "ann", 1, 3));
    bed.openShard(0, epoch, 2);

    Outcome outcome =
        save(
            Entries.win(epoch, 3, "bob", 1, 3),
            Entries.release(epoch, 4, "ann", epoch + "-2", 1, true));

    assertThat(outcome).isEqualTo(new Outcome.Stored(1, 1, 0, 0));
    Row order = bed.query("SELECT * FROM orders WHERE seq = 3").get(0);
    assertThat(order.getString("status")).isEqualTo("FAILED");
    assertThat(order.getString("reason")).isEqualTo("LOST");
    assertThat(order.getInteger("held_units")).isZero();
    assertThat(held()).isEqualTo(1);
    assertThat(bed.number("SELECT effective FROM shard_log WHERE seq = 4")).isZero();
  }

  @Test
  void storeShouldWaitForTheEndOfTheEpochBefore() {
    save(Entries.win(epoch, 2, "ann", 1, 3));
    long next = bed.openShard(0, epoch, 4);

    assertThat(save(Entries.win(next, 1, "bob", 1, 3)))
        .isEqualTo(new Outcome.Early(new EntryId(epoch, 4)));
    save(Entries.wins(epoch, 3, 2, "u"));
    assertThat(save(Entries.win(next, 1, "bob", 1, 3))).isEqualTo(new Outcome.Stored(1, 0, 0, 0));
  }

  @Test
  void storeShouldFailWinsOfAnEpochThatNeverCounted() {
    long lost = bed.openShard(0, epoch, 1);
    bed.openShard(0, 0, 0);

    assertThat(save(Entries.win(lost, 1, "bob", 1, 3))).isEqualTo(new Outcome.Stored(1, 1, 0, 0));
  }

  @Test
  void SC_08_storeShouldWriteOnceWhenTwoConsumersHaveTheSameBatch() {
    List<Received> batch = Entries.wins(epoch, 2, 9, "u");
    List<Future<Outcome>> both = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      both.add(store.store(SHARD, batch));
    }

    await(Future.all(both));

    assertThat(bed.number("SELECT COUNT(*) FROM orders")).isEqualTo(9);
    assertThat(held()).isEqualTo(9);
    assertThat(bed.number("SELECT COUNT(*) FROM dead_letters")).isZero();
  }

  @Test
  void storeShouldBuryAnEntryWithAForeignId() {
    Received foreign = Entries.one("1764430000000-18446744073709551615", Map.of("k", "win"));

    assertThat(save(foreign)).isEqualTo(new Outcome.Stored(0, 0, 1, 0));
    assertThat(save(foreign)).isEqualTo(new Outcome.Stored(0, 0, 0, 1));
    assertThat(bed.query("SELECT CAST(seq AS CHAR) FROM dead_letters").get(0).getString(0))
        .isEqualTo("18446744073709551615");
  }

  @Test
  void OL_08_storeShouldCloseTheLetterWhenItsWinIsReleased() {
    save(Entries.win(epoch, 2, "ann", 4, 3));
    assertThat(letter(2)).isEqualTo("LIMIT");

    save(Entries.release(epoch, 3, "ann", epoch + "-2", 4, true));

    assertThat(bed.query("SELECT state FROM dead_letters").get(0).getString(0))
        .isEqualTo("RELEASED");
    assertThat(held()).isZero();
  }

  private void change(String request, ItemChange.Action action, long units) {
    await(
        bed.items()
            .change(
                new ItemChange(
                        request, "op", new ItemId(1), action, ItemChange.Values.ofUnits(units))
                    .over(1, List.of())));
  }

  @Test
  void storeShouldSettleMovesOut() {
    change("w", ItemChange.Action.WITHDRAW, 4);
    save(Entries.unitsOut(epoch, 2, 2, 3));
    change("c", ItemChange.Action.CAP, 2);

    save(Entries.unitsOut(epoch, 3, 3, 5));

    assertThat(bed.query("SELECT kind, units, units_done, state FROM moves ORDER BY number"))
        .extracting(
            row ->
                row.getString(0) + " " + row.getLong(1) + " " + row.getLong(2) + row.getString(3))
        .containsExactly("PREHEAT 10 10APPLIED", "WITHDRAW 4 3APPLIED", "HOLD_BACK 5 5APPLIED");
    assertThat(bed.number("SELECT units_out FROM items WHERE item_id = 1")).isEqualTo(8);
    assertThat(bed.number("SELECT reserve FROM items WHERE item_id = 1")).isEqualTo(5);
  }

  @Test
  void storeShouldBuryUnitsOutThatTheLedgerDoesNotKnow() {
    change("w", ItemChange.Action.WITHDRAW, 4);

    save(
        // More than was to go, a move in, no move at all.
        Entries.unitsOut(epoch, 2, 2, 5),
        Entries.unitsOut(epoch, 3, 1, 1),
        Entries.unitsOut(epoch, 4, 9, 1),
        Entries.unitsIn(epoch, 5, 2, 4),
        Entries.unitsOut(epoch, 6, 2, 4),
        Entries.unitsOut(epoch, 7, 2, 4));

    assertThat(List.of(letter(2), letter(3), letter(4), letter(5), letter(6), letter(7)))
        .containsExactly("MOVE", "MOVE", "MOVE", "MOVE", "", "MOVE");
    assertThat(bed.number("SELECT units_out FROM items WHERE item_id = 1")).isEqualTo(4);
  }

  @Test
  void storeShouldUnderstandEveryKindOfEntry() {
    change("w", ItemChange.Action.WITHDRAW, 7);
    Outcome outcome =
        save(
            Entries.waitlist(epoch, 2, "join", "ann"),
            Entries.promotion(epoch, 3, "ann", 2, 3),
            Entries.waitlist(epoch, 4, "join", "bob"),
            Entries.waitlist(epoch, 5, "leave", "bob"),
            Entries.unitsOut(epoch, 6, 2, 7),
            Entries.sales(epoch, 7, 1, "STOPPED"));

    assertThat(outcome).isEqualTo(new Outcome.Stored(1, 0, 0, 0));
    assertThat(held()).isEqualTo(2);
    assertThat(bed.number("SELECT units FROM holdings WHERE user_id = 'ann'")).isEqualTo(2);
    assertThat(bed.number("SELECT units_out FROM items WHERE item_id = 1")).isEqualTo(7);
    assertThat(bed.query("SELECT kind, user_id FROM shard_log WHERE seq > 1 ORDER BY seq"))
        .extracting(row -> row.getString(0) + " " + row.getString(1))
        .containsExactly("join ann", "join bob", "leave bob", "out ", "sales ");
    // No more than what is left may be held now.
    save(Entries.win(epoch, 8, "cat", 2, 3));
    assertThat(letter(8)).isEqualTo("GRANT");
  }

  /** Who waits by the rows, oldest first: item, user, number of the join entry. */
  private List<String> line() {
    return bed.query("SELECT item_id, user_id, seq FROM waitlist ORDER BY epoch, seq").stream()
        .map(row -> row.getLong(0) + " " + row.getString(1) + " " + row.getLong(2))
        .toList();
  }

  @Test
  void storeShouldKeepTheLineAsTheLogLeavesIt() {
    save(
        Entries.waitlist(epoch, 2, "join", "ann"),
        Entries.waitlist(epoch, 3, "join", "bob"),
        Entries.waitlist(epoch, 4, "leave", "ann"),
        Entries.waitlist(epoch, 5, "join", "cat"),
        Entries.waitlist(epoch, 6, "join", "ann"));
    assertThat(line()).containsExactly("1 bob 3", "1 cat 5", "1 ann 6");
    assertThat(bed.number("SELECT MIN(at_ms) FROM waitlist")).isEqualTo(1_764_430_000_000L);

    save(
        Entries.promotion(epoch, 7, "bob", 1, 3),
        Entries.waitlist(epoch, 8, "join", "bob"),
        Entries.waitlist(epoch, 9, "leave", "cat"));

    assertThat(line()).containsExactly("1 ann 6", "1 bob 8");
    assertThat(bed.number("SELECT promoted FROM orders WHERE user_id = 'bob'")).isEqualTo(1);
    assertThat(held()).isEqualTo(1);
  }

  @Test
  void DB_01_storeShouldNotJoinAgainWhenABatchComesAgain() {
    List<Received> joining =
        List.of(
            Entries.waitlist(epoch, 2, "join", "ann"), Entries.waitlist(epoch, 3, "join", "bob"));
    save(joining);
    save(Entries.promotion(epoch, 4, "ann", 1, 3), Entries.waitlist(epoch, 5, "leave", "bob"));

    assertThat(save(joining)).isEqualTo(new Outcome.Stored(0, 0, 0, 2));
    assertThat(line()).isEmpty();
  }

  @Test
  void storeShouldEndTheWaitOfAPromotionThatBecomesALetter() {
    save(
        Entries.win(epoch, 2, "ann", 3, 3),
        Entries.waitlist(epoch, 3, "join", "ann"),
        Entries.waitlist(epoch, 4, "join", "bob"));

    Outcome outcome = save(Entries.promotion(epoch, 5, "ann", 1, 3));

    assertThat(outcome).isEqualTo(new Outcome.Stored(0, 0, 1, 0));
    assertThat(letter(5)).isEqualTo("LIMIT");
    assertThat(line()).containsExactly("1 bob 4");
  }

  @Test
  void storeShouldJoinAfterALeavingThatNobodyCouldRead() {
    save(
        Entries.waitlist(epoch, 2, "join", "ann"),
        Entries.one(epoch + "-3", Map.of("k", "leave", "t", "x", "i", "1", "u", "ann")),
        Entries.waitlist(epoch, 4, "join", "bob"));
    save(Entries.waitlist(epoch, 5, "join", "ann"));

    assertThat(line()).containsExactly("1 bob 4", "1 ann 5");
  }

  @Test
  void storeShouldNotChangeTheLineBeyondTheEndOfTheEpoch() {
    save(Entries.waitlist(epoch, 2, "join", "ann"), Entries.waitlist(epoch, 3, "join", "bob"));
    bed.openShard(0, epoch, 3);

    Outcome outcome =
        save(
            Entries.waitlist(epoch, 4, "leave", "ann"),
            Entries.promotion(epoch, 5, "bob", 1, 3),
            Entries.waitlist(epoch, 6, "join", "cat"));

    assertThat(outcome).isEqualTo(new Outcome.Stored(1, 1, 0, 0));
    assertThat(line()).containsExactly("1 ann 2", "1 bob 3");
  }

  @Test
  void SC_09_storeShouldPassEntriesOfAnEpochThatNobodyClaimed() {
    Outcome outcome =
        save(Entries.win(epoch + 100, 1, "eve", 1, 3), Entries.win(epoch + 100, 2, "eve", 1, 3));

    assertThat(outcome).isEqualTo(new Outcome.Stored(0, 0, 2, 0));
    assertThat(bed.query("SELECT DISTINCT reason, state FROM dead_letters"))
        .extracting(row -> row.getString(0) + " " + row.getString(1))
        .containsExactly("FOREIGN FOREIGN");
    assertThat(save(Entries.win(epoch, 2, "ann", 1, 3))).isEqualTo(new Outcome.Stored(1, 0, 0, 0));
  }

  @Test
  void OL_08_storeShouldLearnALostWinFromItsRelease() {
    save(Received.lost(epoch + "-2", Letter.MISSING));

    save(Entries.release(epoch, 3, "ann", epoch + "-2", 2, true));

    Row letter = bed.query("SELECT state, payload, user_id FROM dead_letters").get(0);
    assertThat(letter.getString(0)).isEqualTo("RELEASED");
    assertThat(letter.getString(2)).isEqualTo("ann");
    assertThat(DeadWins.parse(epoch + "-2", letter.getString(1)).orElseThrow().lines())
        .extracting(line -> line.item().value() + ":" + line.quantity())
        .containsExactly("1:2");
  }

  @Test
  void storeShouldNotTakeAReasonForALostOrder() {
    Received release = Entries.release(epoch, 3, "ann", epoch + "-2", 2, true);
    Map<String, String> fields = new HashMap<>(release.fields());
    fields.put("r", "LOST");
    save(Entries.win(epoch, 2, "ann", 2, 3), Entries.one(epoch + "-3", fields));

    List<Long> won = new ArrayList<>();
    LogPages pages = new LogPages(bed.database(), 10);
    await(pages.orders(Sql.SUM_WINS, SHARD, LogPages.END, row -> won.add(row.getLong(1))));
    assertThat(won).containsExactly(2L);
  }

  @Test
  void storeShouldNotHoldALetterBeyondTheEndOfItsEpoch() {
    bed.openShard(0, epoch, 1);

    save(Received.lost(epoch + "-2", Letter.DELETED));

    assertThat(bed.query("SELECT state FROM dead_letters").get(0).getString(0)).isEqualTo("LOST");
  }

  @Test
  void firstGapShouldTellWhatIsNotStored() {
    BatchStore batches = new BatchStore(bed.database(), bed.news());
    assertThat(await(batches.firstGap(SHARD, new EntryId(epoch, 1)))).isEmpty();
    assertThat(await(batches.firstGap(SHARD, new EntryId(epoch, 3))))
        .contains(new BatchStore.Gap(new EntryId(epoch, 2), new EntryId(epoch, 3)));
    long next = bed.openShard(0, epoch, 3);
    assertThat(await(batches.firstGap(SHARD, new EntryId(next, 0))))
        .contains(new BatchStore.Gap(new EntryId(epoch, 2), new EntryId(epoch, 3)));
  }
}
