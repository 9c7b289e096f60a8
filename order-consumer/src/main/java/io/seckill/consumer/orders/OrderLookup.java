package io.seckill.consumer.orders;

import static io.seckill.consumer.Refusals.refuse;

import io.seckill.common.bus.OrderQuery;
import io.seckill.common.bus.OrderViews;
import io.seckill.common.bus.OrdersQuery;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.OrderId;
import io.seckill.common.id.OrderIds;
import io.seckill.common.id.ShardRef;
import io.seckill.common.id.UserId;
import io.seckill.common.id.WinId;
import io.seckill.common.log.LogEntry;
import io.seckill.common.order.LetterState;
import io.seckill.common.order.OrderStatus;
import io.seckill.common.order.OrderView;
import io.seckill.consumer.RegionLog;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Sql;
import io.seckill.consumer.db.Tuples;
import io.seckill.consumer.store.DeadWins;
import io.seckill.consumer.store.Received;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Says what became of a win: MySQL, then the log by the entry's place, then MySQL once more,
 * because it may have been stored and trimmed between the two. Never says that an order is not
 * there while it may only be late. Belongs to one event loop.
 */
public final class OrderLookup {

  private static final int MAX_PAGE = 100;

  private final Database database;
  private final RegionLog log;
  private final int region;
  private final OrderIds orderIds;

  /**
   * Makes the look-up.
   *
   * @param log the logs of this process's region; another region's are not asked
   * @param orderIds used by this event loop only
   */
  public OrderLookup(Database database, RegionLog log, int region, OrderIds orderIds) {
    this.database = database;
    this.log = log;
    this.region = region;
    this.orderIds = orderIds;
  }

  /** What MySQL or the log says; a place to look that is away is not an answer. */
  private sealed interface Finding {
    record Found(OrderView view, String user) implements Finding {}

    record Nothing() implements Finding {}

    record Away() implements Finding {}
  }

  /**
   * One order of the caller, or any order for an operator; another's, or an id that is not ours, is
   * NOT_FOUND.
   */
  public Future<OrderViews> one(OrderQuery query) {
    Optional<WinId> win = orderIds.open(query.orderId());
    if (win.isEmpty()) {
      return refuse(ErrorCode.NOT_FOUND);
    }
    return inMySql(win.get(), query.orderId())
        .compose(
            first ->
                first instanceof Finding.Found
                    ? Future.succeededFuture(first)
                    : inLog(win.get(), query.orderId()))
        .compose(
            second ->
                second instanceof Finding.Found
                    ? Future.succeededFuture(second)
                    : inMySql(win.get(), query.orderId()))
        .compose(
            last ->
                last instanceof Finding.Found || last instanceof Finding.Away
                    ? Future.succeededFuture(last)
                    : inNeither(win.get(), query.orderId()))
        .compose(finding -> answer(finding, query.user()));
  }

  private static Future<OrderViews> answer(Finding finding, UserId user) {
    if (finding instanceof Finding.Found found) {
      boolean own = user == null || found.user() == null || found.user().equals(user.value());
      return own
          ? Future.succeededFuture(new OrderViews(List.of(found.view()), false))
          : refuse(ErrorCode.NOT_FOUND);
    }
    return refuse(ErrorCode.UNAVAILABLE);
  }

  private Future<Finding> inMySql(WinId win, OrderId id) {
    return database
        .query(Sql.FIND_ORDER, Tuples.of(win))
        .compose(
            rows -> {
              if (rows.size() == 0) {
                return Future.<Finding>succeededFuture(new Finding.Nothing());
              }
              Row row = rows.iterator().next();
              return lines(List.of(win))
                  .map(
                      lines ->
                          (Finding)
                              new Finding.Found(
                                  new OrderView(
                                      id,
                                      OrderStatus.valueOf(row.getString(1)),
                                      row.getString(2),
                                      lines.getOrDefault(win, List.of()),
                                      row.getLong(3),
                                      row.getString(4),
                                      row.getLong(5),
                                      row.getLong(6),
                                      row.getInteger(7) == 1),
                                  row.getString(0)));
            })
        .otherwise(new Finding.Away());
  }

  private Future<Finding> inLog(WinId win, OrderId id) {
    int shard = win.shard().shard();
    boolean ours = win.shard().region() == region && shard < log.shardCount();
    if (!ours) {
      return Future.succeededFuture(new Finding.Nothing());
    }
    return log.reader(shard)
        .find(log.link(shard), win.entry(), log.callTimeoutMs())
        .map(change -> change.map(found -> ofEntry(found, id)).orElseGet(Finding.Nothing::new))
        .otherwise(new Finding.Away());
  }

  private static Finding ofEntry(Received received, OrderId id) {
    LogEntry entry = received.entry();
    return Optional.ofNullable(entry)
        .flatMap(LogEntry::taken)
        .<Finding>map(win -> new Finding.Found(accepted(entry, win, id), win.user().value()))
        .orElseGet(Finding.Nothing::new);
  }

  private static OrderView accepted(LogEntry entry, LogEntry.Win win, OrderId id) {
    List<OrderView.Line> lines = new ArrayList<>(win.lines().size());
    long total = 0;
    for (LogEntry.WinLine line : win.lines()) {
      lines.add(new OrderView.Line(line.item(), line.quantity(), line.priceMinor()));
      total += line.priceMinor() * line.quantity();
    }
    return new OrderView(
        id,
        OrderStatus.ACCEPTED,
        "",
        lines,
        total,
        win.lines().get(0).currency(),
        win.atMs(),
        0,
        entry instanceof LogEntry.Promotion);
  }

  /** Not in MySQL and not in the log: a dead letter, lost with its epoch, or only late. */
  private Future<Finding> inNeither(WinId win, OrderId id) {
    return database
        .query(Sql.FIND_LETTER, Tuples.of(win))
        .compose(
            letters ->
                letters.size() > 0
                    ? Future.succeededFuture(ofLetter(letters.iterator().next(), id))
                    : ofEpoch(win, id))
        .otherwise(new Finding.Away());
  }

  private static Finding ofLetter(Row row, OrderId id) {
    LogEntry entry = DeadWins.entryOf(row).orElse(null);
    LogEntry.Win win = entry == null ? null : entry.taken().orElse(null);
    String user = win == null ? null : win.user().value();
    OrderView open = win == null ? bare(id, OrderStatus.ACCEPTED, "") : accepted(entry, win, id);
    LetterState state = LetterState.valueOf(row.getString(2));
    // A stored one became an order after its table was read.
    if (state == LetterState.OPEN || state == LetterState.STORED) {
      return new Finding.Found(open, user);
    }
    return new Finding.Found(
        new OrderView(
            id,
            OrderStatus.FAILED,
            state == LetterState.LOST ? "LOST" : row.getString(4),
            open.lines(),
            open.totalMinor(),
            open.currency(),
            open.wonAtMs(),
            0,
            open.promoted()),
        user);
  }

  private Future<Finding> ofEpoch(WinId win, OrderId id) {
    long epoch = win.entry().epoch();
    return database
        .query(Sql.FIND_LAST_SEQ, Tuple.of(epoch, epoch, win.shard().region(), win.shard().shard()))
        .map(
            rows -> {
              Long last = rows.size() == 0 ? null : rows.iterator().next().getLong(0);
              boolean lost = last != null && win.entry().seq() > last;
              OrderView view =
                  lost ? bare(id, OrderStatus.FAILED, "LOST") : bare(id, OrderStatus.ACCEPTED, "");
              return new Finding.Found(view, null);
            });
  }

  private static OrderView bare(OrderId id, OrderStatus status, String reason) {
    return new OrderView(id, status, reason, List.of(), 0, "", 0, 0, false);
  }

  /** A page of a user's stored orders. */
  public Future<OrderViews> page(OrdersQuery query) {
    if (query.limit() < 1 || query.limit() > MAX_PAGE) {
      return invalid("a page has 1 to " + MAX_PAGE + " orders");
    }
    if (query.after() == null) {
      return pageAfter(query, null, Long.MAX_VALUE);
    }
    Optional<WinId> after = orderIds.open(query.after());
    if (after.isEmpty()) {
      return invalid("the order that ended the page before is not known");
    }
    return database
        .query(Sql.FIND_ORDER, Tuples.of(after.get()))
        .compose(
            rows -> {
              boolean own =
                  rows.size() > 0
                      && rows.iterator().next().getString(0).equals(query.user().value());
              return own
                  ? pageAfter(query, after.get(), rows.iterator().next().getLong(5))
                  : invalid("the order that ended the page before is not known");
            });
  }

  private static <T> Future<T> invalid(String detail) {
    return Future.failedFuture(new SeckillException(ErrorCode.INVALID_REQUEST, detail));
  }

  private Future<OrderViews> pageAfter(OrdersQuery query, WinId after, long wonAtMs) {
    Tuple arguments =
        Tuple.of(query.user().value(), wonAtMs, wonAtMs)
            .addInteger(after == null ? 0 : after.shard().region())
            .addInteger(after == null ? 0 : after.shard().shard())
            .addLong(after == null ? 0 : after.entry().epoch())
            .addLong(after == null ? 0 : after.entry().seq())
            .addInteger(query.limit() + 1);
    return database
        .query(Sql.FIND_USER_ORDERS, arguments)
        .compose(
            rows -> {
              List<Row> page = new ArrayList<>(rows.size());
              rows.forEach(page::add);
              boolean more = page.size() > query.limit();
              List<Row> shown = more ? page.subList(0, query.limit()) : page;
              List<WinId> wins = shown.stream().map(OrderLookup::winOf).toList();
              return lines(wins)
                  .map(
                      lines -> {
                        List<OrderView> views = new ArrayList<>(shown.size());
                        for (int i = 0; i < shown.size(); i++) {
                          views.add(viewOf(shown.get(i), wins.get(i), lines));
                        }
                        return new OrderViews(views, more);
                      });
            });
  }

  private static WinId winOf(Row row) {
    return WinId.of(row.getInteger(0), row.getInteger(1), row.getLong(2), row.getLong(3));
  }

  private OrderView viewOf(Row row, WinId win, Map<WinId, List<OrderView.Line>> lines) {
    return new OrderView(
        orderIds.seal(win),
        OrderStatus.valueOf(row.getString(4)),
        row.getString(5),
        lines.getOrDefault(win, List.of()),
        row.getLong(6),
        row.getString(7),
        row.getLong(8),
        row.getLong(9),
        row.getInteger(10) == 1);
  }

  private Future<Map<WinId, List<OrderView.Line>>> lines(List<WinId> wins) {
    if (wins.isEmpty()) {
      return Future.succeededFuture(Map.of());
    }
    JsonArray keys = new JsonArray();
    for (WinId win : wins) {
      keys.add(
          new JsonArray()
              .add(win.shard().region())
              .add(win.shard().shard())
              .add(win.entry().epoch())
              .add(win.entry().seq()));
    }
    return database
        .query(Sql.FIND_ORDER_LINES, Tuple.of(keys.encode()))
        .map(
            rows -> {
              Map<WinId, List<OrderView.Line>> lines = new HashMap<>();
              for (Row row : rows) {
                WinId win =
                    new WinId(
                        new ShardRef(row.getInteger(0), row.getInteger(1)),
                        new EntryId(row.getLong(2), row.getLong(3)));
                lines
                    .computeIfAbsent(win, id -> new ArrayList<>(1))
                    .add(
                        new OrderView.Line(
                            new ItemId(row.getLong(4)), row.getInteger(5), row.getLong(6)));
              }
              return lines;
            });
  }
}
