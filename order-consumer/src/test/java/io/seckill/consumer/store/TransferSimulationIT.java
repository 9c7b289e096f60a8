package io.seckill.consumer.store;

import static io.seckill.consumer.ConsumerBed.REGION;
import static io.seckill.consumer.ConsumerBed.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.bus.EpochClose;
import io.seckill.common.bus.EpochClosed;
import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.ItemQuery;
import io.seckill.common.bus.ShardClaim;
import io.seckill.common.bus.ShardOpen;
import io.seckill.common.bus.ShardReceiptsQuery;
import io.seckill.common.bus.ShardSnapshot;
import io.seckill.common.bus.ShardSnapshotQuery;
import io.seckill.common.bus.TransferStore;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.ShardRef;
import io.seckill.common.item.ItemRecord;
import io.seckill.common.item.Move;
import io.seckill.consumer.ConsumerBed;
import io.seckill.consumer.ledger.ShardSnapshots;
import io.seckill.testkit.TestMariaDb;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Seeded: shards in a model of Redis sell, take back, send units to each other, let in and give out
 * what the ledger says, and lose tails of their logs; the ledger hears of transfers at once, late,
 * again, or never; consumers store the logs at their own pace, twice at once now and then. In the
 * end every unit must be where somebody can say it is. Prints its seed; {@code -Dseed} repeats one.
 */
class TransferSimulationIT {

  private static final ItemId ITEM = new ItemId(1);
  private static final int SHARDS = 3;
  private static final int LIMIT = 4;

  private ConsumerBed bed;
  private LogStore store;
  private Random random;
  private long seed;
  private int requests;
  private final List<Shard> shards = new ArrayList<>();

  /** Transfers that engines may still tell the ledger of. */
  private final List<TransferStore> words = new ArrayList<>();

  @BeforeEach
  void open() {
    bed = ConsumerBed.on(TestMariaDb.shared().newDatabase(), Map.of("redis.shards", "" + SHARDS));
    store =
        new LogStore(
            bed.vertx(),
            new BatchStore(bed.database(), bed.news()),
            bed.metrics(),
            ConsumerBed.patience(100));
    seed = Long.getLong("seed", System.nanoTime());
    System.out.println("seed " + seed);
    random = new Random(seed);
  }

  @AfterEach
  void close() {
    bed.close();
  }

  private record Win(String user, int quantity) {}

  /** What Redis knows of the item in a shard. */
  private record State(long seq, boolean known, long stock, long lastMove, Map<EntryId, Win> held) {

    State next(long stockNow, long moveNow, Map<EntryId, Win> heldNow) {
      return new State(seq + 1, true, stockNow, moveNow, heldNow);
    }
  }

  private final class Shard {
    final int number;
    final ShardRef ref;
    final List<Received> log = new ArrayList<>();
    final TreeMap<Long, State> states = new TreeMap<>();
    long epoch;
    int stored;

    Shard(int number) {
      this.number = number;
      this.ref = new ShardRef(REGION, number);
      this.epoch = bed.openShard(number, 0, 0);
      states.put(0L, new State(0, false, 0, 0, Map.of()));
    }

    State now() {
      return states.lastEntry().getValue();
    }

    void append(Received entry, State after) {
      assertThat(entry.letter()).isNull();
      log.add(entry);
      states.put(after.seq(), after);
    }

    long seq() {
      return now().seq() + 1;
    }

    void know() {
      if (!now().known()) {
        State is = now();
        append(
            Entries.state(epoch, seq(), 1, 2, "OPEN"),
            is.next(is.stock(), is.lastMove(), is.held()));
      }
    }

    void apply(Move move) {
      State is = now();
      if (move.number() != is.lastMove() + 1) {
        return;
      }
      if (move.kind().isIn()) {
        append(
            Entries.unitsIn(epoch, seq(), move.number(), move.units()),
            is.next(is.stock() + move.units(), move.number(), is.held()));
      } else {
        long taken = Math.min(move.units(), Math.max(0, is.stock()));
        append(
            Entries.unitsOut(epoch, seq(), move.number(), taken),
            is.next(is.stock() - taken, move.number(), is.held()));
      }
    }

    void buy() {
      State is = now();
      String user = "u" + number + "-" + random.nextInt(30);
      int quantity = 1 + random.nextInt(LIMIT);
      int has =
          is.held().values().stream()
              .filter(win -> win.user().equals(user))
              .mapToInt(Win::quantity)
              .sum();
      if (quantity <= is.stock() && has + quantity <= LIMIT) {
        Map<EntryId, Win> held = new HashMap<>(is.held());
        held.put(new EntryId(epoch, seq()), new Win(user, quantity));
        append(
            Entries.win(epoch, seq(), user, quantity, LIMIT),
            is.next(is.stock() - quantity, is.lastMove(), held));
      }
    }

    void release() {
      State is = now();
      List<EntryId> held = is.held().keySet().stream().sorted().toList();
      if (!held.isEmpty()) {
        EntryId place = held.get(random.nextInt(held.size()));
        Win win = is.held().get(place);
        Map<EntryId, Win> left = new HashMap<>(is.held());
        left.remove(place);
        append(
            Entries.release(epoch, seq(), win.user(), place.toString(), win.quantity(), true),
            is.next(is.stock() + win.quantity(), is.lastMove(), left));
      }
    }

    void send() {
      State is = now();
      if (is.stock() > 0) {
        long units = 1L + random.nextInt((int) is.stock());
        int to = (number + 1 + random.nextInt(SHARDS - 1)) % SHARDS;
        TransferStore word = new TransferStore(REGION, number, epoch, seq(), 1, ITEM, units, to);
        append(
            Entries.send(epoch, seq(), units, to),
            is.next(is.stock() - units, is.lastMove(), is.held()));
        switch (random.nextInt(3)) {
          case 0 -> tell(word);
          case 1 -> words.add(word);
          default -> {
            // The engine died.
          }
        }
      }
    }

    /**
     * Redis comes back without the end of its log, and the shard is opened by the one procedure.
     */
    void reopen(boolean loses) {
      long end = now().seq();
      long keeps = loses ? end - random.nextLong(Math.min(end, 8) + 1) : end;
      states.tailMap(keeps, false).clear();
      EntryId place = new EntryId(epoch, keeps);
      List<Received> lost =
          new ArrayList<>(
              log.stream().filter(entry -> entry.place().compareTo(place) > 0).toList());
      log.removeAll(lost);
      stored = Math.min(stored, log.size());
      long next = await(bed.shards().claim(new ShardClaim(REGION, number, epoch, "t"))).epoch();
      EpochClosed closed =
          await(bed.shards().close(new EpochClose(REGION, number, next, epoch, keeps)));
      if (closed.forgot() || closed.surplus()) {
        drain(this);
        restore(next);
      } else {
        State is = now();
        begin(next, is.known(), is.stock(), is.lastMove(), is.held());
      }
      await(bed.shards().open(new ShardOpen(REGION, number, next)));
      // A consumer that had read them brings them late.
      if (random.nextBoolean()) {
        Entries.runs(lost).forEach(run -> await(store.store(ref, run)));
      }
    }

    private void restore(long next) {
      ShardSnapshots snapshots = new ShardSnapshots(bed.database());
      ShardSnapshot snapshot =
          await(snapshots.snapshot(new ShardSnapshotQuery(REGION, number, epoch)));
      assertThat(snapshot.missing()).as("seed %d", seed).isZero();
      if (snapshot.items().isEmpty()) {
        begin(next, false, 0, 0, Map.of());
        return;
      }
      ShardSnapshot.ItemInShard item = snapshot.items().get(0);
      assertThat(item.stock())
          .as("seed %d", seed)
          .isLessThanOrEqualTo(item.granted() + item.received() - item.sent());
      Map<EntryId, Win> held = new HashMap<>();
      // Page by page, as the engine does: a page is full of orders, not of users.
      SortedMap<String, String> page = receiptsAfter(snapshots, "");
      while (!page.isEmpty()) {
        page.forEach((user, text) -> held.putAll(heldIn(user, text)));
        page = receiptsAfter(snapshots, page.lastKey());
      }
      begin(next, item.generation() > 0, item.stock(), item.lastMove(), held);
    }

    private SortedMap<String, String> receiptsAfter(ShardSnapshots snapshots, String user) {
      return await(snapshots.receipts(new ShardReceiptsQuery(REGION, number, ITEM, user, 1_000)))
          .receipts();
    }

    private void begin(long next, boolean known, long stock, long move, Map<EntryId, Win> held) {
      epoch = next;
      states.clear();
      states.put(0L, new State(0, known, stock, move, held));
    }
  }

  private static Map<EntryId, Win> heldIn(String user, String receipt) {
    Map<EntryId, Win> held = new HashMap<>();
    String[] parts = receipt.split(";", -1);
    for (int i = 1; i < parts.length; i++) {
      String[] cells = parts[i].split("\\|", -1);
      if (cells[4].equals("h")) {
        held.put(EntryId.parse(cells[2]), new Win(user, Integer.parseInt(cells[3])));
      }
    }
    return held;
  }

  /** An engine tells the ledger, perhaps for the second time; what never happened is refused. */
  private void tell(TransferStore word) {
    try {
      await(bed.transfers().store(word));
    } catch (SeckillException e) {
      assertThat(e.code()).as("seed %d", seed).isEqualTo(ErrorCode.CONFLICT);
    }
  }

  private ItemRecord record() {
    return await(bed.items().query(new ItemQuery(ITEM))).items().get(0);
  }

  private void change() {
    boolean more = random.nextInt(3) > 0;
    await(
        bed.items()
            .change(
                new ItemChange(
                        "q" + requests++,
                        "op",
                        ITEM,
                        more ? ItemChange.Action.RESTOCK : ItemChange.Action.WITHDRAW,
                        ItemChange.Values.ofUnits(1 + random.nextInt(12)))
                    .over(SHARDS, shards.stream().map(shard -> shard.now().stock()).toList())));
  }

  private void applyMoves() {
    record().outstanding().forEach(move -> shards.get(move.shard()).apply(move));
  }

  /** Stores some of a shard's log: again what was stored, and twice at once now and then. */
  private void consume(Shard shard, int count) {
    int from = Math.max(0, shard.stored - random.nextInt(4));
    int to = Math.min(shard.log.size(), shard.stored + count);
    boolean twice = random.nextInt(5) == 0;
    for (List<Received> run : Entries.runs(List.copyOf(shard.log.subList(from, to)))) {
      Future<Outcome> other = twice ? store.store(shard.ref, run) : null;
      Outcome outcome = await(store.store(shard.ref, run));
      assertThat(outcome).as("seed %d", seed).isInstanceOf(Outcome.Stored.class);
      if (other != null) {
        await(other);
      }
    }
    shard.stored = to;
  }

  private void drain(Shard shard) {
    consume(shard, shard.log.size());
  }

  private void run(int rounds, boolean withLoss) {
    bed.preheat(1, LIMIT, 60);
    for (int i = 0; i < SHARDS; i++) {
      shards.add(new Shard(i));
    }
    for (int round = 0; round < rounds; round++) {
      Shard shard = shards.get(random.nextInt(SHARDS));
      shard.know();
      switch (random.nextInt(12)) {
        case 0, 1, 2, 3 -> shard.buy();
        case 4, 5 -> shard.release();
        case 6 -> shard.send();
        case 7, 8 -> consume(shard, 1 + random.nextInt(12));
        case 9 -> applyMoves();
        case 10 -> {
          if (!words.isEmpty()) {
            tell(words.get(random.nextInt(words.size())));
          }
          if (random.nextInt(4) == 0) {
            change();
          }
        }
        default -> {
          if (random.nextInt(3) == 0) {
            shard.reopen(withLoss);
          }
        }
      }
    }
    settle();
  }

  /** Everything is stored, and every move is applied. */
  private void settle() {
    words.forEach(this::tell);
    for (int i = 0; i < 50; i++) {
      shards.forEach(Shard::know);
      shards.forEach(this::drain);
      if (record().outstanding().isEmpty()) {
        return;
      }
      applyMoves();
    }
    throw new AssertionError("moves stay outstanding, seed " + seed);
  }

  private void assertEveryUnitIsSomewhere() {
    long left = shards.stream().mapToLong(shard -> shard.now().stock()).sum();
    long held =
        shards.stream()
            .flatMap(shard -> shard.now().held().values().stream())
            .mapToLong(Win::quantity)
            .sum();
    assertThat(left + held).as("seed %d", seed).isEqualTo(record().units());
    for (Shard shard : shards) {
      ShardSnapshot.ItemInShard item =
          await(
                  new ShardSnapshots(bed.database())
                      .snapshot(new ShardSnapshotQuery(REGION, shard.number, shard.epoch)))
              .items()
              .get(0);
      assertThat(item.stock())
          .as("shard %s, seed %d", shard.ref, seed)
          .isEqualTo(shard.now().stock());
      assertThat(item.lastMove()).isEqualTo(shard.now().lastMove());
    }
    assertThat(bed.number("SELECT COUNT(*) FROM holdings WHERE units < 0 OR units > " + LIMIT))
        .as("seed %d", seed)
        .isZero();
  }

  @Test
  void everyUnitShouldBeSomewhereWhateverTheOrderOfThings() {
    run(Integer.getInteger("rounds", 10) * 30, false);

    assertEveryUnitIsSomewhere();
    assertThat(bed.query("SELECT reason, detail FROM dead_letters")).as("seed %d", seed).isEmpty();
    assertThat(bed.number("SELECT held_units FROM items"))
        .as("seed %d", seed)
        .isEqualTo(bed.number("SELECT SUM(held_units) FROM orders"));
  }

  @Test
  void RF_02_everyUnitShouldBeSomewhereWhenShardsLoseTails() {
    run(Integer.getInteger("rounds", 10) * 30, true);

    assertEveryUnitIsSomewhere();
    assertThat(bed.query("SELECT reason, detail FROM dead_letters")).as("seed %d", seed).isEmpty();
  }
}
