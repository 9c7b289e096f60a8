package io.seckill.consumer.store;

import static io.seckill.consumer.ConsumerBed.REGION;
import static io.seckill.consumer.ConsumerBed.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.bus.EpochClose;
import io.seckill.common.bus.EpochClosed;
import io.seckill.common.bus.ItemQuery;
import io.seckill.common.bus.ShardClaim;
import io.seckill.common.bus.ShardSnapshot;
import io.seckill.common.bus.ShardSnapshotQuery;
import io.seckill.common.bus.TransferStore;
import io.seckill.common.bus.TransferStored;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.ShardRef;
import io.seckill.common.item.ItemState;
import io.seckill.common.item.Move;
import io.seckill.consumer.ConsumerBed;
import io.seckill.consumer.ledger.ShardSnapshots;
import io.seckill.testkit.MySqlAddress;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What storing units that one shard sent to another promises, out of turn and in turn, on every
 * database that the dialect is for.
 */
abstract class TransferContract {

  private static final ItemId ITEM = new ItemId(1);

  private ConsumerBed bed;
  private LogStore store;
  private long first;
  private long second;

  /** An empty database. */
  abstract MySqlAddress newDatabase();

  @BeforeEach
  void open() {
    bed = ConsumerBed.on(newDatabase(), Map.of("redis.shards", "2"));
    store =
        new LogStore(
            bed.vertx(),
            new BatchStore(bed.database(), bed.news()),
            bed.metrics(),
            ConsumerBed.patience(50));
    bed.preheat(1, 9, 20);
    first = bed.openShard(0, 0, 0);
    second = bed.openShard(1, 0, 0);
  }

  @AfterEach
  void close() {
    bed.close();
  }

  private void save(int shard, Received... entries) {
    for (List<Received> run : Entries.runs(List.of(entries))) {
      await(store.store(new ShardRef(REGION, shard), run));
    }
  }

  /** Both shards have what the preheat gave them. */
  private void stock() {
    save(0, Entries.state(first, 1, 1, 2, "OPEN"), Entries.unitsIn(first, 2, 1, 10));
    save(1, Entries.state(second, 1, 1, 2, "OPEN"), Entries.unitsIn(second, 2, 1, 10));
  }

  private static TransferStore transfer(long epoch, long seq, long units) {
    return new TransferStore(REGION, 0, epoch, seq, 1_764_430_000_000L, ITEM, units, 1);
  }

  private Move stored(TransferStore transfer) {
    return await(bed.transfers().store(transfer)).move();
  }

  private void assertRefused(ErrorCode code, TransferStore transfer) {
    assertThatThrownBy(() -> stored(transfer))
        .isInstanceOfSatisfying(
            SeckillException.class, failure -> assertThat(failure.code()).isEqualTo(code));
  }

  private long rows() {
    return bed.number("SELECT COUNT(*) FROM transfers");
  }

  private long moves() {
    return bed.number("SELECT COUNT(*) FROM moves WHERE kind = 'TRANSFER'");
  }

  private List<Move> outstanding() {
    return await(bed.items().query(new ItemQuery(ITEM))).items().get(0).outstanding();
  }

  private EpochClosed close(int shard, long redisEpoch, long redisSeq) {
    long next = await(bed.shards().claim(new ShardClaim(REGION, shard, redisEpoch, "a"))).epoch();
    return await(bed.shards().close(new EpochClose(REGION, shard, next, redisEpoch, redisSeq)));
  }

  private ShardSnapshot.ItemInShard snapshot(int shard, long lastEpoch) {
    ShardSnapshot snapshot =
        await(
            new ShardSnapshots(bed.database())
                .snapshot(new ShardSnapshotQuery(REGION, shard, lastEpoch)));
    assertThat(snapshot.missing()).isZero();
    assertThat(snapshot.items()).hasSize(1);
    return snapshot.items().get(0);
  }

  private void assertNoLetters() {
    assertThat(bed.query("SELECT reason, detail FROM dead_letters")).isEmpty();
  }

  @Test
  void storeShouldWriteTheMoveAtOnceAndOnce() {
    stock();

    Move move = stored(transfer(first, 3, 4));

    assertThat(move).isEqualTo(new Move(ITEM, 1, 2, Move.Kind.TRANSFER, 4));
    assertThat(stored(transfer(first, 3, 4))).isEqualTo(move);
    assertThat(stored(transfer(first, 5, 1)).number()).isEqualTo(3);
    assertThat(outstanding()).containsExactly(move, new Move(ITEM, 1, 3, Move.Kind.TRANSFER, 1));
    assertThat(bed.registry().get("seckill.ledger.transfers").counter().count()).isEqualTo(2);
    // Only the row: the log is stored in its order.
    assertThat(bed.number("SELECT COUNT(*) FROM shard_log WHERE kind = 'send'")).isZero();
    save(
        0,
        Entries.send(first, 3, 4, 1),
        Entries.win(first, 4, "ann", 1, 3),
        Entries.send(first, 5, 1, 1));
    assertThat(rows()).isEqualTo(2);
    assertThat(moves()).isEqualTo(2);
    assertThat(bed.number("SELECT units_in FROM items")).isEqualTo(20);
    assertNoLetters();
  }

  @Test
  void storeShouldMakeTheMoveInTurnWhenTheEngineDied() {
    stock();

    save(0, Entries.send(first, 3, 4, 1), Entries.send(first, 4, 2, 1));

    assertThat(outstanding()).extracting(Move::units).containsExactly(4L, 2L);
    assertThat(stored(transfer(first, 3, 4)).number()).isEqualTo(2);
    assertThat(moves()).isEqualTo(2);
  }

  @Test
  void storeShouldRefuseContradictions() {
    stock();
    stored(transfer(first, 3, 4));

    assertRefused(ErrorCode.CONFLICT, transfer(first, 3, 5));
    assertRefused(ErrorCode.CONFLICT, transfer(first + 7, 1, 5));
    assertRefused(ErrorCode.INVALID_REQUEST, transfer(first, 4, 0));
    assertRefused(
        ErrorCode.CONFLICT, new TransferStore(REGION, 0, first, 4, 0, new ItemId(77), 1, 1));
    assertRefused(ErrorCode.CONFLICT, new TransferStore(REGION, 0, first, 4, 0, ITEM, 1, 0));
    assertRefused(ErrorCode.CONFLICT, new TransferStore(REGION, 0, first, 4, 0, ITEM, 1, 2));
    save(0, Entries.send(first, 3, 5, 1));
    assertThat(bed.query("SELECT reason FROM dead_letters").get(0).getString(0))
        .isEqualTo("TRANSFER");
    assertThat(moves()).isEqualTo(1);
  }

  @Test
  void storeShouldWriteOneMoveWhenEnginesAndConsumersRace() {
    stock();
    List<Future<?>> all = new ArrayList<>();
    List<Received> run = new ArrayList<>();
    for (long seq = 3; seq < 9; seq++) {
      run.add(Entries.send(first, seq, 1, 1));
    }
    for (int i = 0; i < 3; i++) {
      for (long seq = 3; seq < 9; seq++) {
        all.add(bed.transfers().store(transfer(first, seq, 1)));
      }
      all.add(store.store(new ShardRef(REGION, 0), run));
    }

    await(Future.join(all));

    // A call may give up after several deadlocks; the consumer never does.
    assertThat(rows()).isEqualTo(6);
    assertThat(outstanding()).extracting(Move::number).containsExactly(2L, 3L, 4L, 5L, 6L, 7L);
    assertThat(bed.number("SELECT COUNT(*) FROM shard_log WHERE kind = 'send'")).isEqualTo(6);
    assertNoLetters();
  }

  @Test
  void RF_02_storeShouldRefuseWhatTheClosedEpochDoesNotKnow() {
    stock();
    close(0, first, 3);

    assertThat(stored(transfer(first, 3, 4)).number()).isEqualTo(2);
    assertRefused(ErrorCode.CONFLICT, transfer(first, 4, 4));
    save(0, Entries.send(first, 3, 4, 1), Entries.send(first, 4, 4, 1));

    assertThat(rows()).isEqualTo(1);
    assertThat(moves()).isEqualTo(1);
    assertThat(bed.number("SELECT effective FROM shard_log WHERE seq = 4")).isZero();
    assertNoLetters();
  }

  @Test
  void RF_02_aTransferShouldStayInEffectWhenItsEntryIsLost() {
    stock();
    stored(transfer(first, 4, 4));

    EpochClosed closed = close(0, first, 2);

    assertThat(closed.forgot()).isTrue();
    assertThat(closed.everStored()).isTrue();
    assertThat(bed.number("SELECT MAX(last_seq) FROM closed_epochs WHERE shard = 0")).isEqualTo(2);
    ShardSnapshot.ItemInShard item = snapshot(0, first);
    assertThat(item.granted()).isEqualTo(10);
    assertThat(item.sent()).isEqualTo(4);
    assertThat(item.stock()).isEqualTo(6);
    // The same word again, and the entry itself, from a consumer that had it.
    assertThat(stored(transfer(first, 4, 4)).number()).isEqualTo(2);
    save(0, Entries.win(first, 3, "ann", 1, 3), Entries.send(first, 4, 4, 1));
    assertThat(snapshot(0, first).stock()).isEqualTo(6);
    assertThat(moves()).isEqualTo(1);
  }

  @Test
  void RF_02_aShardShouldBeginWithADebtWhenItLostEverythingButATransfer() {
    stored(transfer(first, 3, 4));

    EpochClosed closed = close(0, 0, 0);

    assertThat(closed.forgot()).isTrue();
    assertThat(closed.everStored()).isTrue();
    ShardSnapshot.ItemInShard item = snapshot(0, 0);
    assertThat(item.state()).isEqualTo(ItemState.PREPARED);
    assertThat(item.generation()).isZero();
    assertThat(item.lastMove()).isZero();
    assertThat(item.stock()).isEqualTo(-4);
    assertThat(outstanding()).extracting(Move::shard).containsExactly(0, 1, 1);
  }

  @Test
  void snapshotShouldTellWhatCameFromOtherShards() {
    stock();
    stored(transfer(first, 3, 4));
    save(
        1,
        Entries.unitsIn(second, 3, 2, 4),
        Entries.win(second, 4, "bob", 9, 9),
        Entries.win(second, 5, "cat", 4, 9));
    close(1, second, 5);

    ShardSnapshot.ItemInShard item = snapshot(1, second);

    assertThat(item.granted()).isEqualTo(10);
    assertThat(item.received()).isEqualTo(4);
    assertThat(item.adds()).isEqualTo(2);
    assertThat(item.lastMove()).isEqualTo(2);
    assertThat(item.stock()).isEqualTo(1);
    assertNoLetters();
  }

  /**
   * Shard 0 took units back and sent them; its log is not stored that far, but the other shard's
   * is: then the orders seem to hold more than there is, and it is no contradiction. Nor must one
   * log wait for the other: the other may have to wait for this one.
   */
  @Test
  void winOfUnitsThatTheSenderTookBackShouldNotWaitForTheSendersLog() {
    stock();
    save(0, Entries.win(first, 3, "ann", 5, 9), Entries.win(first, 4, "abe", 5, 9));
    save(1, Entries.win(second, 3, "bob", 9, 9), Entries.win(second, 4, "cat", 1, 9));
    stored(transfer(first, 6, 5));

    save(1, Entries.unitsIn(second, 5, 2, 5), Entries.win(second, 6, "dan", 5, 9));
    assertThat(bed.number("SELECT held_units FROM items")).isEqualTo(25);
    save(0, Entries.release(first, 5, "ann", first + "-3", 5, true), Entries.send(first, 6, 5, 1));

    assertThat(bed.number("SELECT COUNT(*) FROM orders WHERE user_id = 'dan'")).isEqualTo(1);
    assertThat(bed.number("SELECT held_units FROM items")).isEqualTo(20);
    assertNoLetters();
  }

  /** As before, and the sender lost both entries: its debt stays, also when they come late. */
  @Test
  void RF_02_winOfUnitsThatTheSenderTookBackShouldBeStoredWhenTheirEntriesAreLost() {
    stock();
    save(0, Entries.win(first, 3, "ann", 5, 9), Entries.win(first, 4, "abe", 5, 9));
    save(1, Entries.win(second, 3, "bob", 9, 9), Entries.win(second, 4, "cat", 1, 9));
    stored(transfer(first, 6, 5));
    close(0, first, 4);
    save(0, Entries.release(first, 5, "ann", first + "-3", 5, true), Entries.send(first, 6, 5, 1));

    save(1, Entries.unitsIn(second, 5, 2, 5), Entries.win(second, 6, "dan", 5, 9));

    assertNoLetters();
    assertThat(bed.number("SELECT held_units FROM items")).isEqualTo(25);
    assertThat(snapshot(0, first).stock()).isEqualTo(-5);
  }

  @Test
  void storeShouldGiveUpOnAWinThatIsTooMuchWhenNothingIsOnItsWay() {
    stock();
    stored(transfer(first, 3, 4));
    save(0, Entries.send(first, 3, 4, 1), Entries.win(first, 4, "ann", 6, 9));
    save(1, Entries.unitsIn(second, 3, 2, 4), Entries.win(second, 4, "bob", 9, 9));

    save(1, Entries.win(second, 5, "cat", 6, 9));

    assertThat(bed.query("SELECT reason FROM dead_letters").get(0).getString(0)).isEqualTo("GRANT");
  }

  @Test
  void storeShouldTellOneMoveToManyEnginesAtOnce() {
    stock();
    List<Future<TransferStored>> engines = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      engines.add(bed.transfers().store(transfer(first, 3, 4)));
    }

    await(Future.all(engines));

    assertThat(engines.stream().map(engine -> engine.result().move()).distinct()).hasSize(1);
  }
}
