package io.seckill.consumer.letters;

import static io.seckill.consumer.Refusals.refuse;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.DeadLetter;
import io.seckill.common.bus.DeadLetterChange;
import io.seckill.common.bus.DeadLetterQuery;
import io.seckill.common.bus.DeadLetters;
import io.seckill.common.bus.DeadLettersQuery;
import io.seckill.common.bus.OrderEvent;
import io.seckill.common.bus.ReleasesWaiting;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.LetterId;
import io.seckill.common.id.OrderIds;
import io.seckill.common.id.ShardRef;
import io.seckill.common.id.WinId;
import io.seckill.common.log.LogEntry;
import io.seckill.common.order.LetterState;
import io.seckill.common.order.OrderStatus;
import io.seckill.consumer.LogRate;
import io.seckill.consumer.RegionLog;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.SqlFailures;
import io.seckill.consumer.ledger.OperatorRequest;
import io.seckill.consumer.notify.OrderNews;
import io.seckill.consumer.store.BatchStore;
import io.seckill.consumer.store.LetterLedger;
import io.seckill.consumer.store.LetterLedger.Filed;
import io.seckill.consumer.store.LetterLedger.Searched;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.EventBus;
import io.vertx.sqlclient.SqlConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What operators can do with dead letters. Everything is safe to ask again: a request is written
 * into the audit log by its id in the transaction that does it, and a letter ends once. Belongs to
 * one event loop.
 */
public final class DeadLetterDesk {

  private static final Logger LOG = LoggerFactory.getLogger(DeadLetterDesk.class);

  private final Database database;
  private final LetterLedger ledger;
  private final ReceiptSearch receipts;
  private final OrderIds orderIds;
  private final OrderNews news;
  private final EventBus bus;
  private final LogRate logRate = new LogRate();

  /**
   * Makes the desk.
   *
   * @param log the logs of this process's region
   * @param orderIds used by this event loop only
   * @param news tells buyers what became of their orders
   * @param vertx has the bus that tells engines of something to release
   */
  public DeadLetterDesk(
      Database database, RegionLog log, OrderIds orderIds, OrderNews news, Vertx vertx) {
    this.database = database;
    this.ledger = new LetterLedger(database, new BatchStore(database, news));
    this.receipts = new ReceiptSearch(vertx, database, log);
    this.orderIds = orderIds;
    this.news = news;
    this.bus = vertx.eventBus();
  }

  /** As {@link DeadLettersQuery} says. */
  public Future<DeadLetters> page(DeadLettersQuery query) {
    if (query.limit() < 1 || query.limit() > DeadLettersQuery.MAX_LIMIT) {
      return refuse(
          ErrorCode.INVALID_REQUEST, "a page has 1 to " + DeadLettersQuery.MAX_LIMIT + " letters");
    }
    return ledger
        .page(query.state(), query.after(), query.limit() + 1)
        .map(
            found -> {
              boolean more = found.size() > query.limit();
              List<Filed> shown = more ? found.subList(0, query.limit()) : found;
              return new DeadLetters(shown.stream().map(letter -> view(letter, "")).toList(), more);
            });
  }

  /** As {@link DeadLetterQuery} says. */
  public Future<DeadLetter> one(DeadLetterQuery query) {
    return find(query.id()).map(letter -> view(letter, letter.letter().payload()));
  }

  private Future<Filed> find(LetterId id) {
    return ledger
        .find(id)
        .compose(
            found ->
                found.map(Future::succeededFuture).orElseGet(() -> refuse(ErrorCode.NOT_FOUND)));
  }

  private DeadLetter view(Filed letter, String payload) {
    Optional<LogEntry.Win> win = letter.entry().flatMap(LogEntry::taken);
    return new DeadLetter(
        letter.id(),
        letter.state(),
        letter.letter().reason(),
        letter.letter().detail(),
        payload,
        win.map(LogEntry.Win::user).orElse(null),
        win.flatMap(taken -> letter.id().place()).map(orderIds::seal).orElse(null),
        win.map(DeadLetterDesk::unitsOf).orElse(List.of()),
        letter.openedAtMs(),
        letter.closedAtMs());
  }

  private static List<DeadLetter.Units> unitsOf(LogEntry.Win win) {
    return win.lines().stream()
        .map(line -> new DeadLetter.Units(line.item(), line.quantity()))
        .toList();
  }

  /** As {@link DeadLetterChange} says. */
  public Future<DeadLetter> change(DeadLetterChange change) {
    return find(change.id())
        .compose(
            letter ->
                switch (change.action()) {
                  case RETRY -> retry(change);
                  case SETTLE -> settle(change, letter);
                })
        .compose(done -> one(new DeadLetterQuery(change.id())).recover(this::unknown));
  }

  private Future<Void> retry(DeadLetterChange change) {
    List<OrderEvent> events = new ArrayList<>(1);
    return database
        .inTransactionRepeating(
            connection -> {
              events.clear();
              return once(
                  connection,
                  change,
                  () ->
                      ledger
                          .retry(connection, change.id())
                          .map(
                              stored -> {
                                events.addAll(stored);
                                return null;
                              }));
            })
        .recover(this::unknown)
        .map(
            done -> {
              news.publish(events);
              return null;
            });
  }

  private Future<Void> settle(DeadLetterChange change, Filed letter) {
    boolean isUnreadable = letter.state() == LetterState.OPEN && letter.entry().isEmpty();
    return (isUnreadable
            ? receipts.find(letter.id().place().orElseThrow())
            : Future.<Searched>succeededFuture())
        .compose(searched -> settle(change, searched));
  }

  private Future<Void> settle(DeadLetterChange change, Searched searched) {
    List<OrderEvent> events = new ArrayList<>(1);
    return news.inTransaction(
            database,
            connection -> {
              events.clear();
              return once(
                      connection,
                      change,
                      () ->
                          ledger
                              .settle(connection, change.id(), searched)
                              .map(
                                  failed -> {
                                    failed
                                        .flatMap(order -> event(change.id(), order))
                                        .ifPresent(events::add);
                                    return null;
                                  }))
                  .map(done -> new OrderNews.Told<Void>(null, events));
            })
        .recover(this::unknown)
        .map(
            done -> {
              change.id().place().map(WinId::shard).ifPresent(this::release);
              return null;
            });
  }

  private static Future<Void> once(
      SqlConnection connection, DeadLetterChange change, Supplier<Future<Void>> work) {
    return new OperatorRequest(
            change.requestId(),
            change.actor(),
            change.action().name() + "_LETTER",
            0,
            change.id().toString())
        .once(connection, () -> work.get().map(OperatorRequest.Units.NONE))
        .mapEmpty();
  }

  private Optional<OrderEvent> event(LetterId id, LetterLedger.Failed failed) {
    LogEntry entry = failed.entry();
    return entry
        .taken()
        .flatMap(
            win ->
                id.place()
                    .map(
                        name ->
                            news.event(
                                name,
                                win.user(),
                                OrderStatus.FAILED,
                                failed.reason(),
                                entry instanceof LogEntry.Promotion)));
  }

  /** Engines ask by themselves too. */
  private void release(ShardRef shard) {
    bus.publish(Addresses.RELEASES, new ReleasesWaiting(shard.region(), shard.shard()));
  }

  /** The transaction may have ended well although nobody heard of it. */
  private <T> Future<T> unknown(Throwable failure) {
    if (failure instanceof SeckillException known && known.code() != ErrorCode.UNAVAILABLE) {
      return Future.failedFuture(known);
    }
    if (SqlFailures.isDuplicate(failure)) {
      // After some tries it is not another transaction's: and nothing was changed.
      return refuse(ErrorCode.CONFLICT, "it fails again: " + failure.getMessage());
    }
    if (logRate.allows()) {
      LOG.warn("it is not known whether a dead letter was changed", failure);
    }
    return refuse(ErrorCode.OUTCOME_UNKNOWN);
  }
}
