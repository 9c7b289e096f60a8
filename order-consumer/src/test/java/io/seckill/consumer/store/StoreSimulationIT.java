package io.seckill.consumer.store;

import static io.seckill.consumer.ConsumerBed.REGION;
import static io.seckill.consumer.ConsumerBed.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.ShardRef;
import io.seckill.common.log.LogEntry;
import io.seckill.consumer.ConsumerBed;
import io.seckill.testkit.TestMariaDb;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Seeded: a log grows in a model of Redis, consumers read it as a group does, and die between read
 * and commit, and between commit and acknowledgement; batches are taken over while their owner
 * still writes. People join the line, leave it and are let in. After every step MySQL must be a
 * prefix of the model, and in the end all of it. Prints its seed; {@code -Dseed} repeats one.
 */
class StoreSimulationIT {

  private static final ShardRef SHARD = new ShardRef(REGION, 0);
  private static final int STOCK = 60;
  private static final int LIMIT = 3;

  private ConsumerBed bed;

  @BeforeEach
  void open() {
    bed = ConsumerBed.on(TestMariaDb.shared().newDatabase());
  }

  @AfterEach
  void close() {
    bed.close();
  }

  /** The log with its group, and what it must lead to. */
  private static final class Model {
    final List<Received> log = new ArrayList<>();

    /** The same in stream entries: a win alone, or the wins of a batch. */
    final List<List<Received>> entries = new ArrayList<>();

    /** Wins that are not in the log yet: the batch that is being decided. */
    final List<String> batch = new ArrayList<>();

    final Map<Long, Win> wins = new TreeMap<>();
    final Map<String, Integer> held = new HashMap<>();

    /** Who waits, oldest first. */
    final Set<String> line = new LinkedHashSet<>();

    /** Entries that were read and are not acknowledged, and who has them. */
    final TreeMap<Integer, Integer> pending = new TreeMap<>();

    /** Changes in acknowledged entries. */
    long acknowledged;

    int delivered;
    int stock;

    record Win(String user, int quantity, boolean held) {}

    void grow(Random random, long epoch) {
      if (batch.size() > 0 && random.nextInt(3) == 0) {
        write(epoch);
      }
      long seq = log.size() + 1L + batch.size();
      if (seq == 1) {
        append(List.of(Entries.unitsIn(epoch, 1, 1, STOCK)));
        stock = STOCK;
        return;
      }
      List<Long> heldWins =
          wins.entrySet().stream()
              .filter(win -> win.getValue().held)
              .map(Map.Entry::getKey)
              .toList();
      if (!heldWins.isEmpty() && random.nextInt(3) == 0) {
        long at = heldWins.get(random.nextInt(heldWins.size()));
        Win win = wins.get(at);
        write(epoch);
        append(
            List.of(Entries.release(epoch, seq, win.user, epoch + "-" + at, win.quantity, true)));
        wins.put(at, new Win(win.user, win.quantity, false));
        held.merge(win.user, -win.quantity, Integer::sum);
        stock += win.quantity;
        return;
      }
      String user = "u" + random.nextInt(25);
      if (random.nextInt(3) == 0) {
        write(epoch);
        changeLine(random, epoch, user);
        return;
      }
      int quantity = 1 + random.nextInt(LIMIT);
      boolean fits = held.getOrDefault(user, 0) + quantity <= LIMIT && quantity <= stock;
      if (fits) {
        batch.add(Entries.record(user, quantity, LIMIT));
        wins.put(seq, new Win(user, quantity, true));
        held.merge(user, quantity, Integer::sum);
        stock -= quantity;
      }
    }

    /** Lets the oldest in, or else has a user leave or join. */
    private void changeLine(Random random, long epoch, String user) {
      long seq = log.size() + 1L;
      String oldest = line.isEmpty() ? null : line.iterator().next();
      boolean letsIn =
          oldest != null
              && stock > 0
              && held.getOrDefault(oldest, 0) < LIMIT
              && random.nextInt(3) > 0;
      if (letsIn) {
        append(List.of(Entries.promotion(epoch, seq, oldest, 1, LIMIT)));
        line.remove(oldest);
        wins.put(seq, new Win(oldest, 1, true));
        held.merge(oldest, 1, Integer::sum);
        stock--;
        return;
      }
      boolean leaves = line.remove(user);
      append(List.of(Entries.waitlist(epoch, seq, leaves ? "leave" : "join", user)));
      if (!leaves) {
        line.add(user);
      }
    }

    /** Who waits after a change of the log, and by which entries, oldest first. */
    List<String> lineAfter(long seq) {
      Map<String, Long> joined = new LinkedHashMap<>();
      for (Received change : log.subList(0, (int) seq)) {
        if (change.entry() instanceof LogEntry.Joined join) {
          joined.put(join.user().value(), join.id().seq());
        } else if (change.entry() instanceof LogEntry.Left left) {
          joined.remove(left.user().value());
        } else if (change.entry() instanceof LogEntry.Promotion promotion) {
          joined.remove(promotion.win().user().value());
        }
      }
      return joined.entrySet().stream()
          .map(waiter -> waiter.getKey() + " " + waiter.getValue())
          .toList();
    }

    /** Ends the batch, if there is one. */
    void write(long epoch) {
      if (!batch.isEmpty()) {
        append(Entries.batch(epoch, log.size() + batch.size(), batch));
        batch.clear();
      }
    }

    private void append(List<Received> entry) {
      log.addAll(entry);
      entries.add(entry);
    }

    /** Reads new entries for a consumer. */
    List<Received> deliver(int count, int consumer) {
      List<Received> read = new ArrayList<>();
      for (int i = 0; i < count && delivered < entries.size(); i++) {
        pending.put(delivered, consumer);
        read.addAll(entries.get(delivered++));
      }
      return read;
    }

    /** What a consumer, or with −1 any, has not acknowledged. */
    List<Received> pendingOf(int consumer, int count) {
      return pending.entrySet().stream()
          .filter(entry -> consumer < 0 || entry.getValue() == consumer)
          .limit(count)
          .flatMap(entry -> entries.get(entry.getKey()).stream())
          .toList();
    }

    /** Acknowledges the entries whose last change is among those that were stored. */
    void acknowledge(List<Received> stored) {
      for (Received change : stored) {
        if (change.endsStreamEntry()) {
          pending
              .entrySet()
              .removeIf(
                  entry -> {
                    List<Received> changes = entries.get(entry.getKey());
                    boolean its = changes.get(changes.size() - 1).id().equals(change.id());
                    acknowledged += its ? changes.size() : 0;
                    return its;
                  });
        }
      }
    }
  }

  @Test
  void consumersShouldEndWithExactlyTheLogWhereverTheyDie() {
    long seed = Long.getLong("seed", System.nanoTime());
    int rounds = Integer.getInteger("rounds", 10) * 12;
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    bed.preheat(1, LIMIT, STOCK);
    long epoch = bed.openShard(0, 0, 0);
    BatchStore batches = new BatchStore(bed.database(), bed.news());
    LogStore store = new LogStore(bed.vertx(), batches, bed.metrics(), ConsumerBed.patience(100));
    Model model = new Model();

    for (int round = 0; round < rounds; round++) {
      for (int i = random.nextInt(12); i >= 0; i--) {
        model.grow(random, epoch);
      }
      int consumer = random.nextInt(3);
      int count = 1 + random.nextInt(15);
      List<Received> batch =
          switch (random.nextInt(3)) {
            case 0 -> model.pendingOf(consumer, count);
            case 1 -> model.pendingOf(-1, count);
            default -> model.deliver(count, consumer);
          };
      // Transactions are shorter than entries: one may die within an entry.
      List<List<Received>> runs = LogStore.runs(batch, 4);
      // 0: dies between read and commit. 1: dies between commit and acknowledgement. 2: another
      // one has taken the batch over and writes it at the same time. Else: all goes well.
      int fate = random.nextInt(6);
      if (fate > 0) {
        int dies = fate == 1 ? random.nextInt(runs.size() + 1) : runs.size();
        for (List<Received> run : runs.subList(0, dies)) {
          Outcome outcome = write(store, run, fate == 2);
          if (!(outcome instanceof Outcome.Stored)) {
            // Waits for others; here it gives up and reads again later.
            break;
          }
          if (fate > 1) {
            model.acknowledge(run);
          }
        }
      }
      assertIsPrefix(model, seed);
    }

    model.write(epoch);
    while (model.acknowledged < model.log.size()) {
      model.deliver(10, 0);
      List<Received> rest = model.pendingOf(-1, 20);
      for (List<Received> run : Entries.runs(rest)) {
        assertThat(write(store, run, false)).as("seed %d", seed).isInstanceOf(Outcome.Stored.class);
        model.acknowledge(run);
      }
    }
    assertIsPrefix(model, seed);
    assertThat(bed.number("SELECT COUNT(*) FROM orders"))
        .as("seed %d", seed)
        .isEqualTo(model.wins.size());
    assertThat(bed.number("SELECT held_units FROM items"))
        .as("seed %d", seed)
        .isEqualTo(STOCK - model.stock);
  }

  private Outcome write(LogStore store, List<Received> run, boolean twice) {
    if (!twice) {
      return await(store.store(SHARD, run));
    }
    Future<Outcome> other = store.store(SHARD, run);
    Outcome mine = await(store.store(SHARD, run));
    assertThat(await(other).getClass()).isEqualTo(mine.getClass());
    return mine;
  }

  /** What is stored is the log up to some place, and every sum agrees with it. */
  private void assertIsPrefix(Model model, long seed) {
    long stored =
        bed.number(
            "SELECT (SELECT COUNT(*) FROM orders) + (SELECT COUNT(*) FROM shard_log)"
                + " + (SELECT COUNT(*) FROM dead_letters)");
    long highest =
        bed.number(
            "SELECT GREATEST((SELECT COALESCE(MAX(seq), 0) FROM orders),"
                + " (SELECT COALESCE(MAX(seq), 0) FROM shard_log))");
    assertThat(stored).as("no gap, seed %d", seed).isEqualTo(highest);
    assertThat(bed.number("SELECT COUNT(*) FROM dead_letters")).as("seed %d", seed).isZero();
    assertThat(stored)
        .as("acknowledged means stored, seed %d", seed)
        .isGreaterThanOrEqualTo(model.acknowledged);
    assertThat(bed.query("SELECT user_id, seq FROM waitlist ORDER BY epoch, seq"))
        .as("seed %d", seed)
        .extracting(row -> row.getString(0) + " " + row.getLong(1))
        .containsExactlyElementsOf(model.lineAfter(stored));
    assertThat(bed.number("SELECT COUNT(*) FROM orders WHERE promoted = 1"))
        .as("seed %d", seed)
        .isEqualTo(
            model.log.subList(0, (int) stored).stream()
                .filter(change -> change.entry() instanceof LogEntry.Promotion)
                .count());
    for (Row row : bed.query("SELECT seq, user_id, quantity FROM orders")) {
      Model.Win win = model.wins.get(row.getLong(0));
      assertThat(win.user()).as("seed %d", seed).isEqualTo(row.getString(1));
      assertThat(win.quantity()).as("seed %d", seed).isEqualTo(row.getInteger(2));
    }
    assertThat(bed.number("SELECT held_units FROM items"))
        .as("seed %d", seed)
        .isEqualTo(bed.number("SELECT COALESCE(SUM(held_units), 0) FROM orders"))
        .isEqualTo(bed.number("SELECT COALESCE(SUM(units), 0) FROM holdings"))
        .isBetween(0L, (long) STOCK);
    assertThat(bed.number("SELECT COUNT(*) FROM holdings WHERE units < 0 OR units > " + LIMIT))
        .as("seed %d", seed)
        .isZero();
  }
}
