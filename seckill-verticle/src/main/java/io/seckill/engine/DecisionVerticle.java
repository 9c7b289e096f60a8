package io.seckill.engine;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.Done;
import io.seckill.common.bus.PurchaseBatch;
import io.seckill.common.bus.PurchaseReplies.Answer;
import io.seckill.common.bus.PurchaseRequest;
import io.seckill.common.id.OrderIds;
import io.seckill.common.id.UserShards;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Decides purchases: one batcher for each shard. */
final class DecisionVerticle extends VerticleBase {

  /** Bound on finishing what is in flight at a stop. */
  private static final long DRAIN_MS = 5_000;

  private static final long DRAIN_POLL_MS = 10;
  private static final long OBSERVE_MS = 100;
  private static final Done TAKEN = new Done();

  private final EngineContext engine;
  private final List<ShardSession> sessions = new ArrayList<>();
  private final List<PurchaseBatcher> batchers = new ArrayList<>();

  private UserShards shards;
  private ReplyOutbox outbox;
  private MessageConsumer<PurchaseBatch> consumer;

  DecisionVerticle(EngineContext engine) {
    this.engine = engine;
  }

  @Override
  public Future<?> start() {
    shards = new UserShards(engine.access().shardCount());
    outbox = new ReplyOutbox(vertx);
    DecisionReplies replies = new DecisionReplies(engine, new OrderIds(engine.orderIdKey()));
    for (int shard = 0; shard < shards.count(); shard++) {
      ShardSession session = new ShardSession(vertx, shard, engine.access(), Optional.empty());
      PurchaseBatcher batcher =
          new PurchaseBatcher(
              vertx, session, engine.batcherOptions(), engine.filters(), replies, engine.metrics());
      sessions.add(session);
      batchers.add(batcher);
      session.start(batcher::wake);
    }
    // A quiet shard must not look closed for long at the first purchase after a short cut.
    vertx.setPeriodic(OBSERVE_MS, id -> sessions.forEach(ShardSession::closedForMs));
    consumer = vertx.eventBus().consumer(Addresses.PURCHASE, this::decide);
    return consumer.completion();
  }

  private void decide(Message<PurchaseBatch> message) {
    PurchaseBatch batch = message.body();
    for (int i = 0; i < batch.purchases().size(); i++) {
      PurchaseRequest request = batch.purchases().get(i);
      int index = i;
      batchers
          .get(shards.shardOf(request.user()))
          .offer(
              request, reply -> outbox.add(batch.replyTo(), new Answer(batch.id(), index, reply)));
    }
    message.reply(TAKEN);
  }

  @Override
  public Future<?> stop() {
    Promise<Void> drained = Promise.promise();
    return consumer
        .unregister()
        .compose(
            done -> {
              awaitDrained(System.nanoTime() + DRAIN_MS * 1_000_000, drained);
              return drained.future();
            })
        .onComplete(
            done -> {
              batchers.forEach(PurchaseBatcher::refuseAll);
              outbox.flush();
            })
        .eventually(() -> Future.join(sessions.stream().map(ShardSession::stop).toList()));
  }

  private void awaitDrained(long deadlineNanos, Promise<Void> drained) {
    // Whoever waits for units may be offered again.
    boolean empty =
        engine.supply().isIdle()
            && batchers.stream().allMatch(b -> b.depth() == 0 && b.callsInFlight() == 0);
    if (empty || System.nanoTime() - deadlineNanos > 0) {
      drained.complete();
    } else {
      vertx.setTimer(DRAIN_POLL_MS, id -> awaitDrained(deadlineNanos, drained));
    }
  }
}
