package io.seckill.engine;

import io.seckill.common.bus.PurchaseRequest;
import io.seckill.common.id.ItemId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A bounded queue in which no item can make another wait: one line for each item, served in turn by
 * deficit round robin (Shreedhar and Varghese, 1995), so each call costs the same however many
 * items wait. Who comes within an item keeps his order.
 *
 * <p>The bound is shared by dynamic thresholds (Choudhury and Hahne, 1998): an item's line may grow
 * only while it is shorter than the space that is left. So one hot item fills half of the queue at
 * most, two a third each, and a quiet one always finds room. Belongs to one thread.
 *
 * @param <T> what waits
 */
final class FairQueue<T extends FairQueue.Entry> {

  /**
   * Lines of purchases that an item is served in one turn: as many as the largest basket, so that
   * each turn serves at least one.
   */
  private static final int QUANTUM = PurchaseRequest.MAX_LINES;

  private final int capacity;
  private final Map<ItemId, Line<T>> lines = new HashMap<>();
  private final Deque<Line<T>> turns = new ArrayDeque<>();
  private int size;

  /** What the queue has to know of an entry. */
  interface Entry {

    /** Whose line it waits in. */
    ItemId item();

    /** What it costs: 1 … {@link PurchaseRequest#MAX_LINES}. */
    int cost();
  }

  /** Those who wait for one item. It exists only while somebody does. */
  private static final class Line<T> {
    private final ItemId item;
    private final Deque<T> entries = new ArrayDeque<>();
    private int credit = QUANTUM;

    Line(ItemId item) {
      this.item = item;
    }
  }

  /** Whether an entry may come. */
  enum Room {
    /** It may. */
    ROOM,
    /** The queue is full. */
    FULL,
    /** The item's line is as long as the space that is left. */
    HOT_ITEM
  }

  /**
   * Makes an empty queue.
   *
   * @param capacity entries that may wait in all
   */
  FairQueue(int capacity) {
    this.capacity = capacity;
  }

  /** Whether one more may wait for the item. */
  Room roomFor(ItemId item) {
    int free = capacity - size;
    if (free <= 0) {
      return Room.FULL;
    }
    Line<T> line = lines.get(item);
    return line == null || line.entries.size() < free ? Room.ROOM : Room.HOT_ITEM;
  }

  /** Takes an entry at the end of its item's line. The caller has asked whether there is room. */
  void add(T entry) {
    Line<T> line = lines.get(entry.item());
    if (line == null) {
      line = open(entry.item());
      turns.addLast(line);
    }
    line.entries.addLast(entry);
    size++;
  }

  /**
   * Puts an entry back that was taken before, at the front of its item's line and beyond any bound:
   * what was taken is bounded by its taker.
   */
  void putBack(T entry) {
    Line<T> line = lines.get(entry.item());
    if (line == null) {
      line = open(entry.item());
      turns.addFirst(line);
    }
    line.entries.addFirst(entry);
    size++;
  }

  private Line<T> open(ItemId item) {
    Line<T> line = new Line<>(item);
    lines.put(item, line);
    return line;
  }

  /** Takes the next entry in turn; null when nobody waits. */
  T poll() {
    Line<T> line = turns.peekFirst();
    if (line == null) {
      return null;
    }
    while (line.entries.peekFirst().cost() > line.credit) {
      line.credit += QUANTUM;
      turns.addLast(turns.pollFirst());
      line = turns.peekFirst();
    }
    T entry = line.entries.pollFirst();
    line.credit -= entry.cost();
    size--;
    if (line.entries.isEmpty()) {
      turns.pollFirst();
      lines.remove(line.item);
    }
    return entry;
  }

  /** Takes from the front of each line what matches, up to the first that does not. */
  void drain(Predicate<T> matches, Consumer<T> taken) {
    List<T> drained = new ArrayList<>();
    for (Line<T> line : turns) {
      while (!line.entries.isEmpty() && matches.test(line.entries.peekFirst())) {
        drained.add(line.entries.pollFirst());
        size--;
      }
    }
    if (!drained.isEmpty()) {
      turns.removeIf(line -> line.entries.isEmpty());
      lines.values().removeIf(line -> line.entries.isEmpty());
    }
    // Last, because whoever is told may offer again at once.
    drained.forEach(taken);
  }

  /** How many wait. */
  int size() {
    return size;
  }

  /** Whether nobody waits. */
  boolean isEmpty() {
    return size == 0;
  }

  /** How many items are waited for. */
  int items() {
    return lines.size();
  }
}
