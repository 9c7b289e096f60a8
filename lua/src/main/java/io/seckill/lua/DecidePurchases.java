package io.seckill.lua;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.order.PurchaseLine;
import io.vertx.core.Future;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code decide_purchases.lua}: decides a batch of purchases of one shard, each all or nothing, in
 * order.
 */
public final class DecidePurchases {

  /** Purchases in one call: what Lua can spread over one command with room to spare. */
  public static final int MAX_BATCH = 1_000;

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
   * @param maxLogEntries entries beyond which nothing is sold
   * @param windowWins wins of one user in a window; 0 for no window
   * @param windowMs length of the window
   */
  public record Limits(long maxLogEntries, int windowWins, long windowMs) {}

  /** What became of the call. */
  public sealed interface Result {}

  /** Nothing was decided. */
  public record Refused(FenceStatus status) implements Result {}

  /** One decision for each purchase, in their order. */
  public record Decided(List<Decision> decisions) implements Result {}

  /**
   * What became of one purchase.
   *
   * @param status the decision
   * @param entry the win that the status speaks of, or null
   * @param number see {@link PurchaseStatus}; units left in the shard for WIN and DRY
   */
  public record Decision(PurchaseStatus status, EntryId entry, long number) {}

  /**
   * Runs the batch. Fails with {@link RedisCallException}.
   *
   * @param batch 1 to {@value #MAX_BATCH} purchases
   */
  public static Future<Result> run(
      RedisLink link,
      Fence fence,
      RedisKeys keys,
      Limits limits,
      List<Purchase> batch,
      long timeoutMs) {
    if (batch.isEmpty() || batch.size() > MAX_BATCH) {
      throw new IllegalArgumentException("1 to " + MAX_BATCH + " purchases");
    }
    Map<ItemId, Integer> items = new HashMap<>();
    List<String> scriptKeys = new ArrayList<>(2 + 3 + batch.size());
    scriptKeys.add(keys.head());
    scriptKeys.add(keys.log());
    List<String> args = new ArrayList<>(8 + 4 * batch.size());
    args.add(Long.toString(limits.maxLogEntries()));
    args.add(Integer.toString(limits.windowWins()));
    args.add(Long.toString(limits.windowMs()));
    int countAt = args.size();
    args.add("");
    for (Purchase purchase : batch) {
      for (PurchaseLine line : purchase.lines()) {
        if (items.putIfAbsent(line.item(), items.size() + 1) == null) {
          scriptKeys.add(keys.item(line.item()));
          scriptKeys.add(keys.stock(line.item()));
          scriptKeys.add(keys.receipts(line.item()));
          args.add(line.item().toString());
        }
      }
    }
    args.set(countAt, Integer.toString(items.size()));
    for (Purchase purchase : batch) {
      args.add(purchase.user().value());
      args.add(purchase.keyDigest());
      args.add(purchase.bodyDigest());
      args.add(linesOf(purchase, items));
      if (limits.windowWins() > 0) {
        scriptKeys.add(keys.window(purchase.user()));
      }
    }
    return SCRIPT
        .run(link, fence, scriptKeys, args, timeoutMs)
        .map(reply -> resultOf(reply, batch.size()));
  }

  private static String linesOf(Purchase purchase, Map<ItemId, Integer> items) {
    StringBuilder text = new StringBuilder(8 * purchase.lines().size());
    for (PurchaseLine line : purchase.lines()) {
      if (text.length() > 0) {
        text.append(',');
      }
      text.append(items.get(line.item())).append(':').append(line.quantity().value());
    }
    return text.toString();
  }

  private static Result resultOf(Response reply, int purchases) {
    String status = reply.get(0).toString();
    if (!status.equals("OK")) {
      return new Refused(FenceStatus.valueOf(status));
    }
    if (reply.size() != 1 + 3 * purchases) {
      throw new IllegalStateException("decide_purchases answered " + reply.size() + " values");
    }
    List<Decision> decisions = new ArrayList<>(purchases);
    for (int i = 1; i < reply.size(); i += 3) {
      String entry = reply.get(i + 1).toString();
      decisions.add(
          new Decision(
              PurchaseStatus.valueOf(reply.get(i).toString()),
              entry.isEmpty() ? null : EntryId.parse(entry),
              reply.get(i + 2).toLong()));
    }
    return new Decided(decisions);
  }
}
