package io.seckill.consumer.ledger;

import static io.seckill.consumer.ConsumerBed.REGION;
import static io.seckill.consumer.ConsumerBed.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.bus.EpochClose;
import io.seckill.common.bus.EpochClosed;
import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.ItemCreate;
import io.seckill.common.bus.ItemQuery;
import io.seckill.common.bus.RegionJoin;
import io.seckill.common.bus.ShardClaim;
import io.seckill.common.bus.ShardClaimed;
import io.seckill.common.bus.ShardOpen;
import io.seckill.common.bus.ShardReceiptsQuery;
import io.seckill.common.bus.ShardSnapshot;
import io.seckill.common.bus.ShardSnapshotQuery;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.ShardRef;
import io.seckill.common.item.ItemRecord;
import io.seckill.common.item.ItemState;
import io.seckill.common.item.Move;
import io.seckill.consumer.ConsumerBed;
import io.seckill.consumer.db.Migrator;
import io.seckill.consumer.store.BatchStore;
import io.seckill.consumer.store.Entries;
import io.seckill.consumer.store.LogStore;
import io.seckill.consumer.store.Received;
import io.seckill.testkit.MySqlAddress;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the ledger and the migrator promise, on every database that the dialect is for. */
abstract class LedgerContract {

  private static final ItemId ITEM = new ItemId(1);
  private static final int SHARDS = 4;

  private ConsumerBed bed;

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
    return await(bed.items().change(new ItemChange(request, "op", ITEM, action, units, SHARDS)))
        .items()
        .get(0);
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
            new BatchStore(bed.database()),
            bed.metrics(),
            new LogStore.Patience(200, 3, () -> false));
    for (List<Received> run : LogStore.runs(List.of(entries))) {
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
        .isEqualTo(new EpochClosed(true, true, false));
    // The same again changes nothing.
    assertThat(await(bed.shards().close(new EpochClose(REGION, 0, next, epoch, 1))))
        .isEqualTo(new EpochClosed(true, true, false));
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
              .change(new ItemChange("r" + i, "op", ITEM, ItemChange.Action.RESTOCK, 10, SHARDS)));
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
                "0;-||" + epoch + "-4|2|r",
                "bob",
                "4;-||" + epoch + "-5|3|h;-||" + epoch + "-7|1|h"));
    assertThat(
            await(snapshots.receipts(new ShardReceiptsQuery(REGION, 0, ITEM, "ann", 10)))
                .receipts())
        .containsOnlyKeys("bob");
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
    assertThat(close(second, 0)).isEqualTo(new EpochClosed(false, true, false));

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

    assertThat(close(0, 0)).isEqualTo(new EpochClosed(true, true, false));

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

    assertThat(close(first, 4)).isEqualTo(new EpochClosed(false, true, false));
    assertThat(lastSeq(first)).isEqualTo(4);
    assertThat(close(first, 9)).isEqualTo(new EpochClosed(false, true, true));
    assertThat(lastSeq(first)).isEqualTo(4);
    assertThat(close(first, 1)).isEqualTo(new EpochClosed(true, true, false));
    assertThat(lastSeq(first)).isEqualTo(2);
  }

  @Test
  void RF_04_surplusShouldEndWhenTheShardWasWrittenAnew() {
    bed.preheat(1, 3, 40);
    long first = bed.openShard(0, 0, 0);
    save(0, Entries.unitsIn(first, 1, 1, 10));
    bed.openShard(0, first, 9);
    long anew = bed.openShard(0, 0, 0);

    assertThat(close(anew, 3)).isEqualTo(new EpochClosed(false, true, false));
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
        Received.read("1764430000000-0", Map.of("k", "win")),
        Received.read(epoch + "-281474976710656", Map.of("k", "win")));

    assertThat(close(epoch, 0)).isEqualTo(new EpochClosed(false, false, false));
    assertThat(lastSeq(epoch)).isZero();
  }

  @Test
  void snapshotShouldCountPromotionsAndUnitsOut() {
    bed.preheat(1, 3, 40);
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
    assertThat(item.adds()).isEqualTo(1);
    assertThat(item.granted()).isEqualTo(5);
    assertThat(item.stock()).isEqualTo(3);
    assertThat(
            await(
                    new ShardSnapshots(bed.database())
                        .receipts(new ShardReceiptsQuery(REGION, 0, ITEM, "", 10)))
                .receipts())
        .containsEntry("ann", "2;-||" + epoch + "-3|2|h");
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
}
