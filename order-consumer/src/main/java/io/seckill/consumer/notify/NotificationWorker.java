package io.seckill.consumer.notify;

import static io.seckill.consumer.db.Database.run;

import io.seckill.common.config.SeckillConfig;
import io.seckill.common.order.NotificationState;
import io.seckill.consumer.LogRate;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Sql;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonArray;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the receiver told, and tries until it has taken each notification or its tries are used up. A
 * notification is taken for a while by moving its next time ahead; what became of it is written
 * afterwards, so a crash between the two tells it again, under the same id. Any number of nodes may
 * do this.
 *
 * <p>Of each user only the first that is PENDING is told, so his come one after the other, and
 * those of one order in the order in which they were written: whoever changes it has its row. Of
 * two orders the one with the lower id may commit later, and comes later. A later one that is due
 * before its turn is held back, without a time; whoever ends the first gives the next its time
 * again. Both have the lock of the first while they do it, so none is held back behind one that has
 * ended.
 *
 * <p>Belongs to one event loop.
 */
final class NotificationWorker {

  private static final Logger LOG = LoggerFactory.getLogger(NotificationWorker.class);

  /**
   * Calls at a time. With a receiver that needs 20 ms it makes some thousand notifications a
   * second, and one that was away is not flooded when it comes back.
   */
  static final int MAX_CALLS = 64;

  /** From call to row MySQL may need a moment, and longer while it is busy. */
  private static final long WRITE_MS = 5_000;

  private static final long FIRST_PAUSE_MS = 1_000;
  private static final long MAX_PAUSE_MS = 300_000;
  private static final int MAX_DOUBLINGS = 16;

  /** How long what is DONE can still be looked at. */
  private static final long KEEP_MS = 86_400_000;

  /** As the column is. */
  private static final int MAX_FAILURE_CHARS = 200;

  private final Database database;
  private final Webhook webhook;
  private final SeckillConfig.Notification config;
  private final NotificationMetrics metrics;
  private final LogRate logRate = new LogRate();

  private List<Ended> ended = new ArrayList<>();
  private boolean writing;
  private int inHand;
  private boolean delivered;
  private Room waiting;

  /**
   * A call that has ended.
   *
   * @param failure what it said, empty when the receiver has taken it
   */
  private record Ended(Outgoing notification, String failure, NotificationState state) {}

  /** Somebody who waits until no more than so many are in hand. */
  private record Room(int atMost, Promise<Void> reached) {}

  /**
   * What a look found.
   *
   * @param seen how many were due
   * @param taken those of them that are to be told now
   * @param held how many were held back; others are left for the next look
   */
  private record Look(int seen, List<Outgoing> taken, int held) {}

  NotificationWorker(
      Database database,
      Webhook webhook,
      SeckillConfig.Notification config,
      NotificationMetrics metrics) {
    this.database = database;
    this.webhook = webhook;
    this.config = config;
    this.metrics = metrics;
  }

  /** How long nobody else takes what somebody has taken, in milliseconds. */
  static long takenMs(SeckillConfig.Notification config) {
    return config.callTimeoutMs() + WRITE_MS;
  }

  /**
   * Takes what is due, as far as calls are free, and ends when half of all are: one call that takes
   * long does not keep others waiting. Says whether there may be more that can be told at once.
   */
  Future<Boolean> round() {
    int free = MAX_CALLS - inHand;
    return database
        .inTransactionRepeating(connection -> take(connection, free))
        .compose(
            look -> {
              delivered = false;
              look.taken().forEach(this::tell);
              return atMost(MAX_CALLS / 2)
                  // A receiver that takes nothing is left in peace for a moment.
                  .map(room -> look.seen() == free && (delivered || look.held() > 0));
            });
  }

  /** Completes when what this worker has taken is dealt with; only between rounds. */
  Future<Void> idle() {
    return atMost(0);
  }

  private Future<Void> atMost(int calls) {
    if (inHand <= calls) {
      return Future.succeededFuture();
    }
    waiting = new Room(calls, Promise.promise());
    return waiting.reached().future();
  }

  private Future<Look> take(SqlConnection connection, int free) {
    return run(connection, Sql.FIND_DUE_NOTIFICATIONS, Tuple.of(free))
        .compose(
            rows -> {
              if (rows.size() == 0) {
                return Future.succeededFuture(new Look(0, List.of(), 0));
              }
              List<Outgoing> due = new ArrayList<>(rows.size());
              rows.forEach(row -> due.add(Outgoing.of(row)));
              return first(connection, due).compose(first -> take(connection, due, first));
            });
  }

  /** The first that is PENDING, by user. */
  private static Future<Map<String, Long>> first(
      SqlConnection connection, List<Outgoing> notifications) {
    JsonArray users = new JsonArray();
    notifications.stream().map(Outgoing::user).distinct().forEach(users::add);
    return run(connection, Sql.FIND_FIRST_NOTIFICATIONS, Tuple.of(users.encode()))
        .map(
            rows -> {
              Map<String, Long> first = new HashMap<>();
              rows.forEach(row -> first.put(row.getString(0), row.getLong(1)));
              return first;
            });
  }

  private Future<Look> take(
      SqlConnection connection, List<Outgoing> due, Map<String, Long> firstOf) {
    List<Outgoing> taken = new ArrayList<>(due.size());
    JsonArray told = new JsonArray();
    Map<Long, List<Long>> laterBy = new HashMap<>();
    for (Outgoing notification : due) {
      long first = firstOf.get(notification.user());
      if (first == notification.id()) {
        taken.add(notification);
        told.add(notification.id());
      } else {
        laterBy.computeIfAbsent(first, id -> new ArrayList<>()).add(notification.id());
      }
    }
    return hold(connection, laterBy)
        .compose(
            held ->
                taken.isEmpty()
                    ? Future.succeededFuture(held)
                    : run(
                            connection,
                            Sql.TAKE_NOTIFICATIONS,
                            Tuple.of(told.encode(), takenMs(config)))
                        .map(held))
        .map(held -> new Look(due.size(), taken, held));
  }

  /** Behind a first one that somebody else has in hand nothing is held back now. */
  private static Future<Integer> hold(SqlConnection connection, Map<Long, List<Long>> laterBy) {
    JsonArray held = new JsonArray();
    Future<Void> locked = Future.succeededFuture();
    for (Map.Entry<Long, List<Long>> later : laterBy.entrySet()) {
      locked =
          locked
              .compose(done -> run(connection, Sql.LOCK_NOTIFICATION, Tuple.of(later.getKey())))
              .compose(
                  rows -> {
                    if (rows.size() > 0) {
                      later.getValue().forEach(held::add);
                    }
                    return Future.succeededFuture();
                  });
    }
    return locked
        .compose(done -> change(connection, Sql.HOLD_NOTIFICATIONS, held))
        .map(done -> held.size());
  }

  private static Future<Void> change(SqlConnection connection, Sql statement, JsonArray ids) {
    return ids.isEmpty()
        ? Future.succeededFuture()
        : run(connection, statement, Tuple.of(ids.encode())).mapEmpty();
  }

  private void tell(Outgoing notification) {
    inHand++;
    webhook
        .post(notification)
        .onComplete(
            call -> {
              delivered |= call.succeeded();
              ended.add(ended(notification, call.cause()));
              if (!writing) {
                write();
              }
            });
  }

  private Ended ended(Outgoing notification, Throwable cause) {
    if (cause == null) {
      metrics.delivered();
      return new Ended(notification, "", NotificationState.DONE);
    }
    metrics.failed();
    String failure = shortened(String.valueOf(cause.getMessage()));
    boolean dead = notification.tries() >= config.maxTries();
    if (dead) {
      metrics.died();
    }
    if (logRate.allows()) {
      LOG.warn(
          "notification {} of order {} failed, try {}{}: {}",
          notification.id(),
          notification.orderId(),
          notification.tries(),
          dead ? ", and is dead" : "",
          failure);
    }
    return new Ended(
        notification, failure, dead ? NotificationState.DEAD : NotificationState.PENDING);
  }

  private static String shortened(String text) {
    return text.length() <= MAX_FAILURE_CHARS ? text : text.substring(0, MAX_FAILURE_CHARS);
  }

  /** All that has ended by now, in one transaction; and again while more ends meanwhile. */
  private void write() {
    writing = true;
    List<Ended> batch = ended;
    ended = new ArrayList<>();
    database
        .inTransactionRepeating(connection -> finish(connection, batch))
        .onComplete(
            written -> {
              if (written.failed() && logRate.allows()) {
                // They are told once more, when what was taken is due again.
                LOG.warn(
                    "what became of {} notifications is not written: {}",
                    batch.size(),
                    written.cause().getMessage());
              }
              inHand -= batch.size();
              if (ended.isEmpty()) {
                writing = false;
              } else {
                write();
              }
              giveRoom();
            });
  }

  private void giveRoom() {
    Room room = waiting;
    if (room != null && inHand <= room.atMost()) {
      waiting = null;
      room.reached().complete();
    }
  }

  private static Future<Void> finish(SqlConnection connection, List<Ended> batch) {
    JsonArray outcomes = new JsonArray();
    List<Outgoing> over = new ArrayList<>();
    for (Ended each : batch) {
      Outgoing notification = each.notification();
      outcomes.add(
          new JsonArray()
              .add(notification.id())
              .add(notification.tries())
              .add(each.state().name())
              .add(each.failure())
              .add(pauseMs(each)));
      if (each.state() != NotificationState.PENDING) {
        over.add(notification);
      }
    }
    return run(connection, Sql.FINISH_NOTIFICATIONS, Tuple.of(outcomes.encode()))
        .compose(
            finished ->
                over.isEmpty()
                    ? Future.succeededFuture()
                    : first(connection, over)
                        .compose(
                            next ->
                                change(
                                    connection,
                                    Sql.FREE_NOTIFICATIONS,
                                    new JsonArray(List.copyOf(next.values())))));
  }

  private static long pauseMs(Ended each) {
    return switch (each.state()) {
      case DONE -> KEEP_MS;
      case DEAD -> 0;
      case PENDING ->
          Math.min(
              MAX_PAUSE_MS,
              FIRST_PAUSE_MS << Math.min(each.notification().tries() - 1, MAX_DOUBLINGS));
    };
  }
}
