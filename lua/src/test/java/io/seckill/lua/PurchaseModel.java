package io.seckill.lua;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemState;
import io.seckill.common.order.PurchaseLine;
import io.seckill.lua.DecidePurchases.Decision;
import io.seckill.lua.DecidePurchases.Purchase;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The rules of a shard in plain Java, one purchase after the other, without any cleverness. */
final class PurchaseModel {

  private static final int KEPT_RELEASED = 8;

  private final long epoch;
  private long seq;
  private final Map<ItemId, Item> items = new LinkedHashMap<>();
  private final List<Win> wins = new ArrayList<>();

  static final class Item {
    final int limit;
    ItemState state = ItemState.OPEN;
    long generation = 2;
    long move = 1;
    long stock;
    long granted;
    final Map<String, List<Entry>> receipts = new TreeMap<>();

    Item(int limit, long stock) {
      this.limit = limit;
      this.stock = stock;
      this.granted = stock;
    }

    int held(String user) {
      return receipts.getOrDefault(user, List.of()).stream()
          .filter(record -> record.held)
          .mapToInt(record -> record.quantity)
          .sum();
    }

    /** The receipt as the script writes it. */
    String receipt(String user) {
      StringBuilder text = new StringBuilder().append(held(user));
      for (Entry record : receipts.get(user)) {
        text.append(';').append(record.key).append('|').append(record.body).append('|');
        text.append(record.entry).append('|').append(record.quantity).append('|');
        text.append(record.held ? 'h' : 'r');
      }
      return text.toString();
    }
  }

  static final class Entry {
    final String key;
    final String body;
    final EntryId entry;
    final int quantity;
    boolean held = true;

    Entry(Purchase purchase, EntryId entry, int quantity) {
      this.key = purchase.keyDigest();
      this.body = purchase.bodyDigest();
      this.entry = entry;
      this.quantity = quantity;
    }
  }

  /** A win that was ever made. */
  record Win(String user, EntryId entry, List<ItemId> items) {}

  PurchaseModel(long epoch, long seq) {
    this.epoch = epoch;
    this.seq = seq;
  }

  void add(ItemId id, Item item) {
    items.put(id, item);
    seq += 3;
  }

  Map<ItemId, Item> items() {
    return items;
  }

  List<Win> wins() {
    return wins;
  }

  long seq() {
    return seq;
  }

  Decision decide(Purchase purchase) {
    String user = purchase.user().value();
    EntryId earlier = null;
    for (PurchaseLine line : purchase.lines()) {
      for (Entry record : item(line).receipts.getOrDefault(user, List.of())) {
        boolean keyless = record.key.equals("-");
        if (record.key.equals(purchase.keyDigest()) && (record.held || !keyless)) {
          if (!record.body.equals(purchase.bodyDigest())
              || record.quantity != line.quantity().value()) {
            return new Decision(PurchaseStatus.CONFLICT, null, 0);
          }
          earlier = record.entry;
        }
      }
    }
    if (earlier != null) {
      return new Decision(PurchaseStatus.REPLAY, earlier, 0);
    }
    for (PurchaseLine line : purchase.lines()) {
      if (item(line).state == ItemState.ENDED) {
        return new Decision(PurchaseStatus.ENDED, null, 0);
      }
      if (item(line).state == ItemState.PAUSED) {
        return new Decision(PurchaseStatus.PAUSED, null, 0);
      }
    }
    for (PurchaseLine line : purchase.lines()) {
      if (item(line).held(user) + line.quantity().value() > item(line).limit) {
        EntryId latest = null;
        for (Entry record : item(line).receipts.getOrDefault(user, List.of())) {
          latest = record.held ? record.entry : latest;
        }
        return new Decision(PurchaseStatus.LIMIT, latest, 0);
      }
    }
    for (PurchaseLine line : purchase.lines()) {
      if (item(line).stock < line.quantity().value()) {
        return new Decision(PurchaseStatus.DRY, null, item(line).stock);
      }
    }
    EntryId entry = new EntryId(epoch, ++seq);
    long left = 0;
    for (PurchaseLine line : purchase.lines()) {
      int quantity = line.quantity().value();
      item(line).stock -= quantity;
      left = item(line).stock;
      item(line)
          .receipts
          .computeIfAbsent(user, u -> new ArrayList<>())
          .add(new Entry(purchase, entry, quantity));
    }
    wins.add(new Win(user, entry, purchase.lines().stream().map(PurchaseLine::item).toList()));
    return new Decision(PurchaseStatus.WIN, entry, left);
  }

  private Item item(PurchaseLine line) {
    return items.get(line.item());
  }

  /** OK, ALREADY, or NOT_FOUND when the record has been dropped since. */
  StepResult.Status release(Win win) {
    for (ItemId id : win.items()) {
      Entry record = record(win, id);
      if (record == null) {
        return StepResult.Status.NOT_FOUND;
      }
      if (!record.held) {
        return StepResult.Status.ALREADY;
      }
    }
    seq++;
    for (ItemId id : win.items()) {
      Item item = items.get(id);
      Entry record = record(win, id);
      record.held = false;
      if (item.state == ItemState.ENDED) {
        item.granted -= record.quantity;
      } else {
        item.stock += record.quantity;
      }
      List<Entry> records = item.receipts.get(win.user());
      while (records.stream().filter(kept -> !kept.held).count() > KEPT_RELEASED) {
        records.remove(records.stream().filter(kept -> !kept.held).findFirst().orElseThrow());
      }
    }
    return StepResult.Status.OK;
  }

  private Entry record(Win win, ItemId id) {
    return items.get(id).receipts.getOrDefault(win.user(), List.of()).stream()
        .filter(record -> record.entry.equals(win.entry()))
        .findFirst()
        .orElse(null);
  }

  void restock(Item item, long units) {
    seq++;
    item.move++;
    item.stock += units;
    item.granted += units;
  }

  void change(Item item, ItemState state) {
    seq++;
    item.generation++;
    item.state = state;
  }
}
