package io.seckill.consumer.letters;

import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.id.WinId;
import io.seckill.consumer.RegionLog;
import io.seckill.consumer.audit.Receipt;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Sql;
import io.seckill.consumer.store.DeadWins;
import io.seckill.lua.ReadHead;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Finds out what a win took when nobody can read its entry any more: the receipts of its shard name
 * it by its place. Reads all of them at worst, page by page; for an operator who settles a letter
 * now and then. Belongs to one event loop.
 */
final class ReceiptSearch {

  private static final int PAGE = 1_000;

  /** Below what the operator's request waits. A million receipts take about two seconds. */
  private static final long MAX_MS = 12_000;

  private final Database database;
  private final RegionLog log;

  ReceiptSearch(Database database, RegionLog log) {
    this.database = database;
    this.log = log;
  }

  /**
   * Searches.
   *
   * @return what the win took, as the payload of a letter; empty when no receipt has it as held.
   *     Fails with BUSY while the shard is not open, with UNAVAILABLE when it cannot be asked from
   *     here
   */
  Future<Optional<String>> find(WinId win) {
    int shard = win.shard().shard();
    if (win.shard().region() != log.region() || shard >= log.shardCount()) {
      return refuse(ErrorCode.UNAVAILABLE, "the receipts of the win are in another region");
    }
    long untilMs = nowMs() + MAX_MS;
    return ReadHead.run(log.link(shard), log.keys(shard), log.callTimeoutMs())
        .compose(
            head ->
                head.filter(it -> it.state() == ReadHead.HeadState.OPEN).isPresent()
                    ? database.query(Sql.FIND_ITEMS, Tuple.tuple())
                    : refuse(ErrorCode.BUSY, "the shard is being opened; ask again in a moment"))
        .compose(
            rows -> {
              List<ItemId> items = new ArrayList<>(rows.size());
              for (Row row : rows) {
                items.add(new ItemId(row.getLong(0)));
              }
              return owner(win, items, 0, untilMs)
                  .compose(
                      user ->
                          user.isEmpty()
                              ? Future.succeededFuture(Optional.<String>empty())
                              : payload(win, user.get(), items));
            });
  }

  /** Item by item, until a receipt names the win. */
  private Future<Optional<UserId>> owner(WinId win, List<ItemId> items, int at, long untilMs) {
    if (at == items.size()) {
      return Future.succeededFuture(Optional.empty());
    }
    return owner(win, items.get(at), "0", untilMs)
        .compose(
            user ->
                user.isPresent()
                    ? Future.succeededFuture(user)
                    : owner(win, items, at + 1, untilMs));
  }

  private Future<Optional<UserId>> owner(WinId win, ItemId item, String cursor, long untilMs) {
    if (nowMs() > untilMs) {
      return refuse(ErrorCode.UNAVAILABLE, "there are too many receipts to search now");
    }
    int shard = win.shard().shard();
    Request scan =
        Request.cmd(Command.HSCAN)
            .arg(log.keys(shard).receipts(item))
            .arg(cursor)
            .arg("COUNT")
            .arg(PAGE);
    return log.link(shard)
        .send(scan, log.callTimeoutMs())
        .compose(
            reply -> {
              Optional<UserId> found = owner(win, reply.get(1));
              String next = reply.get(0).toString();
              return found.isPresent() || next.equals("0")
                  ? Future.succeededFuture(found)
                  : owner(win, item, next, untilMs);
            });
  }

  private static Optional<UserId> owner(WinId win, Response pairs) {
    for (int i = 0; i + 1 < pairs.size(); i += 2) {
      String user = pairs.get(i).toString();
      Receipt receipt = Receipt.parse(pairs.get(i + 1).toString());
      if (receipt.held().containsKey(win.entry()) && UserId.isValid(user)) {
        return Optional.of(new UserId(user));
      }
    }
    return Optional.empty();
  }

  /** A basket has a record in the receipt of each of its items. */
  private Future<Optional<String>> payload(WinId win, UserId user, List<ItemId> items) {
    TreeMap<ItemId, Integer> units = new TreeMap<>();
    int shard = win.shard().shard();
    Future<Void> chain = Future.succeededFuture();
    for (ItemId item : items) {
      Request get = Request.cmd(Command.HGET).arg(log.keys(shard).receipts(item)).arg(user.value());
      chain =
          chain
              .compose(done -> log.link(shard).send(get, log.callTimeoutMs()))
              .map(
                  text -> {
                    Receipt receipt = Receipt.parse(text == null ? null : text.toString());
                    Long held = receipt.held().get(win.entry());
                    if (held != null) {
                      units.put(item, held.intValue());
                    }
                    return null;
                  });
    }
    return chain.map(
        done ->
            units.isEmpty()
                ? Optional.empty()
                // When it was won the receipt may not say.
                : Optional.of(DeadWins.payloadOf(user, 0, units)));
  }

  private static <T> Future<T> refuse(ErrorCode code, String detail) {
    return Future.failedFuture(new SeckillException(code, detail));
  }

  private static long nowMs() {
    return System.nanoTime() / 1_000_000;
  }
}
