package io.seckill.lua;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.log.LogEntries;
import io.seckill.common.order.PurchaseLine;
import io.vertx.core.Future;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * {@code decide_purchases.lua}: decides a batch of purchases of one shard, each all or nothing, in
 * order.
 */
public final class DecidePurchases {

  /** Purchases in one call: their wins are one log entry. */
  public static final int MAX_BATCH = LogEntries.MAX_WINS;

  private static final Script SCRIPT = Script.load("decide_purchases");

  private DecidePurchases() {}

  /**
   * A purchase, as the script takes it.
   *
   * @param user who buys
   * @param keyDigest {@code PurchaseDigests.ofKey}
   * @param bodyDigest {@code PurchaseDigests.ofBody}
   * @param lines by item id ascending
   */
  public record Purchase(
      UserId user, String keyDigest, String bodyDigest, List<PurchaseLine> lines) {}

  /**
   * What holds for the whole batch.
   *
   * @param maxLogEntries changes in the log beyond which nothing is sold
   * @param windowWins wins of one user in a window; 0 for no window
   * @param windowMs length of the window
   */
  public record Limits(long maxLogEntries, int windowWins, long windowMs) {}

  /**
   * Purchases that go out in one call.
   *
   * @param limits what holds for all of them
   * @param seenSeq the highest number of the fence's epoch that the caller has seen; 0 for none. A
   *     shard that knows less has lost what it had told: it is frozen and refuses as FENCED
   * @param groups which items have a group
   * @param waitedFor whether anybody waits for an item in any shard, as the caller believes it:
   *     then nobody who comes now wins it. Where somebody waits in this shard, the shard knows
   *     itself
   * @param lead the item that the shard was last heard to name as its lead, or null; with a wrong
   *     one nothing is decided
   * @param purchases 1 to {@value #MAX_BATCH}
   */
  public record Batch(
      Limits limits,
      long seenSeq,
      ItemGroups groups,
      Predicate<ItemId> waitedFor,
      ItemId lead,
      List<Purchase> purchases) {

    /** A batch of a caller that knows no lead and nobody who waits. */
    public Batch(Limits limits, long seenSeq, ItemGroups groups, List<Purchase> purchases) {
      this(limits, seenSeq, groups, item -> false, null, purchases);
    }
  }

  /** What became of the call. */
  public sealed interface Result {}

  /**
   * Nothing was decided: the shard has another lead than the batch names, and its receipts are
   * needed. The same purchases may be sent again with it.
   */
  public record OtherLead(ItemId lead) implements Result {}

  /** Nothing was decided. */
  public record Refused(FenceStatus status) implements Result {}

  /**
   * Everything was decided.
   *
   * @param headSeq the shard's seq after the batch
   * @param lead the item whose wins have their time for the user's window in the receipt; null when
   *     it is not known
   * @param adds entries of units that the shard has had of each item of the batch; without the
   *     items that it does not know
   * @param decisions one for each purchase, in their order
   */
  public record Decided(long headSeq, ItemId lead, Map<ItemId, Long> adds, List<Decision> decisions)
      implements Result {}

  /**
   * What became of one purchase.
   *
   * @param status the decision
   * @param entry the win that the status speaks of, or null
   * @param number see {@link PurchaseStatus}; units left in the shard for WIN and DRY
   */
  public record Decision(PurchaseStatus status, EntryId entry, long number) {}

  /**
   * What became of a call that waited for replicas.
   *
   * @param result as without waiting
   * @param met whether as many replicas as asked for have all that the result tells of; else they
   *     may or may not
   */
  public record Replicated(Result result, boolean met) {}

  /** Runs the batch. Fails with {@link RedisCallException}. */
  public static Future<Result> run(
      RedisLink link, Fence fence, RedisKeys keys, Batch batch, long timeoutMs) {
    Map<ItemId, Integer> items = numbered(batch);
    Script.Call call = callOf(fence, keys, batch, items);
    return SCRIPT
        .run(link, fence, call.keys(), call.args(), timeoutMs)
        .map(reply -> resultOf(reply, fence.epoch(), batch, items.keySet()));
  }

  /**
   * As {@link #run}, and waits until replicas have it. That they have not is no failure of the
   * call: the result is told all the same.
   */
  public static Future<Replicated> runAndWait(
      RedisLink link, Fence fence, RedisKeys keys, Batch batch, ReplicaWait wait, long timeoutMs) {
    Map<ItemId, Integer> items = numbered(batch);
    return SCRIPT
        .runAndWait(link, callOf(fence, keys, batch, items), wait, timeoutMs)
        .map(
            replicated ->
                new Replicated(
                    resultOf(replicated.reply(), fence.epoch(), batch, items.keySet()),
                    replicated.replicas() >= wait.replicas()));
  }

  /** The batch's items in the order in which the script gets them, with their indexes there. */
  private static Map<ItemId, Integer> numbered(Batch batch) {
    Map<ItemId, Integer> items = new LinkedHashMap<>();
    for (Purchase purchase : batch.purchases()) {
      for (PurchaseLine line : purchase.lines()) {
        items.putIfAbsent(line.item(), items.size() + 1);
      }
    }
    return items;
  }

  private static Script.Call callOf(
      Fence fence, RedisKeys keys, Batch batch, Map<ItemId, Integer> items) {
    List<Purchase> purchases = batch.purchases();
    if (purchases.isEmpty() || purchases.size() > MAX_BATCH) {
      throw new IllegalArgumentException("1 to " + MAX_BATCH + " purchases");
    }
    Limits limits = batch.limits();
    Set<String> groups = new LinkedHashSet<>();
    List<String> scriptKeys = new ArrayList<>();
    scriptKeys.add(keys.head());
    scriptKeys.add(keys.log());
    List<String> args = new ArrayList<>(9 + 3 * purchases.size());
    args.add(Long.toString(batch.seenSeq()));
    args.add(Long.toString(limits.maxLogEntries()));
    args.add(Integer.toString(limits.windowWins()));
    args.add(Long.toString(limits.windowMs()));
    args.add(batch.lead() == null ? "" : batch.lead().toString());
    args.add(Integer.toString(items.size()));
    for (ItemId item : items.keySet()) {
      scriptKeys.add(keys.item(item));
      scriptKeys.add(keys.stock(item));
      scriptKeys.add(keys.receipts(item));
      String group = batch.groups().idOf(item);
      args.add(item.toString());
      args.add(group);
      args.add(batch.waitedFor().test(item) ? "1" : "");
      if (!group.isEmpty()) {
        groups.add(group);
      }
    }
    groups.forEach(group -> scriptKeys.add(keys.held(group)));
    for (Purchase purchase : purchases) {
      args.add(purchase.user().value());
      args.add(purchase.keyDigest());
      args.add(linesOf(purchase, items));
    }
    if (limits.windowWins() > 0) {
      scriptKeys.addAll(keys.windows());
      if (batch.lead() != null) {
        scriptKeys.add(keys.receipts(batch.lead()));
      }
    }
    return new Script.Call(fence, scriptKeys, args);
  }

  private static String linesOf(Purchase purchase, Map<ItemId, Integer> items) {
    StringBuilder text = new StringBuilder(8 * purchase.lines().size());
    for (PurchaseLine line : purchase.lines()) {
      if (text.length() > 0) {
        text.append(',');
      }
      text.append(items.get(line.item())).append(':').append(line.quantity().value());
    }
    if (!purchase.bodyDigest().isEmpty()) {
      text.append('|').append(purchase.bodyDigest());
    }
    return text.toString();
  }

  private static Result resultOf(
      Response reply, long epoch, Batch batch, Collection<ItemId> items) {
    String status = reply.get(0).toString();
    if (status.equals("LEAD")) {
      return new OtherLead(ItemId.parse(reply.get(1).toString()));
    }
    if (!status.equals("OK")) {
      return new Refused(FenceStatus.valueOf(status));
    }
    int purchases = batch.purchases().size();
    List<Decision> decisions = new ArrayList<>(purchases);
    long seq = reply.get(1).toLong();
    String lead = reply.get(2).toString();
    int at = 3;
    Map<ItemId, Long> adds = new HashMap<>();
    for (ItemId item : items) {
      String count = reply.get(at++).toString();
      if (!count.isEmpty()) {
        adds.put(item, Long.parseLong(count));
      }
    }
    for (int i = 0; i < purchases; i++) {
      PurchaseStatus its = PurchaseStatus.valueOf(reply.get(at++).toString());
      EntryId entry =
          switch (its) {
            case WIN -> new EntryId(epoch, ++seq);
            case REPLAY, LIMIT -> entryOf(reply.get(at++).toString());
            default -> null;
          };
      long number = its.hasNumber() ? reply.get(at++).toLong() : 0;
      decisions.add(new Decision(its, entry, number));
    }
    if (at != reply.size()) {
      throw new IllegalStateException("decide_purchases answered " + reply.size() + " values");
    }
    return new Decided(seq, lead.isEmpty() ? null : ItemId.parse(lead), adds, decisions);
  }

  private static EntryId entryOf(String text) {
    return text.isEmpty() ? null : EntryId.parse(text);
  }
}
