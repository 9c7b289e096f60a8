package io.seckill.consumer.audit;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.ShardRef;
import io.seckill.common.id.UserId;
import io.seckill.common.id.WinId;
import io.seckill.common.log.LogEntry;
import io.seckill.common.order.LetterState;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Sql;
import io.seckill.consumer.db.Tuples;
import io.seckill.consumer.ledger.LogPages;
import io.seckill.consumer.store.DeadWins;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** What an audit asks MySQL. Immutable, fit for all event loops. */
final class AuditQueries {

  private static final int USERS_AT_ONCE = 500;

  private final Database database;
  private final LogPages pages;
  private final int rowsAtOnce;

  AuditQueries(Database database) {
    this(database, LogPages.ROWS_AT_ONCE);
  }

  /** With other pages, for tests. */
  AuditQueries(Database database, int rowsAtOnce) {
    this.database = database;
    this.pages = new LogPages(database, rowsAtOnce);
    this.rowsAtOnce = rowsAtOnce;
  }

  /**
   * An epoch, how many numbers it gave out, and how many of them are stored.
   *
   * @param epoch which
   * @param given the last number
   * @param stored how many of 1 … given are stored
   */
  record EpochCount(long epoch, long given, long stored) {}

  /**
   * Sums of one item in a shard.
   *
   * @param in units that moves brought in
   * @param out units that left the shard
   * @param won units of stored wins
   * @param wins stored wins
   * @param toStock units released to stock
   * @param offGrant units released off the grant
   * @param sent units sent to other shards
   * @param received units received from other shards
   */
  record Sums(
      long in,
      long out,
      long won,
      long wins,
      long toStock,
      long offGrant,
      long sent,
      long received) {

    static final Sums NONE = new Sums(0, 0, 0, 0, 0, 0, 0, 0);

    static Sums ofMoves(long in, long out, long received) {
      return new Sums(in, out, 0, 0, 0, 0, 0, received);
    }

    static Sums ofWins(long won, long wins) {
      return new Sums(0, 0, won, wins, 0, 0, 0, 0);
    }

    static Sums ofReleases(long toStock, long offGrant) {
      return new Sums(0, 0, 0, 0, toStock, offGrant, 0, 0);
    }

    static Sums ofSent(long sent) {
      return new Sums(0, 0, 0, 0, 0, 0, sent, 0);
    }

    Sums plus(Sums other) {
      return new Sums(
          in + other.in,
          out + other.out,
          won + other.won,
          wins + other.wins,
          toStock + other.toStock,
          offGrant + other.offGrant,
          sent + other.sent,
          received + other.received);
    }
  }

  /** Whether an entry is stored in any form. */
  Future<Boolean> isStored(ShardRef shard, EntryId entry) {
    return storedIn(shard, entry.epoch(), entry.seq(), entry.seq()).map(set -> !set.isEmpty());
  }

  /** The stored numbers of a range. */
  Future<Set<Long>> storedIn(ShardRef shard, long epoch, long from, long to) {
    Tuple range = Tuple.of(shard.region(), shard.shard(), epoch, from, to);
    return database
        .query(Sql.FIND_STORED, Tuples.repeat(range, 3))
        .map(
            rows -> {
              Set<Long> stored = new HashSet<>();
              rows.forEach(row -> stored.add(row.getLong(0)));
              return stored;
            });
  }

  /** Every epoch up to a place. */
  Future<List<EpochCount>> epochs(ShardRef shard, EntryId upTo) {
    return database
        .query(Sql.AUDIT_CLOSED_EPOCHS, Tuple.of(shard.region(), shard.shard(), upTo.epoch()))
        .compose(
            rows -> {
              List<EpochCount> epochs = new ArrayList<>();
              for (Row row : rows) {
                epochs.add(new EpochCount(row.getLong(0), row.getLong(1), row.getLong(2)));
              }
              Tuple open = Tuple.of(shard.region(), shard.shard(), upTo.epoch(), upTo.seq());
              return database
                  .query(Sql.COUNT_STORED_UP_TO, Tuples.repeat(open, 3))
                  .map(
                      count -> {
                        long stored = count.iterator().next().getLong(0);
                        epochs.add(new EpochCount(upTo.epoch(), upTo.seq(), stored));
                        return epochs;
                      });
            });
  }

  /** The first number of an epoch that is not stored. */
  Future<Long> firstGap(ShardRef shard, EpochCount epoch) {
    Tuple range = Tuple.of(shard.region(), shard.shard(), epoch.epoch(), epoch.given());
    return database
        .query(Sql.AUDIT_FIRST_GAP, Tuples.repeat(range, 3))
        .map(rows -> rows.size() == 0 ? epoch.stored() + 1 : rows.iterator().next().getLong(0));
  }

  /**
   * The sums of every item in a shard up to a place.
   *
   * @param sentInLog entries of units sent that the caller counts, because they are not stored in
   *     their turn yet: their transfers may be
   */
  Future<Map<ItemId, Sums>> sums(ShardRef shard, EntryId upTo, Collection<EntryId> sentInLog) {
    Map<ItemId, Sums> sums = new HashMap<>();
    return pages
        .orders(
            Sql.SUM_WINS,
            shard,
            upTo,
            row -> add(sums, row, Sums.ofWins(row.getLong(1), row.getLong(2))))
        .compose(
            done ->
                pages.log(
                    Sql.SUM_MOVES,
                    shard,
                    upTo,
                    row ->
                        add(
                            sums,
                            row,
                            Sums.ofMoves(row.getLong(3), row.getLong(4), row.getLong(5)))))
        .compose(
            done -> {
              JsonArray unstored = new JsonArray();
              sentInLog.forEach(
                  place -> unstored.add(new JsonArray().add(place.epoch()).add(place.seq())));
              Tuple sent =
                  Tuple.of(shard.region(), shard.shard(), upTo.epoch(), upTo.epoch(), upTo.seq())
                      .addString(unstored.encode());
              return database.query(
                  Sql.AUDIT_SENT, sent.addInteger(shard.region()).addInteger(shard.shard()));
            })
        .compose(
            rows -> {
              rows.forEach(row -> add(sums, row, Sums.ofSent(row.getLong(1))));
              return pages.log(
                  Sql.SUM_RELEASES,
                  shard,
                  upTo,
                  row -> add(sums, row, Sums.ofReleases(row.getLong(2), row.getLong(3))));
            })
        .map(sums);
  }

  private static void add(Map<ItemId, Sums> sums, Row row, Sums more) {
    sums.merge(new ItemId(row.getLong(0)), more, Sums::plus);
  }

  /**
   * A move by which units of another shard are to come, not stored as arrived.
   *
   * @param item what
   * @param number the move's number
   * @param units how many
   * @param ageMs how long ago it was written
   */
  record Arrival(ItemId item, long number, long units, long ageMs) {}

  /** The arrivals that a shard waits for. */
  Future<List<Arrival>> arrivals(ShardRef shard) {
    return database
        .query(Sql.AUDIT_PENDING_TRANSFERS, Tuple.of(shard.region(), shard.shard()))
        .map(
            rows -> {
              List<Arrival> arrivals = new ArrayList<>(rows.size());
              for (Row row : rows) {
                arrivals.add(
                    new Arrival(
                        new ItemId(row.getLong(0)),
                        row.getLong(1),
                        row.getLong(2),
                        row.getLong(3)));
              }
              return arrivals;
            });
  }

  /**
   * A transfer whose two halves do not agree.
   *
   * @param shard where the units are to arrive
   * @param item what
   * @param move the number of the move
   * @param sent units sent
   * @param letIn units of the move
   */
  record BrokenTransfer(ShardRef shard, ItemId item, long move, long sent, long letIn) {}

  /**
   * Transfers that do not let in what was sent.
   *
   * @param item of one item, or null for all
   */
  Future<List<BrokenTransfer>> brokenTransfers(int region, ItemId item) {
    long id = item == null ? 0 : item.value();
    return database
        .query(Sql.AUDIT_TRANSFERS, Tuples.repeat(Tuple.of(region, id, id), 2))
        .map(
            rows -> {
              List<BrokenTransfer> broken = new ArrayList<>(rows.size());
              for (Row row : rows) {
                broken.add(
                    new BrokenTransfer(
                        new ShardRef(region, row.getInteger(1)),
                        new ItemId(row.getLong(0)),
                        row.getLong(2),
                        row.getLong(3),
                        row.getLong(4)));
              }
              return broken;
            });
  }

  /**
   * A dead letter.
   *
   * @param entry its place
   * @param win what it won; null when it says no win, or its win does not count
   * @param joined who joined a line by it, when no row says so; else null
   * @param state where it stands
   * @param reason why it is one
   */
  record Letter(
      EntryId entry, LogEntry.Win win, LogEntry.Joined joined, LetterState state, String reason) {

    /** Whether it waits for an operator. */
    boolean open() {
      return state == LetterState.OPEN;
    }

    /** Whether its win is held although there is no order that says so. */
    boolean holds() {
      return open() || state == LetterState.SETTLING;
    }
  }

  /** The dead letters of a shard whose entries could be ours. */
  Future<List<Letter>> letters(ShardRef shard) {
    return database
        .query(Sql.SNAPSHOT_LETTERS, Tuple.of(shard.region(), shard.shard()))
        .map(
            rows -> {
              List<Letter> letters = new ArrayList<>();
              for (Row row : rows) {
                LetterState state = LetterState.valueOf(row.getString(2));
                LogEntry entry = DeadWins.entryOf(row).orElse(null);
                boolean counts = entry != null && DeadWins.counts(state);
                boolean isUnwritten = state == LetterState.OPEN || state == LetterState.CLOSED;
                letters.add(
                    new Letter(
                        new EntryId(row.getLong(0), row.getLong(1)),
                        counts ? entry.taken().orElse(null) : null,
                        isUnwritten && entry instanceof LogEntry.Joined joined ? joined : null,
                        state,
                        row.getString(4)));
              }
              return letters;
            });
  }

  /** Held orders of users in an item: user → place → units. */
  Future<Map<UserId, Map<EntryId, Long>>> heldOrders(
      ShardRef shard, ItemId item, Collection<UserId> users) {
    JsonArray names = new JsonArray();
    users.forEach(user -> names.add(user.value()));
    return database
        .query(
            Sql.SNAPSHOT_RECEIPTS,
            Tuple.of(names.encode(), item.value(), shard.region(), shard.shard()))
        .map(
            rows -> {
              Map<UserId, Map<EntryId, Long>> held = new HashMap<>();
              for (Row row : rows) {
                if (row.getInteger(6) > 0) {
                  held.computeIfAbsent(new UserId(row.getString(0)), user -> new TreeMap<>())
                      .put(new EntryId(row.getLong(3), row.getLong(4)), row.getLong(5));
                }
              }
              return held;
            });
  }

  /** The next users, by name, who hold orders of an item up to a place; empty at the end. */
  Future<List<UserId>> heldUsers(ShardRef shard, ItemId item, String after, EntryId upTo) {
    Tuple arguments =
        Tuple.of(item.value(), shard.region(), shard.shard(), after)
            .addLong(upTo.epoch())
            .addLong(upTo.epoch())
            .addLong(upTo.seq())
            .addInteger(USERS_AT_ONCE);
    return database
        .query(Sql.FIND_HELD_USERS, arguments)
        .map(
            rows -> {
              Set<UserId> users = new LinkedHashSet<>(rows.size() * 2);
              rows.forEach(row -> users.add(new UserId(row.getString(0))));
              return List.copyOf(users);
            });
  }

  /** The next users, by name, who wait for an item; empty at the end. */
  Future<List<UserId>> waiters(ShardRef shard, ItemId item, String after) {
    return database
        .query(
            Sql.AUDIT_WAITERS,
            Tuple.of(shard.region(), shard.shard(), item.value(), after).addInteger(USERS_AT_ONCE))
        .map(
            rows -> {
              List<UserId> users = new ArrayList<>(rows.size());
              rows.forEach(row -> users.add(new UserId(row.getString(0))));
              return users;
            });
  }

  /** Who of some users waits for an item. */
  Future<Map<UserId, EntryId>> waiting(ShardRef shard, ItemId item, Collection<UserId> users) {
    JsonArray names = new JsonArray();
    users.forEach(user -> names.add(user.value()));
    return database
        .query(
            Sql.AUDIT_WAITING,
            Tuple.of(names.encode(), shard.region(), shard.shard(), item.value()))
        .map(
            rows -> {
              Map<UserId, EntryId> waiting = new HashMap<>();
              for (Row row : rows) {
                waiting.put(
                    new UserId(row.getString(0)), new EntryId(row.getLong(1), row.getLong(2)));
              }
              return waiting;
            });
  }

  /**
   * The end of the newest epoch before another that gave out a number; empty when there is none.
   */
  Future<Optional<EntryId>> endBefore(ShardRef shard, long epoch) {
    return database
        .query(
            Sql.FIND_CLOSED_EPOCHS, Tuple.of(shard.region(), shard.shard(), epoch - 1, epoch - 1))
        .map(
            rows -> {
              for (Row row : rows) {
                if (row.getLong(1) > 0) {
                  return Optional.of(new EntryId(row.getLong(0), row.getLong(1)));
                }
              }
              return Optional.empty();
            });
  }

  /**
   * An order that does not agree with its lines.
   *
   * @param win which
   * @param held units that it says it holds
   * @param quantity units that it says it is
   * @param summed units of its lines
   */
  record BrokenOrder(WinId win, long held, long quantity, long summed) {}

  /** Orders of a shard that do not agree with their lines. */
  Future<List<BrokenOrder>> brokenOrders(ShardRef shard) {
    List<BrokenOrder> broken = new ArrayList<>();
    return pages
        .orders(
            Sql.AUDIT_BROKEN_ORDERS,
            shard,
            LogPages.END,
            row ->
                broken.add(
                    new BrokenOrder(
                        new WinId(shard, new EntryId(row.getLong(0), row.getLong(1))),
                        row.getLong(2),
                        row.getLong(3),
                        row.getLong(4))))
        .map(broken);
  }

  /**
   * An order whose units are given back wrongly: it ended and nobody gives them back, or somebody
   * is to who cannot.
   *
   * @param win which
   * @param held units that it holds
   * @param waits whether a release of it waits to be done
   */
  record EndedOrder(WinId win, long held, boolean waits) {}

  /** Orders of a shard whose state does not agree with the releases that are to be done. */
  Future<List<EndedOrder>> wrongEnds(ShardRef shard) {
    List<EndedOrder> wrong = new ArrayList<>();
    return pages
        .orders(
            Sql.AUDIT_ENDED_ORDERS,
            shard,
            LogPages.END,
            row ->
                wrong.add(
                    new EndedOrder(
                        new WinId(shard, new EntryId(row.getLong(0), row.getLong(1))),
                        row.getLong(2),
                        row.getLong(3) == 1)))
        .map(wrong);
  }

  /**
   * Two numbers about an item that should agree.
   *
   * @param item which
   * @param recorded the counter
   * @param summed the rows
   */
  record ItemPair(ItemId item, long recorded, long summed) {}

  /**
   * Items whose counter of units out differs from the rows.
   *
   * @param item one, or null for all
   */
  Future<List<ItemPair>> wrongUnitsOut(ItemId item) {
    long id = item == null ? 0 : item.value();
    return database
        .query(Sql.AUDIT_UNITS_OUT, Tuple.of(id, id))
        .map(
            rows -> {
              List<ItemPair> pairs = new ArrayList<>(rows.size());
              rows.forEach(
                  row ->
                      pairs.add(
                          new ItemPair(
                              new ItemId(row.getLong(0)), row.getLong(1), row.getLong(2))));
              return pairs;
            });
  }

  /**
   * Two numbers about a user that should agree.
   *
   * @param user who
   * @param first the one
   * @param second the other
   */
  record UserPair(UserId user, long first, long second) {}

  /** What MySQL says twice about an item; null when there is no such item. */
  Future<ItemBooks.Books> books(ItemId item) {
    return ItemBooks.read(database, item, rowsAtOnce);
  }

  /** Users who hold more of a group than its limit: (held, limit). */
  Future<List<UserPair>> overGroupLimit(String group) {
    return database
        .query(Sql.AUDIT_OVER_GROUP_LIMIT, Tuple.of(group))
        .map(
            rows -> {
              List<UserPair> pairs = new ArrayList<>();
              rows.forEach(
                  row ->
                      pairs.add(
                          new UserPair(
                              new UserId(row.getString(0)), row.getLong(1), row.getLong(2))));
              return pairs;
            });
  }

  /** Keeps what the audit saw. */
  Future<Void> keep(int region, long item, boolean clean, long tookMs, JsonArray findings) {
    return database
        .query(
            Sql.INSERT_AUDIT_RUN, Tuple.of(region, item, clean ? 1 : 0, tookMs, findings.encode()))
        .mapEmpty();
  }
}
