package io.seckill.engine;

import io.seckill.common.item.ItemGroup;
import io.seckill.common.item.ItemRecord;
import io.seckill.common.item.ItemState;
import io.seckill.common.item.Move;
import io.seckill.lua.ApplyMove;
import io.seckill.lua.PutItem;
import io.seckill.lua.RemoveItem;
import io.seckill.lua.StepResult;
import io.seckill.lua.TakeUnits;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Brings every shard to what the ledger says of an item: first the item itself as PREPARED, then
 * its outstanding moves in order, then, when all shards have theirs, its state; an archived item is
 * taken out. Every step is idempotent, so this serves a request, its repetition, and the background
 * that finishes what a dead node began. Belongs to one event loop.
 */
final class ItemReconciler {

  /** The generation in which an item is PREPARED; the ledger gives 2 to the opening. */
  private static final long PREPARED_GENERATION = 1;

  private final List<ShardSession> sessions;
  private final EngineMetrics metrics;

  ItemReconciler(List<ShardSession> sessions, EngineMetrics metrics) {
    this.sessions = sessions;
    this.metrics = metrics;
  }

  /** Fails with UNAVAILABLE when a shard could not be reached; the rest is done all the same. */
  Future<Void> reconcile(ItemRecord record) {
    return switch (record.state()) {
      case CREATED -> Future.succeededFuture();
      case ARCHIVED -> onAll(session -> remove(session, record));
      default ->
          onAll(session -> moves(session, record))
              .compose(
                  done ->
                      onAll(session -> put(session, record, record.generation(), record.state())));
    };
  }

  /** Applies the item's outstanding moves of one shard, in order. */
  Future<Void> moves(ShardSession session, ItemRecord record) {
    List<Move> moves =
        record.outstanding().stream().filter(move -> move.shard() == session.shard()).toList();
    boolean first = !moves.isEmpty() && moves.get(0).number() == 1;
    Future<Void> steps =
        first
            ? put(session, record, PREPARED_GENERATION, ItemState.PREPARED)
            : Future.succeededFuture();
    // Outstanding moves of one shard are few: storing a move's entry takes it away.
    for (Move move : moves) {
      steps = steps.compose(done -> move(session, move, groupOf(record)));
    }
    return steps;
  }

  /**
   * Applies one move; fails with UNAVAILABLE also when an earlier one is missing, or when the shard
   * knows another group of the item.
   */
  Future<Void> move(ShardSession session, Move move, String group) {
    long timeoutMs = session.callTimeoutMs();
    return ShardSteps.run(
            session,
            "move " + move.number(),
            (link, epoch) ->
                move.kind().isIn()
                    ? ApplyMove.run(
                        link,
                        link.fence(epoch, timeoutMs),
                        session.keys(),
                        new ApplyMove.Args(move, group),
                        timeoutMs)
                    : TakeUnits.run(
                        link, link.fence(epoch, timeoutMs), session.keys(), move, timeoutMs))
        .onSuccess(applied -> metrics.served(applied.promoted(), applied.left()))
        .mapEmpty();
  }

  private Future<Void> onAll(Function<ShardSession, Future<Void>> step) {
    List<Future<Void>> steps = new ArrayList<>(sessions.size());
    sessions.forEach(session -> steps.add(step.apply(session)));
    return Future.join(steps).mapEmpty();
  }

  private static Future<Void> put(
      ShardSession session, ItemRecord record, long generation, ItemState state) {
    long timeoutMs = session.callTimeoutMs();
    return ShardSteps.run(
            session,
            "state " + state,
            (link, epoch) ->
                PutItem.run(
                    link,
                    link.fence(epoch, timeoutMs),
                    session.keys(),
                    record.definition(),
                    new PutItem.ItemVersion(generation, state),
                    timeoutMs))
        .mapEmpty();
  }

  /** Call by call: an item of a group has its receipts counted off its users' holdings. */
  private static Future<Void> remove(ShardSession session, ItemRecord record) {
    long timeoutMs = session.callTimeoutMs();
    RemoveItem.Args removal =
        new RemoveItem.Args(record.definition().id(), record.generation(), groupOf(record));
    return ShardSteps.run(
            session,
            "the removal",
            (link, epoch) ->
                RemoveItem.run(
                    link, link.fence(epoch, timeoutMs), session.keys(), removal, timeoutMs))
        .compose(
            result ->
                result.status() == StepResult.Status.MORE
                    ? remove(session, record)
                    : Future.succeededFuture());
  }

  private static String groupOf(ItemRecord record) {
    return Optional.ofNullable(record.definition().group()).map(ItemGroup::id).orElse("");
  }
}
