package io.seckill.engine;

import io.seckill.common.bus.TransferStore;
import io.seckill.common.bus.TransferStored;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.ItemId;
import io.seckill.common.item.Move;
import io.seckill.engine.TransferPlan.Transfer;
import io.seckill.lua.FenceStatus;
import io.seckill.lua.ItemGroups;
import io.seckill.lua.RedisLink;
import io.seckill.lua.SendUnits;
import io.seckill.lua.SendUnits.NotSent;
import io.seckill.lua.SendUnits.Sent;
import io.vertx.core.Future;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves units between shards: out of one by its log, into the ledger at once and out of turn, into
 * the other by the move that the ledger made of it. A crash at any point leaves only rows: what was
 * sent and not told is stored when the log comes to it, and a move that was not applied is
 * outstanding until the background applies it. Belongs to one event loop.
 */
final class Transfers {

  private static final Logger LOG = LoggerFactory.getLogger(Transfers.class);

  /** Transfers of this node at a time: as many transactions as the ledger has to spare. */
  private static final int MAX_IN_FLIGHT = 64;

  /**
   * With this part of an item's units on their way, and not by this node, something is slow or
   * broken: more sending would only strand more.
   */
  private static final long STALLED_PART = 4;

  /** The same for items of few units. */
  private static final long STALLED_UNITS = 64;

  private final int region;
  private final List<ShardSession> sessions;
  private final LedgerClient ledger;
  private final ItemReconciler reconciler;
  private final ItemGroups groups;
  private final EngineMetrics metrics;

  private final Map<ItemId, Map<Integer, Long>> into = new HashMap<>();
  private int inFlight;
  private boolean ledgerAnswers;

  /** Why units travel. */
  enum Cause {
    /** Somebody waits for them. */
    DEMAND,
    /** Somebody soon would. */
    TREND,
    /** Somebody waits in line, and there is no unit where he does. */
    WAITLIST
  }

  Transfers(
      int region,
      List<ShardSession> sessions,
      LedgerClient ledger,
      ItemReconciler reconciler,
      ItemGroups groups,
      EngineMetrics metrics) {
    this.region = region;
    this.sessions = sessions;
    this.ledger = ledger;
    this.reconciler = reconciler;
    this.groups = groups;
    this.metrics = metrics;
  }

  /**
   * To be told after each question to the ledger. While it is away nothing is sent, because units
   * on their way could not arrive.
   */
  void ledgerAnswers(boolean answers) {
    ledgerAnswers = answers;
  }

  /** Whether units can travel now. */
  boolean isPossible() {
    return ledgerAnswers;
  }

  /**
   * Sends units to where purchases wait for them.
   *
   * @param needs units that each shard lacks; the shard that waits longest comes first
   * @param whenUnitsCame runs whenever units have come into a shard
   * @return whether any are sent
   */
  boolean onDemand(ItemStocks stocks, Map<Integer, Long> needs, Runnable whenUnitsCame) {
    if (!isPossible() || isStalled(stocks)) {
      return false;
    }
    return begin(
        stocks.item(),
        TransferPlan.onDemand(stocks, needs, busy(stocks.item())),
        Cause.DEMAND,
        whenUnitsCame);
  }

  /** Whether units are on their way from this node into each of the shards. */
  boolean areUnderWay(ItemId item, Set<Integer> shards) {
    return busy(item).containsAll(shards);
  }

  /** Sends units to where the trend says that they will be wanted. */
  void byTrend(ItemStocks stocks, double[] perSecond) {
    if (isPossible() && busy(stocks.item()).isEmpty()) {
      begin(stocks.item(), TransferPlan.byTrend(stocks, perSecond), Cause.TREND, () -> {});
    }
  }

  /** Sends units out of shards in which nobody waits in line to where somebody does. */
  void toWaiters(ItemStocks stocks) {
    if (isPossible() && !isStalled(stocks)) {
      begin(
          stocks.item(),
          TransferPlan.toWaiters(stocks, busy(stocks.item())),
          Cause.WAITLIST,
          () -> {});
    }
  }

  private Set<Integer> busy(ItemId item) {
    return into.getOrDefault(item, Map.of()).keySet();
  }

  private boolean isStalled(ItemStocks stocks) {
    long own =
        into.getOrDefault(stocks.item(), Map.of()).values().stream()
            .mapToLong(Long::longValue)
            .sum();
    long bound = Math.max(STALLED_UNITS, stocks.granted() / STALLED_PART);
    // With a shard unread nobody knows what travels.
    return stocks.everywhere() && stocks.travelling() - own > bound;
  }

  private boolean begin(ItemId item, List<Transfer> planned, Cause cause, Runnable whenUnitsCame) {
    List<Transfer> transfers =
        planned.subList(0, Math.min(planned.size(), MAX_IN_FLIGHT - inFlight));
    if (transfers.isEmpty()) {
      return false;
    }
    inFlight += transfers.size();
    Map<Transfer, Future<Move>> moves = sendAll(item, transfers);
    transfers.stream()
        .collect(Collectors.groupingBy(Transfer::to))
        .forEach(
            (to, parts) -> {
              long units = parts.stream().mapToLong(Transfer::units).sum();
              into.computeIfAbsent(item, i -> new HashMap<>()).put(to, units);
              arrive(item, to, parts.stream().map(moves::get).toList(), cause)
                  .onComplete(
                      done -> {
                        inFlight -= parts.size();
                        Map<Integer, Long> left = into.get(item);
                        left.remove(to);
                        if (left.isEmpty()) {
                          into.remove(item);
                        }
                        whenUnitsCame.run();
                      });
            });
    return true;
  }

  /** One after the other for each sending shard, because each says how many were sent before it. */
  private Map<Transfer, Future<Move>> sendAll(ItemId item, List<Transfer> transfers) {
    Map<Transfer, Future<Move>> moves = new HashMap<>();
    Map<Integer, Future<OptionalLong>> sentSoFar = new HashMap<>();
    for (Transfer transfer : transfers) {
      Future<OptionalLong> before =
          sentSoFar.getOrDefault(
              transfer.from(), Future.succeededFuture(OptionalLong.of(transfer.seenSent())));
      Future<Step> step =
          before.compose(
              seen ->
                  seen.isPresent()
                      ? send(item, transfer, seen.getAsLong())
                      : Future.succeededFuture(Step.NONE));
      sentSoFar.put(transfer.from(), step.map(Step::sentSoFar));
      moves.put(transfer, step.compose(sent -> store(item, transfer, sent)));
    }
    return moves;
  }

  /**
   * A sending.
   *
   * @param sent null when nothing was sent
   * @param sentSoFar what the shard has sent in all; empty when nobody can say
   */
  private record Step(Sent sent, OptionalLong sentSoFar) {
    static final Step NONE = new Step(null, OptionalLong.empty());
  }

  private Future<Step> send(ItemId item, Transfer transfer, long seenSent) {
    ShardSession session = sessions.get(transfer.from());
    RedisLink link = session.openLink().orElse(null);
    if (link == null) {
      return Future.succeededFuture(Step.NONE);
    }
    return SendUnits.run(
            link,
            link.fence(session.epoch(), session.callTimeoutMs()),
            session.keys(),
            new SendUnits.Args(item, transfer.units(), transfer.to(), OptionalLong.of(seenSent)),
            session.callTimeoutMs())
        .map(
            result -> {
              if (result instanceof Sent sent) {
                return new Step(sent, OptionalLong.of(seenSent + sent.units()));
              }
              refused(session, ((NotSent) result).reason());
              return Step.NONE;
            })
        .otherwise(Step.NONE);
  }

  private static void refused(ShardSession session, SendUnits.Reason reason) {
    switch (reason) {
      case FENCED, FROZEN, EXPIRED -> session.refused(FenceStatus.valueOf(reason.name()));
      case LOST -> session.refused(FenceStatus.FROZEN);
      // Somebody else was faster, or the item sells no more: the next reading shows it.
      case NOT_READY, ENDED, MOVED_ON, EMPTY, NOT_WRITTEN -> {}
    }
  }

  private Future<Move> store(ItemId item, Transfer transfer, Step step) {
    Sent sent = step.sent;
    if (sent == null) {
      return Future.succeededFuture();
    }
    return ledger
        .storeTransfer(
            new TransferStore(
                region,
                transfer.from(),
                sent.entry().epoch(),
                sent.entry().seq(),
                sent.atMs(),
                item,
                sent.units(),
                transfer.to()))
        .map(TransferStored::move)
        .recover(
            failure -> {
              boolean neverHappened =
                  failure instanceof SeckillException e && e.code() == ErrorCode.CONFLICT;
              if (!neverHappened) {
                ledgerAnswers = false;
              }
              LOG.info(
                  "{} units of item {} from shard {} to {} are not told to the ledger ({}): {}",
                  sent.units(),
                  item,
                  transfer.from(),
                  transfer.to(),
                  failure.getMessage(),
                  neverHappened ? "they were never sent" : "it will find them in the log");
              return Future.succeededFuture();
            });
  }

  /** Never fails: what does not arrive now is applied by the background. */
  private Future<Void> arrive(ItemId item, int to, List<Future<Move>> parts, Cause cause) {
    return Future.join(parts)
        .compose(
            all -> {
              List<Move> moves =
                  parts.stream()
                      .map(Future::result)
                      .filter(Objects::nonNull)
                      .sorted(Comparator.comparingLong(Move::number))
                      .toList();
              return apply(item, to, moves, cause);
            })
        .onFailure(
            failure -> LOG.debug("units for shard {} arrive later: {}", to, failure.getMessage()))
        .otherwiseEmpty();
  }

  private Future<Void> apply(ItemId item, int to, List<Move> moves, Cause cause) {
    Future<Void> steps = Future.succeededFuture();
    for (Move move : moves) {
      steps =
          steps
              .compose(done -> reconciler.move(sessions.get(to), move, groups.idOf(item)))
              .onSuccess(done -> metrics.transferred(cause, move.units()));
    }
    // An earlier move is missing here, another node's or one that a dead node left; or this node
    // does not know the item's group.
    return steps.recover(failure -> catchUp(item, to));
  }

  private Future<Void> catchUp(ItemId item, int to) {
    return ledger.item(item).compose(record -> reconciler.moves(sessions.get(to), record));
  }
}
