package io.seckill.consumer.ledger;

import static io.seckill.consumer.db.Database.run;

import io.seckill.common.bus.ItemChange;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemRecord;
import io.seckill.common.item.ItemState;
import io.seckill.common.item.Move;
import io.seckill.common.item.Split;
import io.seckill.consumer.db.Sql;
import io.seckill.consumer.ledger.OperatorRequest.Units;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.HashMap;
import java.util.Map;

/**
 * One change of one item, within a transaction that holds the item's row: so two admins at once add
 * up, and a total is compared with what is true when it is set.
 */
final class ItemChanging {

  static final long MAX_UNITS = 1_000_000_000L;

  /** Also the bound of the gateway and the purchase script. */
  static final int MAX_LIMIT = 100;

  /** The generation of an item that is open for the first time; 1 is PREPARED. */
  private static final long FIRST_OPEN_GENERATION = 2;

  private final SqlConnection connection;
  private final int region;
  private final ItemChange change;
  private final ItemRow item;

  /** Units that moves out are still to take, and how many such moves there are. */
  private long leaving;

  private long movesOut;

  ItemChanging(SqlConnection connection, int region, ItemChange change, ItemRow item) {
    this.connection = connection;
    this.region = region;
    this.change = change;
    this.item = item;
  }

  /**
   * Whether the values fit the action, before anything is looked up.
   *
   * @throws SeckillException INVALID_REQUEST with a sentence for the operator
   */
  static void check(ItemChange change) {
    ItemChange.Values values = change.values();
    switch (change.action()) {
      case RESTOCK, WITHDRAW -> checkUnits(values.units(), 1);
      case SET_TOTAL -> checkUnits(values.units(), 0);
      case CAP -> {
        if (values.units() != ItemRecord.NO_CAP) {
          checkUnits(values.units(), 0);
        }
      }
      case SET_LIMIT -> {
        if (values.limitPerUser() < 1 || values.limitPerUser() > MAX_LIMIT) {
          throw invalid("a limit is 1 to " + MAX_LIMIT);
        }
      }
      case SET_WINDOW -> {
        if (values.startsAtMs() < 0 || values.endsAtMs() <= values.startsAtMs()) {
          throw invalid("a window ends after it opens");
        }
      }
      case PREHEAT, PAUSE, RESUME, END -> {
        // They need nothing.
      }
    }
  }

  private static void checkUnits(long units, long least) {
    if (units < least || units > MAX_UNITS) {
      throw invalid("units are " + least + " to " + MAX_UNITS);
    }
  }

  /**
   * What a change says, as the audit log keeps it; where the engine's shards stand is not in it.
   */
  static String contentOf(ItemChange change) {
    ItemChange.Values values = change.values();
    return switch (change.action()) {
      case RESTOCK, WITHDRAW, SET_TOTAL -> values.units() + " units";
      case CAP -> values.units() == ItemRecord.NO_CAP ? "no cap" : values.units() + " units";
      case SET_LIMIT -> "limit " + values.limitPerUser();
      case SET_WINDOW -> "from " + values.startsAtMs() + " to " + values.endsAtMs();
      case PREHEAT, PAUSE, RESUME, END -> "";
    };
  }

  Future<Units> apply() {
    boolean created = item.state() == ItemState.CREATED;
    boolean over = isOver();
    return switch (change.action()) {
      case PREHEAT -> {
        if (over) {
          yield notNow();
        }
        yield created ? preheat() : nothing();
      }
      case RESTOCK, WITHDRAW -> created || over ? notNow() : units();
      case SET_TOTAL, CAP -> {
        if (over) {
          yield notNow();
        }
        yield created ? note() : units();
      }
      case SET_LIMIT, SET_WINDOW -> over ? notNow() : define();
      case PAUSE -> turn(ItemState.OPEN, ItemState.PAUSED);
      case RESUME -> turn(ItemState.PAUSED, ItemState.OPEN);
      case END -> {
        if (created) {
          yield notNow();
        }
        yield over ? nothing() : update(next().state(ItemState.ENDED).newGeneration());
      }
    };
  }

  private boolean isOver() {
    return item.state() == ItemState.ENDED || item.state() == ItemState.ARCHIVED;
  }

  private static Future<Units> nothing() {
    return Future.succeededFuture(Units.NONE);
  }

  private <T> Future<T> notNow() {
    return isOver()
        ? failed(ErrorCode.ENDED, "the sale of the item has ended")
        : failed(ErrorCode.NOT_READY, "the item has not been preheated");
  }

  private Future<Units> turn(ItemState from, ItemState to) {
    if (item.state() == to) {
      return nothing();
    }
    return item.state() == from ? update(next().state(to).newGeneration()) : notNow();
  }

  private Future<Units> preheat() {
    // Redis' clock decides the window; this only tells an operator of a sale that nobody could ever
    // buy in.
    if (item.definition().endsAtMs() <= System.currentTimeMillis()) {
      return failed(ErrorCode.ENDED, "the sale's window is over");
    }
    ItemRow.Counters counters = item.counters();
    long in = counters.isCapped() ? Math.min(counters.stock(), counters.cap()) : counters.stock();
    long reserved = counters.stock() - in;
    long[] parts = Split.evenly(in, change.shardCount(), 0);
    // Also the shards that get none: by its first move a shard knows the item.
    return insertMoves(Move.Kind.PREHEAT, parts, true)
        .compose(
            done ->
                update(
                    next()
                        .state(ItemState.OPEN)
                        .generation(FIRST_OPEN_GENERATION)
                        .moreIn(in)
                        .moreReserve(reserved)))
        .map(new Units(counters.stock(), counters.stock(), reserved));
  }

  /** Before the preheat nothing has been given out: the row alone changes. */
  private Future<Units> note() {
    long units = change.values().units();
    if (change.action() == ItemChange.Action.CAP) {
      return units == item.counters().cap() ? nothing() : update(next().cap(units));
    }
    long moved = Math.abs(units - item.counters().stock());
    return moved == 0 ? nothing() : update(next().stock(units)).map(new Units(moved, moved, 0));
  }

  private Future<Units> define() {
    ItemChange.Values values = change.values();
    boolean window = change.action() == ItemChange.Action.SET_WINDOW;
    if (window && values.endsAtMs() <= System.currentTimeMillis()) {
      return failed(ErrorCode.INVALID_REQUEST, "the end of the window is past; end the sale");
    }
    ItemDefinition defined =
        window
            ? item.definition().withWindow(values.startsAtMs(), values.endsAtMs())
            : item.definition().withLimit(values.limitPerUser());
    if (defined.equals(item.definition())) {
      return nothing();
    }
    Next next = next().definition(defined);
    return update(item.state() == ItemState.CREATED ? next : next.newGeneration());
  }

  /** A change of the units of an item that shards have. */
  private Future<Units> units() {
    return readMovesOut()
        .compose(
            done -> {
              boolean capped =
                  item.counters().isCapped() || change.action() == ItemChange.Action.CAP;
              if (capped && movesOut > 0) {
                // How many units they take decides what the cap leaves room for.
                return failed(
                    ErrorCode.BUSY, "units are on their way out of the shards; ask again");
              }
              long units = change.values().units();
              return switch (change.action()) {
                case RESTOCK -> restock(units);
                case WITHDRAW -> withdraw(units);
                case SET_TOTAL -> setTotal(units);
                case CAP -> cap(units);
                default -> throw new IllegalStateException("no units in " + change.action());
              };
            });
  }

  private Future<Void> readMovesOut() {
    return run(connection, Sql.FIND_PENDING_OUT, Tuple.of(item.id().value()))
        .map(
            rows -> {
              Row row = rows.iterator().next();
              leaving = row.getLong(0);
              movesOut = row.getLong(1);
              return null;
            });
  }

  private long total() {
    return item.counters().granted() - leaving + item.counters().reserve();
  }

  private Future<Units> setTotal(long wanted) {
    long total = total();
    if (wanted == total) {
      return nothing();
    }
    return wanted > total ? restock(wanted - total) : withdraw(total - wanted);
  }

  private Future<Units> restock(long units) {
    ItemRow.Counters counters = item.counters();
    if (total() + units > MAX_UNITS) {
      return failed(ErrorCode.INVALID_REQUEST, "an item has at most " + MAX_UNITS + " units");
    }
    long in =
        counters.isCapped()
            ? Math.min(units, Math.max(0, counters.cap() - counters.granted()))
            : units;
    long reserved = units - in;
    return letIn(Move.Kind.RESTOCK, in)
        .compose(done -> update(next().moreIn(in).moreReserve(reserved).restocked()))
        .map(new Units(units, units, reserved));
  }

  /** What no shard sells goes first: it goes for certain. */
  private Future<Units> withdraw(long units) {
    ItemRow.Counters counters = item.counters();
    long reserved = Math.min(units, counters.reserve());
    // Never more than there could be, or the totals of later changes would be nonsense.
    long out = Math.min(units - reserved, Math.max(0, counters.granted() - leaving));
    return takeOut(Move.Kind.WITHDRAW, out)
        .compose(done -> reserved == 0 ? nothing() : update(next().moreReserve(-reserved)))
        .map(new Units(units, reserved, -reserved));
  }

  private Future<Units> cap(long cap) {
    ItemRow.Counters counters = item.counters();
    boolean lifted = cap == ItemRecord.NO_CAP;
    long room = lifted ? counters.reserve() : cap - counters.granted();
    Next next = next().cap(cap);
    if (room < 0) {
      return takeOut(Move.Kind.HOLD_BACK, -room)
          .compose(done -> cap == counters.cap() ? nothing() : update(next))
          .map(new Units(-room, 0, 0));
    }
    long in = Math.min(room, counters.reserve());
    if (in == 0 && cap == counters.cap()) {
      return nothing();
    }
    return letIn(Move.Kind.GRANT, in)
        .compose(done -> update(next.moreIn(in).moreReserve(-in).restocked()))
        .map(new Units(in, in, -in));
  }

  private Future<Void> letIn(Move.Kind kind, long units) {
    // The shard that gets the first unit of the remainder goes round.
    int firstExtra = (int) (item.counters().restocks() % change.shardCount());
    return insertMoves(kind, Split.evenly(units, change.shardCount(), firstExtra), false);
  }

  private Future<Void> takeOut(Move.Kind kind, long units) {
    boolean told = change.stockHint().size() == change.shardCount();
    long[] parts =
        told
            ? Split.byStock(units, change.stockHint())
            : Split.evenly(units, change.shardCount(), 0);
    return insertMoves(kind, parts, false);
  }

  private Future<Void> insertMoves(Move.Kind kind, long[] parts, boolean empty) {
    return run(connection, Sql.FIND_LAST_MOVES, Tuple.of(item.id().value(), region))
        .compose(
            rows -> {
              Map<Integer, Long> last = new HashMap<>();
              rows.forEach(row -> last.put(row.getInteger(0), row.getLong(1)));
              Future<Void> chain = Future.succeededFuture();
              for (int shard = 0; shard < parts.length; shard++) {
                if (empty || parts[shard] > 0) {
                  long number = last.getOrDefault(shard, 0L) + 1;
                  Move move = new Move(item.id(), shard, number, kind, parts[shard]);
                  chain = chain.compose(done -> insert(move));
                }
              }
              return chain;
            });
  }

  private Future<Void> insert(Move move) {
    return run(
            connection,
            Sql.INSERT_MOVE,
            Tuple.of(move.item().value(), region, move.shard(), move.number())
                .addString(move.kind().name())
                .addLong(move.units())
                .addString(change.requestId()))
        .mapEmpty();
  }

  private Next next() {
    ItemRow.Counters now = item.counters();
    return new Next(
        item.state(), now.generation(), item.definition(), now.stock(), now.cap(), 0, 0, 0);
  }

  /** What an item's row turns to: the first five replace, the others are added. */
  private record Next(
      ItemState state,
      long generation,
      ItemDefinition definition,
      long stock,
      long cap,
      long moreIn,
      long moreReserve,
      int moreRestocks) {

    Next state(ItemState to) {
      return new Next(to, generation, definition, stock, cap, moreIn, moreReserve, moreRestocks);
    }

    Next generation(long to) {
      return new Next(state, to, definition, stock, cap, moreIn, moreReserve, moreRestocks);
    }

    Next newGeneration() {
      return generation(generation + 1);
    }

    Next definition(ItemDefinition to) {
      return new Next(state, generation, to, stock, cap, moreIn, moreReserve, moreRestocks);
    }

    Next stock(long to) {
      return new Next(state, generation, definition, to, cap, moreIn, moreReserve, moreRestocks);
    }

    Next cap(long to) {
      return new Next(state, generation, definition, stock, to, moreIn, moreReserve, moreRestocks);
    }

    Next moreIn(long units) {
      return new Next(state, generation, definition, stock, cap, units, moreReserve, moreRestocks);
    }

    Next moreReserve(long units) {
      return new Next(state, generation, definition, stock, cap, moreIn, units, moreRestocks);
    }

    Next restocked() {
      return new Next(state, generation, definition, stock, cap, moreIn, moreReserve, 1);
    }
  }

  private Future<Units> update(Next next) {
    return run(
            connection,
            Sql.CHANGE_ITEM,
            Tuple.of(next.state().name(), next.generation())
                .addInteger(next.definition().limitPerUser())
                .addLong(next.definition().startsAtMs())
                .addLong(next.definition().endsAtMs())
                .addLong(next.stock())
                .addLong(next.cap())
                .addLong(next.moreIn())
                .addLong(next.moreReserve())
                .addInteger(next.moreRestocks())
                .addLong(item.id().value())
                .addString(item.state().name())
                .addLong(item.counters().generation())
                .addLong(next.moreReserve()))
        .compose(
            updated ->
                updated.rowCount() == 1
                    ? nothing()
                    : failed(ErrorCode.CONFLICT, "the item changed meanwhile"));
  }

  private static SeckillException invalid(String detail) {
    return new SeckillException(ErrorCode.INVALID_REQUEST, detail);
  }

  private static <T> Future<T> failed(ErrorCode code, String detail) {
    return Future.failedFuture(new SeckillException(code, detail));
  }
}
