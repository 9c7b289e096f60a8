package io.seckill.lua;

import io.seckill.common.id.ItemId;
import io.vertx.core.Future;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** {@code scan_receipts.lua}: the users who have a receipt of an item in a shard, page by page. */
public final class ScanReceipts {

  /** The cursor of the first page, and what the last one says. */
  public static final String START = "0";

  /** Receipts that a page looks at: a fifth of a millisecond of the server. */
  public static final int PAGE = 500;

  private static final Script SCRIPT = Script.load("scan_receipts");
  private static final int FIRST = 5;

  private ScanReceipts() {}

  /**
   * A part of the receipts, true under the fence's epoch.
   *
   * @param adds entries of units that the shard has had of the item
   * @param stock units to sell
   * @param receipts how many there are in all
   * @param next cursor of the next page; {@link #START} when this was the last
   * @param users about {@value #PAGE}, more where Redis keeps few receipts packed; in no order, and
   *     one may come again in another page
   */
  public record Page(long adds, long stock, long receipts, String next, List<String> users) {

    /** Copies the list. */
    public Page {
      users = List.copyOf(users);
    }

    /** Whether the scan has come to its end. */
    public boolean isLast() {
      return next.equals(START);
    }
  }

  /**
   * Reads a page. Fails with {@link RedisCallException}.
   *
   * @param cursor {@link #START}, then what the page before said
   * @return empty when the fence refused, and when the shard cannot sell the item: it is not there,
   *     or its keys are not what they must be
   */
  public static Future<Optional<Page>> run(
      RedisLink link, Fence fence, RedisKeys keys, ItemId item, String cursor, long timeoutMs) {
    List<String> scriptKeys =
        List.of(keys.head(), keys.item(item), keys.stock(item), keys.receipts(item));
    return SCRIPT
        .run(link, fence, scriptKeys, List.of(cursor, Integer.toString(PAGE)), timeoutMs)
        .map(ScanReceipts::resultOf);
  }

  private static Optional<Page> resultOf(Response reply) {
    if (!reply.get(0).toString().equals("OK")) {
      return Optional.empty();
    }
    List<String> users = new ArrayList<>(reply.size() - FIRST);
    for (int i = FIRST; i < reply.size(); i++) {
      users.add(reply.get(i).toString());
    }
    return Optional.of(
        new Page(
            reply.get(1).toLong(),
            reply.get(2).toLong(),
            reply.get(3).toLong(),
            reply.get(4).toString(),
            users));
  }
}
