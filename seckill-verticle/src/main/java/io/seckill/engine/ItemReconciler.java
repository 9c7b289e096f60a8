package io.seckill.engine;

import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.item.ItemRecord;
import io.seckill.common.item.ItemState;
import io.seckill.common.item.Move;
import io.seckill.lua.ApplyMove;
import io.seckill.lua.FenceStatus;
import io.seckill.lua.PutItem;
import io.seckill.lua.RedisLink;
import io.seckill.lua.StepResult;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Brings every shard to what the ledger says of an item: first the item itself as PREPARED, then
 * its outstanding moves in order, then, when all shards have theirs, its state. Every step is
 * idempotent, so this serves a request, its repetition, and the background that finishes what a
 * dead node began. Belongs to one event loop.
 */
final class ItemReconciler {

  /** The generation in which an item is PREPARED; the ledger gives 2 to the opening. */
  private static final long PREPARED_GENERATION = 1;

  private final List<ShardSession> sessions;

  ItemReconciler(List<ShardSession> sessions) {
    this.sessions = sessions;
  }

  /** Fails with UNAVAILABLE when a shard could not be reached; the rest is done all the same. */
  Future<Void> reconcile(ItemRecord record) {
    if (record.state() == ItemState.CREATED) {
      return Future.succeededFuture();
    }
    return onAll(session -> prepare(session, record))
        .compose(
            done -> onAll(session -> put(session, record, record.generation(), record.state())));
  }

  private Future<Void> onAll(Function<ShardSession, Future<Void>> step) {
    List<Future<Void>> steps = new ArrayList<>(sessions.size());
    sessions.forEach(session -> steps.add(step.apply(session)));
    return Future.join(steps).mapEmpty();
  }

  private Future<Void> prepare(ShardSession session, ItemRecord record) {
    List<Move> moves =
        record.outstanding().stream().filter(move -> move.shard() == session.shard()).toList();
    boolean first = !moves.isEmpty() && moves.get(0).number() == 1;
    Future<Void> steps =
        first
            ? put(session, record, PREPARED_GENERATION, ItemState.PREPARED)
            : Future.succeededFuture();
    // Outstanding moves of one shard are few: each restock adds one, and storing its entry takes it
    // away.
    for (Move move : moves) {
      steps =
          steps.compose(
              done ->
                  step(
                      session,
                      "move " + move.number(),
                      (link, epoch) ->
                          ApplyMove.run(
                              link,
                              link.fence(epoch, session.callTimeoutMs()),
                              session.keys(),
                              move,
                              session.callTimeoutMs())));
    }
    return steps;
  }

  private static Future<Void> put(
      ShardSession session, ItemRecord record, long generation, ItemState state) {
    return step(
        session,
        "state " + state,
        (link, epoch) ->
            PutItem.run(
                link,
                link.fence(epoch, session.callTimeoutMs()),
                session.keys(),
                record.definition(),
                new PutItem.ItemVersion(generation, state),
                session.callTimeoutMs()));
  }

  private static Future<Void> step(
      ShardSession session, String what, BiFunction<RedisLink, Long, Future<StepResult>> call) {
    RedisLink link = session.epoch() > 0 ? session.link().orElse(null) : null;
    if (link == null) {
      return unavailable("shard " + session.shard() + " is not open");
    }
    return call.apply(link, session.epoch())
        .recover(failure -> unavailable("shard " + session.shard() + ": " + failure.getMessage()))
        .compose(
            result ->
                switch (result.status()) {
                  // A newer generation is there: somebody went further, which is as good.
                  case OK, ALREADY, STALE -> Future.<Void>succeededFuture();
                  case FENCED, FROZEN, EXPIRED -> {
                    session.refused(FenceStatus.valueOf(result.status().name()));
                    yield unavailable("shard " + session.shard() + " is being opened again");
                  }
                  case LOST -> {
                    session.refused(FenceStatus.FROZEN);
                    yield unavailable("shard " + session.shard() + " has lost keys");
                  }
                  default ->
                      unavailable(
                          "shard "
                              + session.shard()
                              + " refused "
                              + what
                              + " as "
                              + result.status());
                });
  }

  private static <T> Future<T> unavailable(String detail) {
    return Future.failedFuture(new SeckillException(ErrorCode.UNAVAILABLE, detail));
  }
}
