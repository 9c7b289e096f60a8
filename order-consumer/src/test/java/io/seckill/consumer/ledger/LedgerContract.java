package io.seckill.consumer.ledger;

import static io.seckill.consumer.ConsumerBed.REGION;
import static io.seckill.consumer.ConsumerBed.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.bus.Done;
import io.seckill.common.bus.EpochClose;
import io.seckill.common.bus.EpochClosed;
import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.ItemChanged;
import io.seckill.common.bus.ItemCreate;
import io.seckill.common.bus.ItemQuery;
import io.seckill.common.bus.RegionJoin;
import io.seckill.common.bus.SalesChange;
import io.seckill.common.bus.SalesQuery;
import io.seckill.common.bus.SalesRecord;
import io.seckill.common.bus.ShardClaim;
import io.seckill.common.bus.ShardClaimed;
import io.seckill.common.bus.ShardHoldingsQuery;
import io.seckill.common.bus.ShardOpen;
import io.seckill.common.bus.ShardReceiptsQuery;
import io.seckill.common.bus.ShardSnapshot;
import io.seckill.common.bus.ShardSnapshotQuery;
import io.seckill.common.bus.ShardWaiters;
import io.seckill.common.bus.ShardWaitersQuery;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.ShardRef;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemGroup;
import io.seckill.common.item.ItemRecord;
import io.seckill.common.item.ItemState;
import io.seckill.common.item.Move;
import io.seckill.consumer.ConsumerBed;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Migrator;
import io.seckill.consumer.db.Sql;
import io.seckill.consumer.store.BatchStore;
import io.seckill.consumer.store.Entries;
import io.seckill.consumer.store.LogStore;
import io.seckill.consumer.store.Received;
import io.seckill.testkit.MySqlAddress;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the ledger and the migrator promise, on every database that the dialect is for. */
abstract class LedgerContract {

  private static final ItemId ITEM = new ItemId(1);
  private static final int SHARDS = 4;

  private ConsumerBed bed;
  private final Map<Integer, Long> epochs = new HashMap<>();
  private final Map<Integer, Long> seqs = new HashMap<>();

  /** An empty database. */
  abstract MySqlAddress newDatabase();

  @BeforeEach
  void open() {
    bed = ConsumerBed.on(newDatabase(), Map.of("redis.shards", Integer.toString(SHARDS)));
  }

  @AfterEach
  void close() {
    bed.close();
  }

  private ItemRecord change(String request, ItemChange.Action action, long units) {
    return changed(request, action, ItemChange.Values.ofUnits(units)).record();
  }

  private ItemChanged changed(String request, ItemChange.Action action, ItemChange.Values values) {
    return await(bed.items().change(changeOf(request, action, values)));
  }

  private static ItemChange changeOf(
      String request, ItemChange.Action action, ItemChange.Values values) {
    return new ItemChange(request, "op", ITEM, action, values).over(SHARDS, List.of());
  }

  private void create(long stock) {
    await(bed.items().create(new ItemCreate("c", "op", ConsumerBed.definition(1, 2), stock)));
  }

  private static void assertRefused(ErrorCode code, Runnable step) {
    assertThatThrownBy(step::run)
        .isInstanceOfSatisfying(
            SeckillException.class, failure -> assertThat(failure.code()).isEqualTo(code));
  }

  private void save(int shard, Received... entries) {
    LogStore store =
        new LogStore(
            bed.vertx(),
            new BatchStore(bed.database(), bed.news()),
            bed.metrics(),
            ConsumerBed.patience(200));
    for (List<Received> run : Entries.runs(List.of(entries))) {
      await(store.store(new ShardRef(REGION, shard), run));
    }
  }

  @Test
  void migrateShouldDoNothingWhenAllIsDone() {
    assertThat(await(new Migrator(bed.vertx(), bed.config().mysql()).migrate())).isZero();
  }

  @Test
  void migrateShouldRunOnceWhenManyNodesStart() {
    MySqlAddress fresh = newDatabase();
    List<Future<Integer>> nodes = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      nodes.add(new Migrator(bed.vertx(), ConsumerBed.config(fresh, Map.of()).mysql()).migrate());
    }

    await(Future.all(nodes));

    assertThat(nodes.stream().map(Future::result).filter(ran -> ran > 0)).hasSize(1);
  }

  @Test
  void migrateShouldRefuseADatabaseThatIsNewer() {
    bed.query("INSERT INTO migrations (version, name, done_at_ms) VALUES (9999, 'x', 0)");

    assertThatThrownBy(() -> await(new Migrator(bed.vertx(), bed.config().mysql()).migrate()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("9999")
        .hasMessageContaining("newer release");
  }

  @Test
  void joinShouldRefuseAnotherShardCount() {
    assertRefused(
        ErrorCode.CONFLICT, () -> await(bed.shards().join(new RegionJoin(REGION, SHARDS + 1))));
    assertThat(await(bed.shards().join(new RegionJoin(REGION, SHARDS))).shardCount())
        .isEqualTo(SHARDS);
  }

  @Test
  void claimShouldGoAboveEveryKnownEpoch() {
    assertThat(await(bed.shards().claim(new ShardClaim(REGION, 0, 0, "a"))))
        .isEqualTo(new ShardClaimed(1, 0));
    assertThat(await(bed.shards().claim(new ShardClaim(REGION, 0, 7, "b"))))
        .isEqualTo(new ShardClaimed(8, 1));
  }

  @Test
  void claimShouldGiveEachClaimantAnotherEpochWhenTheyRace() {
    List<Future<ShardClaimed>> claims = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      claims.add(bed.shards().claim(new ShardClaim(REGION, 0, 0, "n" + i)));
    }

    await(Future.all(claims));

    assertThat(claims.stream().map(claim -> claim.result().epoch()).distinct()).hasSize(6);
  }

  @Test
  void closeAndOpenShouldBeRefusedWhenAnotherClaimCameLater() {
    long mine = await(bed.shards().claim(new ShardClaim(REGION, 0, 0, "a"))).epoch();
    await(bed.shards().claim(new ShardClaim(REGION, 0, 0, "b")));

    assertRefused(
        ErrorCode.CONFLICT, () -> await(bed.shards().close(new EpochClose(REGION, 0, mine, 0, 0))));
    assertRefused(
        ErrorCode.CONFLICT, () -> await(bed.shards().open(new ShardOpen(REGION, 0, mine))));
  }

  /** Every engine asks all the time: storing must not wait for it, nor it for storing. */
  @Test
  void openShouldWaitForNobodyWhenTheShardIsOpenAlready() {
    long epoch = bed.openShard(0, 0, 0);

    Done done =
        await(
            bed.database()
                .inTransaction(
                    connection ->
                        Database.run(connection, Sql.FIND_SHARD_FOR_UPDATE, Tuple.of(REGION, 0))
                            .compose(
                                locked -> bed.shards().open(new ShardOpen(REGION, 0, epoch)))));

    assertThat(done).isEqualTo(new Done());
  }

  @Test
  void closeShouldCountWhatRedisHasForgotten() {
    bed.preheat(1, 3, 40);
    long epoch = bed.openShard(0, 0, 0);
    save(
        0,
        Entries.unitsIn(epoch, 1, 1, 10),
        Entries.win(epoch, 2, "ann", 1, 3),
        Entries.win(epoch, 3, "bob", 1, 3));
    long next = await(bed.shards().claim(new ShardClaim(REGION, 0, epoch, "a"))).epoch();

    assertThat(await(bed.shards().close(new EpochClose(REGION, 0, next, epoch, 1))))
        .isEqualTo(new EpochClosed(true, true, false, SalesRecord.UNTOUCHED));
    // The same again changes nothing.
    assertThat(await(bed.shards().close(new EpochClose(REGION, 0, next, epoch, 1))))
        .isEqualTo(new EpochClosed(true, true, false, SalesRecord.UNTOUCHED));
    assertThat(lastSeq(epoch)).isEqualTo(3);
  }

  @Test
  void closeShouldCloseAtTheHighestStoredNumberWhenRedisIsEmpty() {
    bed.preheat(1, 3, 40);
    long epoch = bed.openShard(0, 0, 0);
    save(0, Entries.unitsIn(epoch, 1, 1, 10), Entries.win(epoch, 2, "ann", 1, 3));

    bed.openShard(0, 0, 0);

    assertThat(bed.number("SELECT last_seq FROM closed_epochs WHERE epoch = " + epoch))
        .isEqualTo(2);
  }

  @Test
  void createShouldFindTheItemWhenTheRequestComesAgain() {
    create(10);
    create(10);

    assertRefused(
        ErrorCode.CONFLICT,
        () ->
            await(
                bed.items().create(new ItemCreate("c2", "op", ConsumerBed.definition(1, 9), 10))));
    assertRefused(
        ErrorCode.CONFLICT,
        () ->
            await(bed.items().create(new ItemCreate("c", "op", ConsumerBed.definition(2, 2), 10))));
    ItemRecord record = await(bed.items().query(new ItemQuery(ITEM))).items().get(0);
    assertThat(record.state()).isEqualTo(ItemState.CREATED);
    assertThat(record.units()).isZero();
    assertThat(bed.number("SELECT COUNT(*) FROM audit_log")).isEqualTo(1);
  }

  @Test
  void ST_12_createShouldRefuseASaleThatIsOver() {
    ItemDefinition over = ConsumerBed.definition(1, 2).withWindow(1, 2);

    assertRefused(
        ErrorCode.INVALID_REQUEST,
        () -> await(bed.items().create(new ItemCreate("c", "op", over, 10))));
    assertThat(bed.number("SELECT COUNT(*) FROM items")).isZero();
  }

  @Test
  void ST_01_preheatShouldSplitEveryUnit() {
    create(7);

    ItemRecord record = change("p", ItemChange.Action.PREHEAT, 0);

    assertThat(record.state()).isEqualTo(ItemState.OPEN);
    assertThat(record.generation()).isEqualTo(2);
    assertThat(record.units()).isEqualTo(7);
    assertThat(record.outstanding()).extracting(Move::units).containsExactly(2L, 2L, 2L, 1L);
    assertThat(record.outstanding()).extracting(Move::number).containsOnly(1L);
  }

  @Test
  void ST_07_preheatShouldChangeNothingWhenItComesAgain() {
    create(7);
    ItemRecord first = change("p", ItemChange.Action.PREHEAT, 0);

    assertThat(change("p", ItemChange.Action.PREHEAT, 0)).isEqualTo(first);
    assertThat(change("p2", ItemChange.Action.PREHEAT, 0)).isEqualTo(first);
    assertThat(bed.number("SELECT SUM(units) FROM moves")).isEqualTo(7);
  }

  @Test
  void ST_14_restockShouldCountOnceForEachRequest() {
    create(4);
    change("p", ItemChange.Action.PREHEAT, 0);
    change("r1", ItemChange.Action.RESTOCK, 1);
    change("r1", ItemChange.Action.RESTOCK, 1);

    ItemRecord record = change("r2", ItemChange.Action.RESTOCK, 1);

    assertThat(record.units()).isEqualTo(6);
    assertThat(record.outstanding())
        .filteredOn(move -> move.kind() == Move.Kind.RESTOCK)
        .extracting(move -> move.shard() + ":" + move.number() + ":" + move.units())
        .containsExactly("0:2:1", "1:2:1");
    assertRefused(ErrorCode.CONFLICT, () -> change("r1", ItemChange.Action.RESTOCK, 5));
    assertRefused(ErrorCode.INVALID_REQUEST, () -> change("r3", ItemChange.Action.RESTOCK, -70));
  }

  @Test
  void ST_14_restocksShouldAllCountWhenTheyRace() {
    create(4);
    change("p", ItemChange.Action.PREHEAT, 0);
    List<Future<?>> restocks = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      restocks.add(
          bed.items()
              .change(changeOf("r" + i, ItemChange.Action.RESTOCK, ItemChange.Values.ofUnits(10))));
    }

    await(Future.all(restocks));

    assertThat(bed.number("SELECT units_in FROM items")).isEqualTo(44);
    assertThat(bed.number("SELECT SUM(units) FROM moves")).isEqualTo(44);
  }

  @Test
  void changesShouldFollowTheLifeOfAnItem() {
    assertRefused(ErrorCode.NOT_FOUND, () -> change("x", ItemChange.Action.PREHEAT, 0));
    create(4);
    assertRefused(ErrorCode.NOT_READY, () -> change("a", ItemChange.Action.PAUSE, 0));
    assertRefused(ErrorCode.NOT_READY, () -> change("b", ItemChange.Action.RESTOCK, 1));
    change("p", ItemChange.Action.PREHEAT, 0);
    assertThat(change("c3", ItemChange.Action.PAUSE, 0).generation()).isEqualTo(3);
    assertThat(change("d", ItemChange.Action.PAUSE, 0).generation()).isEqualTo(3);
    assertThat(change("e", ItemChange.Action.RESUME, 0).state()).isEqualTo(ItemState.OPEN);
    assertThat(change("f", ItemChange.Action.END, 0).state()).isEqualTo(ItemState.ENDED);
    assertThat(change("g", ItemChange.Action.END, 0).generation()).isEqualTo(5);
    assertRefused(ErrorCode.ENDED, () -> change("h", ItemChange.Action.RESUME, 0));
    assertRefused(ErrorCode.ENDED, () -> change("i", ItemChange.Action.RESTOCK, 1));
    assertRefused(ErrorCode.ENDED, () -> change("again", ItemChange.Action.PREHEAT, 0));
  }

  @Test
  void snapshotShouldTellWhatAShardMustHold() {
    bed.preheat(1, 3, 40);
    long epoch = bed.openShard(0, 0, 0);
    save(
        0,
        Entries.state(epoch, 1, 1, 1, "PREPARED"),
        Entries.unitsIn(epoch, 2, 1, 10),
        Entries.state(epoch, 3, 1, 2, "OPEN"),
        Entries.win(epoch, 4, "ann", 2, 3),
        Entries.win(epoch, 5, "bob", 3, 3),
        Entries.release(epoch, 6, "ann", epoch + "-4", 2, true),
        // Beyond the limit: an open dead letter, which counts as held.
        Entries.win(epoch, 7, "bob", 1, 3));
    ShardSnapshots snapshots = new ShardSnapshots(bed.database());

    ShardSnapshot snapshot = await(snapshots.snapshot(new ShardSnapshotQuery(REGION, 0, epoch)));

    assertThat(snapshot.missing()).isZero();
    ShardSnapshot.ItemInShard item = snapshot.items().get(0);
    assertThat(item.state()).isEqualTo(ItemState.OPEN);
    assertThat(item.generation()).isEqualTo(2);
    assertThat(item.lastMove()).isEqualTo(1);
    assertThat(item.adds()).isEqualTo(2);
    assertThat(item.granted()).isEqualTo(10);
    assertThat(item.stock()).isEqualTo(10 - 2 - 3 + 2 - 1);
    Map<String, String> receipts =
        await(snapshots.receipts(new ShardReceiptsQuery(REGION, 0, ITEM, "", 10))).receipts();
    assertThat(receipts)
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "ann",
                "0;-||" + epoch + "-4|2|r|1764430000000",
                "bob",
                "4;-||" + epoch + "-5|3|h|1764430000000;-||" + epoch + "-7|1|h|1764430000000"));
    assertThat(
            await(snapshots.receipts(new ShardReceiptsQuery(REGION, 0, ITEM, "ann", 10)))
                .receipts())
        .containsOnlyKeys("bob");
  }

  @Test
  void snapshotShouldBeTheSameInPagesOfAnySize() {
    bed.preheat(1, 3, 40);
    bed.preheat(2, 3, 40);
    change("w", ItemChange.Action.WITHDRAW, 20);
    long first = bed.openShard(0, 0, 0);
    save(
        0,
        Entries.state(first, 1, 1, 1, "PREPARED"),
        Entries.unitsIn(first, 2, 1, 10),
        Entries.state(first, 3, 1, 2, "OPEN"),
        Entries.win(first, 4, "ann", 2, 3),
        Entries.win(first, 5, "bob", 3, 3),
        Entries.release(first, 6, "ann", first + "-4", 2, true),
        Entries.state(first, 7, 2, 2, "OPEN"),
        Entries.unitsIn(first, 8, 2, 1, 10),
        Entries.winOf(first, 9, "cat", 2, 3, 3),
        Entries.win(first, 10, "bob", 1, 3));
    long second = bed.openShard(0, first, 10);
    save(
        0,
        Entries.unitsOut(second, 1, 2, 3),
        Entries.send(second, 2, 1, 1),
        Entries.win(second, 3, "dan", 1, 3),
        Entries.release(second, 4, "bob", first + "-5", 3, false),
        Entries.state(second, 5, 1, 3, "PAUSED"));
    close(second, 5);
    // Beyond the ends: neither ever happened.
    save(
        0,
        Entries.win(first, 11, "eve", 1, 3),
        Entries.release(second, 6, "dan", second + "-3", 1, true));
    ShardSnapshotQuery query = new ShardSnapshotQuery(REGION, 0, second);

    ShardSnapshot whole = snapshot(second);

    assertThat(whole.missing()).isZero();
    assertThat(whole.items())
        .extracting(
            item ->
                List.of(
                    item.definition().id().value(),
                    item.generation(),
                    item.lastMove(),
                    item.adds(),
                    item.granted(),
                    item.sent(),
                    item.stock()))
        .containsExactly(List.of(1L, 3L, 2L, 2L, 4L, 1L, 1L), List.of(2L, 2L, 1L, 1L, 10L, 0L, 7L));
    for (int size : List.of(1, 2, 7)) {
      assertThat(await(new ShardSnapshots(bed.database(), size).snapshot(query))).isEqualTo(whole);
    }
  }

  private long lastSeq(long epoch) {
    return bed.number("SELECT last_seq FROM closed_epochs WHERE epoch = " + epoch);
  }

  private EpochClosed close(long redisEpoch, long redisSeq) {
    long next = await(bed.shards().claim(new ShardClaim(REGION, 0, redisEpoch, "a"))).epoch();
    return await(bed.shards().close(new EpochClose(REGION, 0, next, redisEpoch, redisSeq)));
  }

  private ShardSnapshot snapshot(long lastEpoch) {
    return await(
        new ShardSnapshots(bed.database()).snapshot(new ShardSnapshotQuery(REGION, 0, lastEpoch)));
  }

  @Test
  void RF_04_snapshotShouldTellNothingWhileAnyClosedEpochHasABacklog() {
    bed.preheat(1, 3, 40);
    long first = bed.openShard(0, 0, 0);
    save(0, Entries.state(first, 1, 1, 2, "OPEN"), Entries.unitsIn(first, 2, 1, 10));
    // Redis restarts whole with three entries that wait, opens, and then loses a key.
    long second = bed.openShard(0, first, 5);
    assertThat(close(second, 0))
        .isEqualTo(new EpochClosed(false, true, false, SalesRecord.UNTOUCHED));

    ShardSnapshot early = snapshot(second);
    assertThat(early.missing()).isEqualTo(3);
    assertThat(early.items()).isEmpty();

    save(
        0,
        Entries.win(first, 3, "ann", 1, 3),
        Entries.win(first, 4, "bob", 2, 3),
        Entries.win(first, 5, "cat", 1, 3));
    ShardSnapshot whole = snapshot(second);
    assertThat(whole.missing()).isZero();
    assertThat(whole.items().get(0).stock()).isEqualTo(6);
  }

  @Test
  void RF_04_closeShouldLowerTheEndsThatAreNowhereWhenRedisIsEmptied() {
    bed.preheat(1, 3, 40);
    long first = bed.openShard(0, 0, 0);
    save(0, Entries.unitsIn(first, 1, 1, 10), Entries.win(first, 2, "ann", 1, 3));
    long second = bed.openShard(0, first, 9);

    assertThat(close(0, 0)).isEqualTo(new EpochClosed(true, true, false, SalesRecord.UNTOUCHED));

    assertThat(lastSeq(first)).isEqualTo(2);
    assertThat(snapshot(0).missing()).isZero();
    save(0, Entries.win(first, 3, "bob", 1, 3));
    assertThat(bed.number("SELECT COUNT(*) FROM orders WHERE reason = 'LOST'")).isEqualTo(1);
    // The old server comes back: what it sold beyond the end does not count.
    assertThat(close(second, 0).surplus()).isTrue();
  }

  @Test
  void RF_04_closeShouldLowerAnEndToWhatRedisAndTheRowsReach() {
    bed.preheat(1, 3, 40);
    long first = bed.openShard(0, 0, 0);
    save(0, Entries.unitsIn(first, 1, 1, 10), Entries.win(first, 2, "ann", 1, 3));
    close(first, 9);

    assertThat(close(first, 4))
        .isEqualTo(new EpochClosed(false, true, false, SalesRecord.UNTOUCHED));
    assertThat(lastSeq(first)).isEqualTo(4);
    assertThat(close(first, 9))
        .isEqualTo(new EpochClosed(false, true, true, SalesRecord.UNTOUCHED));
    assertThat(lastSeq(first)).isEqualTo(4);
    assertThat(close(first, 1))
        .isEqualTo(new EpochClosed(true, true, false, SalesRecord.UNTOUCHED));
    assertThat(lastSeq(first)).isEqualTo(2);
  }

  @Test
  void RF_04_surplusShouldEndWhenTheShardWasWrittenAnew() {
    bed.preheat(1, 3, 40);
    long first = bed.openShard(0, 0, 0);
    save(0, Entries.unitsIn(first, 1, 1, 10));
    bed.openShard(0, first, 9);
    long anew = bed.openShard(0, 0, 0);

    assertThat(close(anew, 3))
        .isEqualTo(new EpochClosed(false, true, false, SalesRecord.UNTOUCHED));
  }

  @Test
  void RF_04_closeShouldNotCountWinsOfAnEpochThatWasOverBefore() {
    bed.preheat(1, 3, 40);
    long first = bed.openShard(0, 0, 0);
    save(0, Entries.unitsIn(first, 1, 1, 10));
    long never = bed.openShard(0, first, 1);
    bed.openShard(0, 0, 0);
    save(0, Entries.win(never, 1, "bob", 1, 3), Entries.win(never, 2, "cat", 1, 3));

    EpochClosed closed = close(never, 2);

    assertThat(closed.surplus()).isTrue();
    assertThat(closed.forgot()).isFalse();
    assertThat(bed.number("SELECT COUNT(*) FROM closed_epochs WHERE epoch = " + never)).isZero();
  }

  @Test
  void SC_09_closeShouldNotCountLettersOfForeignEntries() {
    bed.preheat(1, 3, 40);
    long epoch = bed.openShard(0, 0, 0);
    save(
        0,
        Entries.one("1764430000000-0", Map.of("k", "win")),
        Entries.one(epoch + "-281474976710656", Map.of("k", "win")));

    assertThat(close(epoch, 0))
        .isEqualTo(new EpochClosed(false, false, false, SalesRecord.UNTOUCHED));
    assertThat(lastSeq(epoch)).isZero();
  }

  @Test
  void snapshotShouldCountPromotionsAndUnitsOut() {
    bed.preheat(1, 3, 40);
    change("w", ItemChange.Action.WITHDRAW, 20);
    long epoch = bed.openShard(0, 0, 0);
    save(
        0,
        Entries.state(epoch, 1, 1, 2, "OPEN"),
        Entries.unitsIn(epoch, 2, 1, 10),
        Entries.promotion(epoch, 3, "ann", 2, 3),
        Entries.unitsOut(epoch, 4, 2, 5));
    close(epoch, 4);

    ShardSnapshot.ItemInShard item = snapshot(epoch).items().get(0);

    assertThat(item.lastMove()).isEqualTo(2);
    // The arrival and the promotion.
    assertThat(item.adds()).isEqualTo(2);
    assertThat(item.granted()).isEqualTo(5);
    assertThat(item.stock()).isEqualTo(3);
    assertThat(
            await(
                    new ShardSnapshots(bed.database())
                        .receipts(new ShardReceiptsQuery(REGION, 0, ITEM, "", 10)))
                .receipts())
        .containsEntry("ann", "2;-||" + epoch + "-3|2|h|1764430000000");
  }

  @Test
  void snapshotShouldCountPromotionsThatBecameLetters() {
    bed.preheat(1, 3, 40);
    long epoch = bed.openShard(0, 0, 0);
    save(
        0,
        Entries.state(epoch, 1, 1, 2, "OPEN"),
        Entries.unitsIn(epoch, 2, 1, 10),
        Entries.promotion(epoch, 3, "ann", 3, 3),
        // Beyond the limit.
        Entries.promotion(epoch, 4, "ann", 1, 3),
        Entries.win(epoch, 5, "ann", 1, 3));
    close(epoch, 5);

    ShardSnapshot.ItemInShard item = snapshot(epoch).items().get(0);

    assertThat(bed.number("SELECT COUNT(*) FROM dead_letters")).isEqualTo(2);
    assertThat(item.adds()).isEqualTo(3);
    assertThat(item.stock()).isEqualTo(5);
  }

  private List<String> waiters(EntryId after, int limit) {
    List<String> found = new ArrayList<>();
    ShardWaiters page =
        await(new Waiters(bed.database()).page(new ShardWaitersQuery(REGION, 0, after, limit)));
    for (ShardWaiters.Waiter waiter : page.waiters()) {
      found.add(waiter.item() + " " + waiter.user() + " " + waiter.joined().seq());
      assertThat(waiter.atMs()).isEqualTo(1_764_430_000_000L);
    }
    if (page.more()) {
      found.addAll(waiters(page.waiters().get(page.waiters().size() - 1).joined(), limit));
    }
    return found;
  }

  @Test
  void waitersShouldComeInTheOrderInWhichTheyJoined() {
    bed.preheat(1, 3, 40);
    long first = bed.openShard(0, 0, 0);
    save(
        0,
        Entries.waitlist(first, 1, "join", "zoe"),
        Entries.waitlist(first, 2, "join", "bob"),
        Entries.waitlist(first, 3, "join", "ann"),
        Entries.waitlist(first, 4, "leave", "bob"));
    long second = bed.openShard(0, first, 4);
    save(0, Entries.waitlist(second, 1, "join", "bob"), Entries.waitlist(second, 2, "join", "abe"));
    long elsewhere = bed.openShard(1, 0, 0);
    save(1, Entries.waitlist(elsewhere, 1, "join", "cat"));

    for (int limit : List.of(1, 2, 4, 5_000)) {
      assertThat(waiters(null, limit)).containsExactly("1 zoe 1", "1 ann 3", "1 bob 1", "1 abe 2");
    }
    assertRefused(ErrorCode.INVALID_REQUEST, () -> waiters(null, 5_001));
  }

  @Test
  void waitersOfAForgottenItemShouldBeGone() {
    bed.preheat(1, 3, 40);
    bed.preheat(2, 3, 40);
    long epoch = bed.openShard(0, 0, 0);
    save(
        0,
        Entries.waitlist(epoch, 1, "join", "ann"),
        Entries.one(epoch + "-2", Map.of("k", "join", "t", "1764430000000", "i", "2", "u", "ann")));
    ItemArchive archive = new ItemArchive(bed.database(), REGION, 3_600_000);
    await(archive.round());
    assertThat(waiters(null, 10)).containsExactly("1 ann 1", "2 ann 2");

    save(0, Entries.state(epoch, 3, 1, 9, "ARCHIVED"));

    assertThat(waiters(null, 10)).containsExactly("2 ann 2");
    await(archive.round());
    assertThat(bed.number("SELECT COUNT(*) FROM waitlist")).isEqualTo(1);
  }

  @Test
  void receiptsShouldComeInPagesLettersAmongThem() {
    bed.preheat(1, 3, 40);
    long epoch = bed.openShard(0, 0, 0);
    save(
        0,
        Entries.unitsIn(epoch, 1, 1, 10),
        Entries.win(epoch, 2, "ann", 1, 3),
        Entries.win(epoch, 3, "bob", 4, 3),
        Entries.win(epoch, 4, "cat", 1, 3),
        Entries.win(epoch, 5, "dan", 4, 3),
        Entries.win(epoch, 6, "eve", 4, 3));
    ShardSnapshots snapshots = new ShardSnapshots(bed.database());
    List<String> users = new ArrayList<>();
    String after = "";
    for (int page = 0; page < 4; page++) {
      var receipts =
          await(snapshots.receipts(new ShardReceiptsQuery(REGION, 0, ITEM, after, 2))).receipts();
      users.addAll(receipts.keySet());
      after = receipts.isEmpty() ? after : receipts.lastKey();
    }

    assertThat(users).containsExactly("ann", "bob", "cat", "dan", "eve");
  }

  private static ItemChange.Values units(long units) {
    return ItemChange.Values.ofUnits(units);
  }

  /** Lets every shard take over the item, and stores every outstanding move as applied in full. */
  private void applyAll() {
    applyAll(Long.MAX_VALUE);
  }

  /** The same, with a bound on what a move out really takes. */
  private void applyAll(long mostOut) {
    ItemRecord record = await(bed.items().query(new ItemQuery(ITEM))).items().get(0);
    for (Move move : record.outstanding()) {
      long epoch = epochs.computeIfAbsent(move.shard(), shard -> bed.openShard(shard, 0, 0));
      long seq = seqs.merge(move.shard(), 1L, Long::sum);
      save(
          move.shard(),
          move.kind().isIn()
              ? Entries.unitsIn(epoch, seq, move.number(), move.units())
              : Entries.unitsOut(epoch, seq, move.number(), Math.min(mostOut, move.units())));
    }
    assertThat(bed.number("SELECT COUNT(*) FROM dead_letters")).isZero();
    assertCountersAgree();
  }

  private void assertCountersAgree() {
    Row row =
        await(bed.database().query(Sql.AUDIT_ITEM_COUNTERS, Tuple.of(ITEM.value())))
            .iterator()
            .next();
    assertThat(row.getLong(0))
        .as("held")
        .isEqualTo(bed.number("SELECT COALESCE(SUM(held_units), 0) FROM orders"));
    assertThat(row.getLong(1)).as("units in").isEqualTo(row.getLong(2));
    assertThat(row.getLong(3)).as("reserve").isEqualTo(row.getLong(4));
  }

  @Test
  void ST_14_capShouldAnswerCopiesOfOneRequestAlikeWhenTheyRace() {
    create(40);
    change("p", ItemChange.Action.PREHEAT, 0);
    applyAll();
    List<Future<ItemChanged>> copies = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      copies.add(bed.items().change(changeOf("cap", ItemChange.Action.CAP, units(20))));
    }

    await(Future.all(copies));

    assertThat(copies).extracting(copy -> copy.result().asked()).containsOnly(20L);
    assertThat(bed.number("SELECT SUM(units) FROM moves WHERE kind = 'HOLD_BACK'")).isEqualTo(20);
  }

  @Test
  void ST_14_withdrawShouldTellWhatReallyWent() {
    create(40);
    change("p", ItemChange.Action.PREHEAT, 0);
    applyAll();
    ItemChange withdraw =
        new ItemChange("w", "op", ITEM, ItemChange.Action.WITHDRAW, units(31))
            .over(SHARDS, List.of(10L, 0L, 10L, 20L));

    ItemChanged asked = await(bed.items().change(withdraw));

    assertThat(asked.asked()).isEqualTo(31);
    assertThat(asked.done()).isZero();
    assertThat(asked.settled()).isFalse();
    assertThat(asked.record().outstanding())
        .extracting(move -> move.kind() + " " + move.shard() + ":" + move.number())
        .containsExactly("WITHDRAW 0:2", "WITHDRAW 2:2", "WITHDRAW 3:2");
    assertThat(asked.record().outstanding()).extracting(Move::units).containsExactly(8L, 8L, 15L);
    applyAll(6);
    ItemChanged settled = await(bed.items().change(withdraw));
    assertThat(settled.done()).isEqualTo(18);
    assertThat(settled.settled()).isTrue();
    assertThat(settled.record().units()).isEqualTo(22);
    // Another hint is not another request; other units are.
    assertThat(changed("w", ItemChange.Action.WITHDRAW, units(31)).done()).isEqualTo(18);
    assertRefused(ErrorCode.CONFLICT, () -> change("w", ItemChange.Action.WITHDRAW, 30));
  }

  @Test
  void ST_14_withdrawShouldNotAskForMoreThanThereCouldBe() {
    create(8);
    change("p", ItemChange.Action.PREHEAT, 0);
    applyAll();

    ItemChanged all = changed("w", ItemChange.Action.WITHDRAW, units(1_000_000_000));
    ItemChanged nothing = changed("w2", ItemChange.Action.WITHDRAW, units(5));

    assertThat(all.asked()).isEqualTo(1_000_000_000);
    assertThat(all.record().outstanding()).extracting(Move::units).containsExactly(2L, 2L, 2L, 2L);
    assertThat(nothing.asked()).isEqualTo(5);
    assertThat(nothing.done()).isZero();
    assertThat(nothing.settled()).isTrue();
  }

  @Test
  void ST_14_setTotalShouldMoveTheDifference() {
    create(100);
    assertThat(changed("before", ItemChange.Action.SET_TOTAL, units(90)).done()).isEqualTo(10);
    assertThat(change("p", ItemChange.Action.PREHEAT, 0).units()).isEqualTo(90);
    applyAll();

    ItemChanged more = changed("t", ItemChange.Action.SET_TOTAL, units(160));
    assertThat(more.done()).isEqualTo(70);
    assertThat(more.record().units()).isEqualTo(160);
    assertThat(changed("t", ItemChange.Action.SET_TOTAL, units(160))).isEqualTo(more);
    applyAll();

    assertThat(changed("l", ItemChange.Action.SET_TOTAL, units(50)).asked()).isEqualTo(110);
    // Another admin wants the same, before any unit has gone.
    assertThat(changed("l2", ItemChange.Action.SET_TOTAL, units(50)).asked()).isZero();
    applyAll();
    assertThat(changed("l", ItemChange.Action.SET_TOTAL, units(50)).done()).isEqualTo(110);
    assertThat(await(bed.items().query(new ItemQuery(ITEM))).items().get(0).units()).isEqualTo(50);
    assertRefused(ErrorCode.INVALID_REQUEST, () -> change("n", ItemChange.Action.SET_TOTAL, -1));
  }

  @Test
  void ST_14_changesOfTwoAdminsShouldAddUpWhenTheyRace() {
    create(40);
    change("p", ItemChange.Action.PREHEAT, 0);
    applyAll();
    List<Future<?>> changes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      changes.add(bed.items().change(changeOf("r" + i, ItemChange.Action.RESTOCK, units(10))));
      changes.add(bed.items().change(changeOf("w" + i, ItemChange.Action.WITHDRAW, units(8))));
      // The same request twice at once.
      changes.add(bed.items().change(changeOf("r" + i, ItemChange.Action.RESTOCK, units(10))));
    }
    await(Future.all(changes));

    applyAll();

    ItemRecord record = await(bed.items().query(new ItemQuery(ITEM))).items().get(0);
    assertThat(record.units()).isEqualTo(40 + 30 - 24);
    assertThat(record.outstanding()).isEmpty();
  }

  @Test
  void capShouldBoundWhatShardsAreGiven() {
    create(100);
    change("c1", ItemChange.Action.CAP, 30);
    ItemRecord preheated = change("p", ItemChange.Action.PREHEAT, 0);
    assertThat(preheated.units()).isEqualTo(30);
    assertThat(preheated.reserve()).isEqualTo(70);
    assertThat(preheated.cap()).isEqualTo(30);
    applyAll();

    ItemChanged restocked = changed("r", ItemChange.Action.RESTOCK, units(10));
    assertThat(restocked.done()).isEqualTo(10);
    assertThat(restocked.record().reserve()).isEqualTo(80);
    assertThat(restocked.record().outstanding()).isEmpty();

    ItemChanged raised = changed("c2", ItemChange.Action.CAP, units(50));
    assertThat(raised.done()).isEqualTo(20);
    assertThat(raised.record().outstanding()).extracting(Move::kind).containsOnly(Move.Kind.GRANT);
    applyAll();

    ItemChanged lowered = changed("c3", ItemChange.Action.CAP, units(10));
    assertThat(lowered.asked()).isEqualTo(40);
    assertThat(lowered.settled()).isFalse();
    assertRefused(ErrorCode.BUSY, () -> change("c4", ItemChange.Action.CAP, -1));
    assertRefused(ErrorCode.BUSY, () -> change("r2", ItemChange.Action.RESTOCK, 1));
    // Two of each ten were held.
    applyAll(8);
    ItemChanged settled = changed("c3", ItemChange.Action.CAP, units(10));
    assertThat(settled.done()).isEqualTo(32);
    assertThat(settled.record().units()).isEqualTo(18);
    assertThat(settled.record().reserve()).isEqualTo(92);

    // Out of the reserve first: at once, and for certain.
    ItemChanged withdrawn = changed("w", ItemChange.Action.WITHDRAW, units(90));
    assertThat(withdrawn.done()).isEqualTo(90);
    assertThat(withdrawn.settled()).isTrue();

    ItemChanged lifted = changed("c4", ItemChange.Action.CAP, units(ItemRecord.NO_CAP));
    assertThat(lifted.done()).isEqualTo(2);
    assertThat(lifted.record().reserve()).isZero();
    assertThat(lifted.record().cap()).isEqualTo(ItemRecord.NO_CAP);
    applyAll();
    assertRefused(ErrorCode.INVALID_REQUEST, () -> change("c5", ItemChange.Action.CAP, -2));
  }

  @Test
  void limitAndWindowShouldChangeBeforeAndAfterThePreheat() {
    create(4);
    ItemChange.Values window = ItemChange.Values.ofWindow(5, 3_900_000_000_000L);

    ItemRecord before = changed("w", ItemChange.Action.SET_WINDOW, window).record();
    assertThat(before.generation()).isZero();
    assertThat(before.definition().startsAtMs()).isEqualTo(5);
    change("p", ItemChange.Action.PREHEAT, 0);

    ItemRecord raised =
        changed("l", ItemChange.Action.SET_LIMIT, ItemChange.Values.ofLimit(7)).record();
    assertThat(raised.generation()).isEqualTo(3);
    assertThat(raised.definition().limitPerUser()).isEqualTo(7);
    assertThat(raised.definition().endsAtMs()).isEqualTo(3_900_000_000_000L);
    assertThat(
            changed("l2", ItemChange.Action.SET_LIMIT, ItemChange.Values.ofLimit(7))
                .record()
                .generation())
        .isEqualTo(3);
    assertRefused(
        ErrorCode.INVALID_REQUEST,
        () -> changed("x", ItemChange.Action.SET_LIMIT, ItemChange.Values.ofLimit(0)));
    assertRefused(
        ErrorCode.INVALID_REQUEST,
        () -> changed("y", ItemChange.Action.SET_WINDOW, ItemChange.Values.ofWindow(9, 9)));
    assertRefused(
        ErrorCode.INVALID_REQUEST,
        () -> changed("z", ItemChange.Action.SET_WINDOW, ItemChange.Values.ofWindow(5, 6)));
    change("e", ItemChange.Action.END, 0);
    assertRefused(
        ErrorCode.ENDED,
        () -> changed("v", ItemChange.Action.SET_LIMIT, ItemChange.Values.ofLimit(2)));
    assertRefused(ErrorCode.ENDED, () -> change("u", ItemChange.Action.CAP, 2));
  }

  private void createInGroup(long item, int groupLimit) {
    ItemDefinition variant =
        ConsumerBed.inGroup(ConsumerBed.definition(item, 3), "shirt", groupLimit);
    await(bed.items().create(new ItemCreate("g" + item, "op", variant, 40)));
  }

  @Test
  void aGroupShouldHaveOneLimit() {
    createInGroup(1, 4);
    createInGroup(2, 4);

    assertRefused(ErrorCode.CONFLICT, () -> createInGroup(3, 5));

    assertThat(await(bed.items().query(new ItemQuery(new ItemId(2)))).items())
        .extracting(record -> record.definition().group())
        .containsExactly(new ItemGroup("shirt", 4));
    assertThat(bed.number("SELECT COUNT(*) FROM items")).isEqualTo(2);
  }

  @Test
  void holdingsShouldSumUpAGroupInPages() {
    bed.preheat(ConsumerBed.inGroup(ConsumerBed.definition(1, 3), "shirt", 4), 40);
    bed.preheat(ConsumerBed.inGroup(ConsumerBed.definition(2, 3), "shirt", 4), 40);
    bed.preheat(3, 3, 40);
    long epoch = bed.openShard(0, 0, 0);
    save(
        0,
        Entries.unitsIn(epoch, 1, 1, 1, 10),
        Entries.unitsIn(epoch, 2, 2, 1, 10),
        Entries.unitsIn(epoch, 3, 3, 1, 10),
        Entries.winOf(epoch, 4, "ann", 1, 1, 3),
        Entries.winOf(epoch, 5, "ann", 2, 2, 3),
        Entries.winOf(epoch, 6, "ann", 3, 1, 3),
        Entries.winOf(epoch, 7, "bob", 2, 1, 3),
        Entries.winOf(epoch, 8, "cat", 3, 1, 3),
        Entries.winOf(epoch, 9, "dan", 1, 2, 3),
        Entries.release(epoch, 10, "dan", epoch + "-9", 2, true),
        // Beyond the limit: an open dead letter, which counts as held.
        Entries.winOf(epoch, 11, "eve", 1, 4, 3),
        Entries.winOf(epoch, 12, "fay", 2, 1, 3));
    GroupHoldings groups = new GroupHoldings(bed.database());
    Map<String, Long> all = new TreeMap<>();
    String after = "";
    for (int page = 0; page < 9; page++) {
      var units = await(groups.page(new ShardHoldingsQuery(REGION, 0, "shirt", after, 2))).units();
      all.putAll(units);
      if (units.isEmpty()) {
        break;
      }
      after = units.lastKey();
    }

    assertThat(all).isEqualTo(Map.of("ann", 3L, "bob", 1L, "eve", 4L, "fay", 1L));
    assertThat(await(groups.page(new ShardHoldingsQuery(REGION, 0, "shirt", "", 100))).units())
        .isEqualTo(all);
    assertThat(await(groups.page(new ShardHoldingsQuery(REGION, 1, "shirt", "", 100))).units())
        .isEmpty();
    // What the shard has forgotten does not count there any more.
    save(0, Entries.state(epoch, 13, 2, 9, "ARCHIVED"));
    assertThat(await(groups.page(new ShardHoldingsQuery(REGION, 0, "shirt", "", 100))).units())
        .isEqualTo(Map.of("ann", 1L, "eve", 4L));
  }

  @Test
  void theStopSwitchShouldCountItsChanges() {
    SalesLedger sales = new SalesLedger(bed.database());
    assertThat(await(sales.query(new SalesQuery(REGION)))).isEqualTo(SalesRecord.UNTOUCHED);

    SalesChange stop = new SalesChange("s", "op", REGION, true);
    assertThat(await(sales.change(stop))).isEqualTo(new SalesRecord(true, 1));
    assertThat(await(sales.change(stop))).isEqualTo(new SalesRecord(true, 1));
    assertThat(await(sales.change(new SalesChange("s2", "op", REGION, true))))
        .isEqualTo(new SalesRecord(true, 1));
    assertThat(close(0, 0).sales()).isEqualTo(new SalesRecord(true, 1));
    assertThat(await(sales.change(new SalesChange("o", "op", REGION, false))))
        .isEqualTo(new SalesRecord(false, 2));

    assertRefused(
        ErrorCode.CONFLICT, () -> await(sales.change(new SalesChange("s", "op", REGION, false))));
    assertThat(bed.query("SELECT action FROM audit_log ORDER BY id"))
        .extracting(row -> row.getString(0))
        .containsExactly("STOP_SALES", "STOP_SALES", "OPEN_SALES");
  }

  private List<ItemState> listed() {
    return await(bed.items().query(new ItemQuery(null))).items().stream()
        .map(ItemRecord::state)
        .toList();
  }

  @Test
  void archiveShouldTurnWhatEndedLongAgo() {
    create(4);
    change("p", ItemChange.Action.PREHEAT, 0);
    change("e", ItemChange.Action.END, 0);
    ItemArchive later = new ItemArchive(bed.database(), REGION, 3_600_000);
    ItemArchive now = new ItemArchive(bed.database(), REGION, 0);
    assertThat(await(later.round())).isZero();
    // Its moves are outstanding.
    assertThat(await(now.round())).isZero();
    applyAll();

    List<Future<Integer>> nodes = List.of(now.round(), now.round(), now.round());
    await(Future.all(nodes));

    assertThat(nodes.stream().mapToInt(Future::result).sum()).isEqualTo(1);
    ItemRecord record = await(bed.items().query(new ItemQuery(ITEM))).items().get(0);
    assertThat(record.state()).isEqualTo(ItemState.ARCHIVED);
    assertThat(record.generation()).isEqualTo(4);
    assertRefused(ErrorCode.ENDED, () -> change("r", ItemChange.Action.RESTOCK, 1));
    assertThat(change("e2", ItemChange.Action.END, 0).generation()).isEqualTo(4);
    for (int shard = 0; shard < SHARDS; shard++) {
      await(now.round());
      assertThat(listed()).as("shard %d has it", shard).containsExactly(ItemState.ARCHIVED);
      long seq = seqs.merge(shard, 1L, Long::sum);
      save(shard, Entries.state(epochs.get(shard), seq, 1, 4, "ARCHIVED"));
    }
    await(now.round());
    assertThat(listed()).isEmpty();
    assertThat(await(bed.items().query(new ItemQuery(ITEM))).items()).hasSize(1);
  }

  @Test
  void archiveShouldForgetAtOnceWhatWasNeverPreheated() {
    create(4);
    bed.query("UPDATE items SET ends_at_ms = 10");

    await(new ItemArchive(bed.database(), REGION, 1_000).round());

    assertThat(listed()).isEmpty();
  }

  @Test
  void RF_02_snapshotShouldHoldASaleWhoseLatestChangeTheShardHasLost() {
    bed.preheat(1, 3, 40);
    long epoch = bed.openShard(0, 0, 0);
    save(0, Entries.state(epoch, 1, 1, 2, "OPEN"), Entries.unitsIn(epoch, 2, 1, 10));
    change("end", ItemChange.Action.END, 0);
    close(epoch, 2);

    ShardSnapshot.ItemInShard item = snapshot(epoch).items().get(0);

    assertThat(item.state()).isEqualTo(ItemState.PAUSED);
    assertThat(item.generation()).isEqualTo(2);
  }

  @Test
  void snapshotShouldLeaveOutWhatTheShardHasForgotten() {
    bed.preheat(1, 3, 40);
    bed.preheat(2, 3, 40);
    long epoch = bed.openShard(0, 0, 0);
    save(
        0,
        Entries.state(epoch, 1, 1, 2, "OPEN"),
        Entries.unitsIn(epoch, 2, 1, 10),
        Entries.state(epoch, 3, 2, 2, "OPEN"),
        Entries.state(epoch, 4, 1, 4, "ARCHIVED"));
    close(epoch, 4);

    assertThat(snapshot(epoch).items())
        .extracting(item -> item.definition().id().value())
        .containsExactly(2L);
  }
}
