package io.seckill.lua;

import static io.seckill.lua.TestShard.NO_LIMITS;
import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemState;
import io.seckill.common.item.Move;
import io.seckill.common.log.LogEntry;
import io.seckill.lua.DecidePurchases.Decided;
import io.seckill.lua.DecidePurchases.Decision;
import io.seckill.lua.DecidePurchases.Purchase;
import io.vertx.redis.client.Response;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/** A shard and its model, side by side: every step is done on both and has to end the same. */
final class ModelledShard {

  final TestShard shard;
  final ShardModel model;

  ModelledShard(TestShard shard) {
    this.shard = shard;
    this.model = new ShardModel(shard.epoch());
  }

  /** Brings an item and its first units, on sale. */
  void sell(ItemDefinition item, long stock) {
    put(item, 1, ItemState.PREPARED);
    move(new Move(item.id(), 0, 1, Move.Kind.PREHEAT, stock));
    put(item, 2, ItemState.OPEN);
  }

  StepResult.Status put(ItemDefinition item, long generation, ItemState state) {
    StepResult.Status expected = model.put(item, generation, state);
    assertThat(shard.put(item, generation, state).status()).isEqualTo(expected);
    return expected;
  }

  StepResult.Status move(Move move) {
    StepResult.Status expected = model.move(move);
    assertThat(shard.move(move).status()).as("%s", move).isEqualTo(expected);
    return expected;
  }

  SendUnits.Result send(ItemId item, long units, int toShard, OptionalLong seenSent) {
    SendUnits.Result expected = model.send(item, units, toShard, seenSent);
    SendUnits.Result told = shard.send(item, units, toShard, seenSent);
    assertThat(
            told instanceof SendUnits.Sent sent
                ? new SendUnits.Sent(sent.entry(), sent.units(), sent.left(), 0)
                : told)
        .isEqualTo(expected);
    return told;
  }

  StepResult.Status switchSales(boolean stopped, long generation) {
    StepResult.Status expected = model.switchSales(stopped, generation);
    assertThat(shard.switchSales(stopped, generation).status()).isEqualTo(expected);
    return expected;
  }

  List<Decision> decide(List<Purchase> batch) {
    List<Decision> expected = batch.stream().map(model::decide).toList();
    assertThat(shard.call(shard.fence(), NO_LIMITS, batch.toArray(Purchase[]::new)))
        .isEqualTo(new Decided(model.seq(), null, model.addsOf(batch), expected));
    return expected;
  }

  void release(ShardModel.Win win) {
    assertThat(shard.release(win.user(), win.entry(), win.items().toArray(ItemId[]::new)).status())
        .isEqualTo(model.release(win));
  }

  JoinWaitlist.Result join(String user, ItemId item, long maxWaiters) {
    JoinWaitlist.Result expected = model.join(user, item, maxWaiters);
    JoinWaitlist.Result told = shard.join(user, item, maxWaiters);
    assertThat(
            told instanceof JoinWaitlist.InLine line
                ? new JoinWaitlist.InLine(0, line.waiters(), line.joined())
                : told)
        .isEqualTo(expected);
    return told;
  }

  void leave(String user, ItemId item) {
    assertThat(shard.leave(user, item).status()).isEqualTo(model.leave(user, item));
  }

  PromoteWaiters.Result promote(ItemId item, int most) {
    PromoteWaiters.Result expected = model.promote(item, most);
    assertThat(shard.promote(item, most)).isEqualTo(expected);
    return expected;
  }

  /** Everything that the shard holds is what the model holds, and nobody holds too much. */
  void check() {
    List<LogEntry> log = shard.log();
    assertThat(log.stream().map(ShardModel::timeless)).containsExactlyElementsOf(model.log());
    Map<String, Map<String, String>> held = new TreeMap<>();
    for (ShardModel.Item item : model.items().values()) {
      check(item, log);
      if (!item.group().isEmpty()) {
        Map<String, String> ofGroup = held.computeIfAbsent(item.group(), id -> new TreeMap<>());
        for (String user : item.receipts.keySet()) {
          int units = model.heldOf(item.group(), user);
          assertThat(units)
              .as("I2: units of the group that %s holds", user)
              .isLessThanOrEqualTo(item.definition.group().limitPerUser());
          if (units > 0) {
            ofGroup.put(user, Integer.toString(units));
          }
        }
      }
    }
    held.forEach(
        (group, users) -> assertThat(hash(shard.keys.held(group))).as(group).isEqualTo(users));
  }

  private void check(ShardModel.Item item, List<LogEntry> log) {
    ItemId id = item.definition.id();
    ReadItems.ShardItem read = shard.read(id);
    assertThat(read.definition()).isEqualTo(item.definition);
    assertThat(read.version()).isEqualTo(new PutItem.ItemVersion(item.generation, item.state));
    assertThat(List.of(read.lastMove(), read.adds(), read.sent(), read.received(), read.granted()))
        .as("move, adds, sent, received, granted of %s", id)
        .containsExactly(item.move, item.adds, item.sent, item.received, item.granted);
    assertThat(read.stock()).contains(item.stock);
    assertThat(read.waiters()).isEqualTo(item.line.size());
    assertThat(read.oldest().isPresent()).isEqualTo(!item.line.isEmpty());
    assertThat(shard.line(id)).as("those who wait, in their order").isEqualTo(item.line);
    Map<String, String> receipts = new TreeMap<>();
    for (String user : item.receipts.keySet()) {
      receipts.put(user, item.receipt(user));
      assertThat(item.held(user))
          .as("I2: units that %s holds", user)
          .isLessThanOrEqualTo(item.definition.limitPerUser());
    }
    Map<String, String> found = hash(shard.keys.receipts(id));
    // The model has no times.
    found.replaceAll((user, receipt) -> receipt.replaceAll("(\\|[hr])\\|\\d{13}", "$1"));
    assertThat(found).isEqualTo(receipts);
    assertThat(item.held() + item.stock)
        .as("I1: left and held of %s", id)
        .isEqualTo(read.granted() + read.received() - read.sent());
    assertThat(stockByLog(id, log)).as("the log tells the stock").isEqualTo(item.stock);
  }

  private Map<String, String> hash(String key) {
    Map<String, String> fields = new TreeMap<>();
    Response reply = shard.redis("HGETALL", key);
    for (String field : reply.getKeys()) {
      fields.put(field, reply.get(field).toString());
    }
    return fields;
  }

  private static long stockByLog(ItemId id, List<LogEntry> log) {
    long stock = 0;
    for (LogEntry entry : log) {
      if (entry.taken().isPresent()) {
        stock -=
            entry.taken().get().lines().stream()
                .filter(line -> line.item().equals(id))
                .mapToLong(LogEntry.WinLine::quantity)
                .sum();
      } else if (entry instanceof LogEntry.Release release) {
        stock +=
            release.lines().stream()
                .filter(line -> line.item().equals(id) && line.toStock())
                .mapToLong(LogEntry.ReleasedLine::units)
                .sum();
      } else if (entry instanceof LogEntry.UnitsIn in && in.item().equals(id)) {
        stock += in.units();
      } else if (entry instanceof LogEntry.UnitsOut out && out.item().equals(id)) {
        stock -= out.units();
      } else if (entry instanceof LogEntry.UnitsSent sent && sent.item().equals(id)) {
        stock -= sent.units();
      }
    }
    return stock;
  }
}
