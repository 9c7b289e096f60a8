package io.seckill.consumer.letters;

import static io.seckill.consumer.Refusals.refuse;

import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.id.WinId;
import io.seckill.consumer.RegionLog;
import io.seckill.consumer.Repeat;
import io.seckill.consumer.audit.Receipt;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Sql;
import io.seckill.consumer.store.DeadWins;
import io.seckill.consumer.store.LetterLedger.Searched;
import io.seckill.lua.ReadHead;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Finds out what a win took when nobody can read its entry any more: the receipts of its shard name
 * it by its place. Reads all of them at worst, page by page; for an operator who settles a letter
 * now and then. Belongs to one event loop.
 */
final class ReceiptSearch {

  private static final int PAGE = 1_000;

  /** Below what the operator's request waits. A million receipts take about two seconds. */
  private static final long MAX_MS = 12_000;

  private final Vertx vertx;
  private final Database database;
  private final RegionLog log;

  ReceiptSearch(Vertx vertx, Database database, RegionLog log) {
    this.vertx = vertx;
    this.database = database;
    this.log = log;
  }

  /**
   * Searches.
   *
   * @return what the win took, as the payload of a letter; without one when all receipts were read
   *     and none has it as held. Fails with BUSY while the shard is not open, with CONFLICT when a
   *     receipt that may name it cannot be read, with UNAVAILABLE when the receipts cannot be asked
   *     from here, or not in time
   */
  Future<Searched> find(WinId win) {
    int shard = win.shard().shard();
    if (win.shard().region() != log.region() || shard >= log.shardCount()) {
      return refuse(ErrorCode.UNAVAILABLE, "the receipts of the win are in another region");
    }
    return ReadHead.run(log.link(shard), log.keys(shard), log.callTimeoutMs())
        .compose(
            head ->
                head.filter(it -> it.state() == ReadHead.HeadState.OPEN)
                    .map(it -> new Search(win).run().map(found -> new Searched(it.epoch(), found)))
                    .orElseGet(
                        () ->
                            refuse(
                                ErrorCode.BUSY,
                                "the shard is being opened; ask again in a moment")));
  }

  private static long nowMs() {
    return System.nanoTime() / 1_000_000;
  }

  /** One search. */
  private final class Search {

    private final WinId win;
    private final int shard;
    private final long untilMs = nowMs() + MAX_MS;
    private final List<ItemId> items = new ArrayList<>();
    private final TreeMap<ItemId, Integer> units = new TreeMap<>();
    private UserId owner;
    private long wonAtMs;

    /** An item with a receipt that nobody can read. */
    private ItemId spoilt;

    Search(WinId win) {
      this.win = win;
      this.shard = win.shard().shard();
    }

    Future<Optional<String>> run() {
      return readItems()
          .compose(done -> findOwner())
          .compose(done -> owner == null ? Future.succeededFuture() : readUnits())
          .compose(
              done -> {
                if (spoilt != null) {
                  return refuse(
                      ErrorCode.CONFLICT,
                      "a receipt of item " + spoilt + " cannot be read, and it may be the one");
                }
                return Future.succeededFuture(
                    units.isEmpty()
                        ? Optional.empty()
                        : Optional.of(DeadWins.payloadOf(owner, wonAtMs, units)));
              });
    }

    private Future<Void> readItems() {
      long[] after = {0};
      return Repeat.untilDone(
          vertx,
          () ->
              inTime(() -> database.query(Sql.FIND_UNARCHIVED_ITEMS, Tuple.of(after[0], PAGE)))
                  .map(
                      rows -> {
                        for (Row row : rows) {
                          after[0] = row.getLong(0);
                          items.add(new ItemId(after[0]));
                        }
                        return rows.size() < PAGE;
                      }));
    }

    /** Item by item, until a receipt names the win. */
    private Future<Void> findOwner() {
      int[] at = {0};
      String[] cursor = {"0"};
      return Repeat.untilDone(
          vertx,
          () -> {
            if (at[0] == items.size()) {
              return Future.succeededFuture(true);
            }
            ItemId item = items.get(at[0]);
            Request scan =
                Request.cmd(Command.HSCAN)
                    .arg(log.keys(shard).receipts(item))
                    .arg(cursor[0])
                    .arg("COUNT")
                    .arg(PAGE);
            return inTime(() -> log.link(shard).send(scan, log.callTimeoutMs()))
                .map(
                    reply -> {
                      look(item, reply.get(1));
                      cursor[0] = reply.get(0).toString();
                      if (cursor[0].equals("0")) {
                        at[0]++;
                      }
                      return owner != null;
                    });
          });
    }

    private void look(ItemId item, Response pairs) {
      for (int i = 0; i + 1 < pairs.size(); i += 2) {
        String user = pairs.get(i).toString();
        Receipt receipt = Receipt.parse(pairs.get(i + 1).toString());
        boolean names = receipt.held().containsKey(win.entry());
        if (names && UserId.isValid(user)) {
          owner = new UserId(user);
          // Only his own receipts say what he got.
          spoilt = null;
          return;
        }
        if (names || receipt.isSpoilt()) {
          spoilt = item;
        }
      }
    }

    /** A basket has a record in the receipt of each of its items. */
    private Future<Void> readUnits() {
      int[] at = {0};
      return Repeat.untilDone(
          vertx,
          () -> {
            if (at[0] == items.size()) {
              return Future.succeededFuture(true);
            }
            ItemId item = items.get(at[0]++);
            Request get =
                Request.cmd(Command.HGET).arg(log.keys(shard).receipts(item)).arg(owner.value());
            return inTime(() -> log.link(shard).send(get, log.callTimeoutMs()))
                .map(
                    text -> {
                      Receipt receipt = Receipt.parse(text == null ? null : text.toString());
                      Long held = receipt.held().get(win.entry());
                      if (held != null) {
                        units.put(item, held.intValue());
                        wonAtMs = Receipt.wonAtMs(text.toString(), win.entry());
                      }
                      if (receipt.isSpoilt()) {
                        spoilt = item;
                      }
                      return false;
                    });
          });
    }

    private <T> Future<T> inTime(Supplier<Future<T>> step) {
      return nowMs() > untilMs
          ? refuse(ErrorCode.UNAVAILABLE, "there are too many receipts to search now")
          : step.get();
    }
  }
}
