package io.seckill.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.ItemId;
import io.seckill.engine.FairQueue.Room;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FairQueueTest {

  private static final ItemId HOT = new ItemId(1);
  private static final ItemId QUIET = new ItemId(2);

  private final FairQueue<Entry> queue = new FairQueue<>(1_000);

  private record Entry(ItemId item, int cost, int number) implements FairQueue.Entry {}

  /** Offers as a batcher does. */
  private Room offer(FairQueue<Entry> to, ItemId item, int cost, int number) {
    Room room = to.roomFor(item);
    if (room == Room.ROOM) {
      to.add(new Entry(item, cost, number));
    }
    return room;
  }

  private void offerMany(ItemId item, int count, int cost) {
    for (int i = 0; i < count; i++) {
      offer(queue, item, cost, i);
    }
  }

  @Test
  void aQuietItemShouldBeServedWithinOneTurnOfAHotOne() {
    offerMany(HOT, 400, 1);
    offer(queue, QUIET, 1, 7);

    List<Entry> first = take(9);

    assertThat(first).contains(new Entry(QUIET, 1, 7));
  }

  @Test
  void itemsShouldShareTurnsByTheLinesOfTheirPurchases() {
    offerMany(HOT, 300, 8);
    offerMany(QUIET, 300, 1);

    Map<ItemId, Integer> lines = new HashMap<>();
    take(180).forEach(entry -> lines.merge(entry.item(), entry.cost(), Integer::sum));

    assertThat(lines.get(HOT)).isEqualTo(lines.get(QUIET));
  }

  @Test
  void purchasesOfOneItemShouldKeepTheirOrder() {
    offerMany(HOT, 100, 1);
    offerMany(QUIET, 50, 3);

    List<Entry> all = take(150);

    assertThat(all.stream().filter(entry -> entry.item().equals(HOT)).map(Entry::number))
        .isSorted()
        .hasSize(100);
    assertThat(all.stream().filter(entry -> entry.item().equals(QUIET)).map(Entry::number))
        .isSorted()
        .hasSize(50);
    assertThat(queue.isEmpty()).isTrue();
    assertThat(queue.items()).isZero();
  }

  @Test
  void oneHotItemShouldFillHalfOfTheQueueAndLeaveRoomForOthers() {
    offerMany(HOT, 5_000, 1);

    assertThat(queue.size()).isEqualTo(500);
    assertThat(queue.roomFor(HOT)).isEqualTo(Room.HOT_ITEM);
    assertThat(queue.roomFor(QUIET)).isEqualTo(Room.ROOM);
  }

  @Test
  void twoHotItemsShouldEndWithAThirdEach() {
    for (int i = 0; i < 5_000; i++) {
      offer(queue, HOT, 1, i);
      offer(queue, QUIET, 1, i);
    }

    List<Entry> all = take(queue.size());
    assertThat(all.stream().filter(entry -> entry.item().equals(HOT)).count())
        .isBetween(333L, 335L);
    assertThat(all.stream().filter(entry -> entry.item().equals(QUIET)).count())
        .isBetween(332L, 334L);
  }

  @Test
  void aQueueFullOfManyItemsShouldSayFull() {
    for (int i = 0; i < 1_000; i++) {
      assertThat(offer(queue, new ItemId(i + 1), 1, i)).isEqualTo(Room.ROOM);
    }

    assertThat(queue.roomFor(new ItemId(5_000))).isEqualTo(Room.FULL);
    assertThat(queue.roomFor(HOT)).isEqualTo(Room.FULL);
  }

  @Test
  void whatIsPutBackShouldComeFirstOfItsItemAlsoIntoAFullQueue() {
    offerMany(HOT, 5_000, 1);
    List<Entry> batch = take(3);
    offerMany(HOT, 3, 1);

    for (int i = batch.size() - 1; i >= 0; i--) {
      queue.putBack(batch.get(i));
    }

    assertThat(queue.size()).isGreaterThanOrEqualTo(500);
    assertThat(take(3)).isEqualTo(batch);
  }

  @Test
  void drainShouldTakeTheFrontOfEachLineAndForgetEmptyOnes() {
    offerMany(HOT, 10, 1);
    offerMany(QUIET, 2, 1);
    List<Entry> drained = new ArrayList<>();

    queue.drain(entry -> entry.number() < 3, drained::add);

    assertThat(drained).hasSize(5);
    assertThat(queue.size()).isEqualTo(7);
    assertThat(queue.items()).isEqualTo(1);
    assertThat(queue.poll()).isEqualTo(new Entry(HOT, 1, 3));
  }

  /**
   * Random use against plain queues: nothing is lost, doubled, overtaken, or kept from its turn.
   */
  @Test
  void randomUseShouldServeEveryItemInTurn() {
    long seed = Long.getLong("seed", System.nanoTime());
    Random random = new Random(seed);
    FairQueue<Entry> fair = new FairQueue<>(200);
    Map<ItemId, Deque<Entry>> expected = new HashMap<>();
    Map<ItemId, Integer> servedOfOthers = new HashMap<>();

    for (int step = 0; step < 20_000; step++) {
      ItemId item = new ItemId(1 + (int) Math.min(9, Math.abs(random.nextGaussian()) * 4));
      if (random.nextInt(100) < 52) {
        int cost = 1 + random.nextInt(8);
        if (offer(fair, item, cost, step) == Room.ROOM) {
          Deque<Entry> line = expected.computeIfAbsent(item, id -> new ArrayDeque<>());
          line.addLast(new Entry(item, cost, step));
        }
      } else if (!fair.isEmpty()) {
        Entry entry = fair.poll();
        Deque<Entry> line = expected.get(entry.item());
        assertThat(line.pollFirst()).as("seed %d step %d", seed, step).isEqualTo(entry);
        if (line.isEmpty()) {
          expected.remove(entry.item());
        }
        servedOfOthers.remove(entry.item());
        servedOfOthers.keySet().retainAll(expected.keySet());
        expected.keySet().forEach(other -> servedOfOthers.merge(other, 1, Integer::sum));
        servedOfOthers.remove(entry.item());
        // Nine others, two quanta each at most, one line a purchase.
        assertThat(servedOfOthers.values())
            .as("seed %d step %d", seed, step)
            .allMatch(others -> others <= 9 * 16);
      }
      int waiting = expected.values().stream().mapToInt(Deque::size).sum();
      assertThat(fair.size()).as("seed %d step %d", seed, step).isEqualTo(waiting);
      assertThat(fair.items()).isEqualTo(expected.size());
    }
  }

  private List<Entry> take(int count) {
    List<Entry> taken = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      taken.add(queue.poll());
    }
    return taken;
  }
}
