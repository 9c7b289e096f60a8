package io.seckill.lua;

import io.seckill.common.bus.SalesRecord;
import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemGroup;
import io.seckill.common.item.ItemState;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** {@code read_items.lua}: items of a shard together with (epoch, seq), as of one instant. */
public final class ReadItems {

  /** Items in one call: two or three commands each, about a millisecond in all. */
  public static final int MAX_ITEMS = 500;

  private static final Script SCRIPT = Script.load("read_items");
  private static final int FIRST = 8;
  private static final int WIDTH = 20;

  private ReadItems() {}

  /**
   * A shard at one instant.
   *
   * @param epoch the head's epoch
   * @param seq the head's seq
   * @param runId the head's run id
   * @param state the head's state
   * @param atMs Redis time
   * @param sales the stop switch as the shard knows it
   * @param items in the order asked for; empty where the shard does not know the item
   */
  public record Reading(
      long epoch,
      long seq,
      String runId,
      ReadHead.HeadState state,
      long atMs,
      SalesRecord sales,
      List<Optional<ShardItem>> items) {}

  /**
   * An item in one shard.
   *
   * @param definition as the shard has it
   * @param version generation and state
   * @param lastMove number of the last move applied
   * @param adds entries of units so far
   * @param sent units sent to other shards
   * @param received units received from other shards
   * @param granted units that came in, less what went out for good; without those between shards
   * @param stock units to sell; empty when the key is missing or spoilt
   * @param waiters users who wait for a unit in this shard
   * @param oldest score of the first of them, comparable between shards; empty when nobody waits,
   *     and when the waitlist is missing or spoilt although somebody does
   */
  public record ShardItem(
      ItemDefinition definition,
      PutItem.ItemVersion version,
      long lastMove,
      long adds,
      long sent,
      long received,
      long granted,
      Optional<Long> stock,
      long waiters,
      OptionalLong oldest) {}

  /** The ids of all items that a shard knows, ascending. */
  public static Future<List<ItemId>> known(RedisLink link, RedisKeys keys, long timeoutMs) {
    return link.send(Request.cmd(Command.SMEMBERS).arg(keys.items()), timeoutMs)
        .map(
            reply -> {
              List<ItemId> items = new ArrayList<>(reply.size());
              for (Response item : reply) {
                items.add(ItemId.parse(item.toString()));
              }
              items.sort(null);
              return items;
            });
  }

  /** Reads them; empty when the head is missing. At most {@value #MAX_ITEMS} items a call. */
  public static Future<Optional<Reading>> run(
      RedisLink link, RedisKeys keys, List<ItemId> items, long timeoutMs) {
    if (items.size() > MAX_ITEMS) {
      throw new IllegalArgumentException("at most " + MAX_ITEMS + " items");
    }
    List<String> scriptKeys = new ArrayList<>(1 + 3 * items.size());
    scriptKeys.add(keys.head());
    for (ItemId item : items) {
      scriptKeys.add(keys.item(item));
      scriptKeys.add(keys.stock(item));
      scriptKeys.add(keys.waitlist(item));
    }
    return SCRIPT
        .run(link, link.fence(0, timeoutMs), scriptKeys, List.of(), timeoutMs)
        .map(reply -> resultOf(reply, items));
  }

  private static Optional<Reading> resultOf(Response reply, List<ItemId> items) {
    if (reply.get(0).toString().equals("MISSING")) {
      return Optional.empty();
    }
    List<Optional<ShardItem>> read = new ArrayList<>(items.size());
    for (int i = 0; i < items.size(); i++) {
      read.add(itemOf(reply, FIRST + i * WIDTH, items.get(i)));
    }
    return Optional.of(
        new Reading(
            reply.get(1).toLong(),
            reply.get(2).toLong(),
            reply.get(3).toString(),
            ReadHead.HeadState.valueOf(reply.get(4).toString()),
            reply.get(5).toLong(),
            SalesFields.read(reply, 6),
            read));
  }

  private static Optional<ShardItem> itemOf(Response reply, int at, ItemId id) {
    if (reply.get(at).toString().isEmpty()) {
      return Optional.empty();
    }
    ItemDefinition definition =
        new ItemDefinition(
            id,
            reply.get(at + 5).toString(),
            reply.get(at + 6).toLong(),
            reply.get(at + 7).toString(),
            reply.get(at + 8).toString(),
            reply.get(at + 4).toInteger(),
            reply.get(at + 2).toLong(),
            reply.get(at + 3).toLong(),
            reply.get(at + 9).toLong(),
            groupOf(reply.get(at + 10).toString(), reply.get(at + 11).toInteger()));
    String stock = reply.get(at + 17).toString();
    return Optional.of(
        new ShardItem(
            definition,
            new PutItem.ItemVersion(
                reply.get(at).toLong(), ItemState.valueOf(reply.get(at + 1).toString())),
            reply.get(at + 12).toLong(),
            reply.get(at + 13).toLong(),
            reply.get(at + 14).toLong(),
            reply.get(at + 15).toLong(),
            reply.get(at + 16).toLong(),
            stock.isEmpty() ? Optional.empty() : Optional.of(Long.parseLong(stock)),
            reply.get(at + 18).toLong(),
            FindWaiters.scoreOf(reply.get(at + 19))));
  }

  private static ItemGroup groupOf(String id, int limitPerUser) {
    return id.isEmpty() ? null : new ItemGroup(id, limitPerUser);
  }
}
