package io.seckill.engine;

import io.seckill.common.bus.PurchaseReply;
import io.seckill.common.bus.PurchaseRequest;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.ItemId;
import io.seckill.common.order.PurchaseDigests;
import io.seckill.common.order.PurchaseLine;
import io.seckill.engine.ReceiptFilters.Place;
import io.seckill.lua.DecidePurchases;
import io.seckill.lua.DecidePurchases.Decided;
import io.seckill.lua.DecidePurchases.Decision;
import io.seckill.lua.DecidePurchases.OtherLead;
import io.seckill.lua.DecidePurchases.Purchase;
import io.seckill.lua.DecidePurchases.Refused;
import io.seckill.lua.DecidePurchases.Replicated;
import io.seckill.lua.Fence;
import io.seckill.lua.FenceStatus;
import io.seckill.lua.PurchaseStatus;
import io.seckill.lua.RedisCallException;
import io.seckill.lua.RedisLink;
import io.seckill.lua.ReplicaWait;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Group commit for one shard: while calls to Redis are in flight, arriving purchases queue; when
 * one returns, all that wait go out as one call. No timer and no added delay: a batch is what came
 * meanwhile. Belongs to one event loop.
 *
 * <p>A batch is fair: items take turns (a basket counts for its first item), and a user has a few
 * undecided purchases at most, so neither a hot sale nor a hammering user makes others wait.
 *
 * <p>A purchase is answered exactly once, by its deadline at the latest. Only purchases that
 * certainly were not executed go back into the queue.
 */
final class PurchaseBatcher {

  private static final Logger LOG = LoggerFactory.getLogger(PurchaseBatcher.class);

  /** With the shard closed this long, waiting helps nobody: new purchases are refused at once. */
  private static final long FAIL_FAST_AFTER_MS = 300;

  /**
   * How often waiting purchases are looked through for passed deadlines while nothing can be sent.
   */
  private static final long SWEEP_MS = 50;

  private static final long RETRY_AFTER_MS = 1_000;

  /**
   * Undecided purchases of one user in this shard. A person clicks on a few devices, and a gateway
   * lets ten requests a second through by default: more at once is a machine. Where an operator
   * allows more wins in a window, that many may be on their way.
   */
  private static final int MAX_UNDECIDED_PER_USER = 16;

  /**
   * Purchases that ride along with one call. More would only be answered later than with the next
   * call, and the loop that answers them does nothing else meanwhile.
   */
  private static final int MAX_RIDERS = 4_096;

  /** Who is hot is told to operators this often at most. */
  private static final long LOG_EVERY_MS = 10_000;

  private final Vertx vertx;
  private final Context context;
  private final ShardSession session;
  private final Options options;
  private final ReceiptFilters filters;
  private final DecisionReplies replies;
  private final PurchaseDigests digests = new PurchaseDigests();
  private final EngineMetrics metrics;
  private final FairQueue<Waiting> queue;
  private final UserTally users;

  private ItemId lead;
  private int inFlight;
  private boolean pumpScheduled;
  private boolean sweepScheduled;
  private boolean stopped;
  private long lastLoggedAtNanos = System.nanoTime() - LOG_EVERY_MS * 1_000_000;

  /**
   * Bounds of a batcher, and what its calls carry.
   *
   * @param maxQueue purchases that may wait
   * @param maxBatch purchases in one call
   * @param callsInFlight calls at a time
   * @param limits what the script checks for every purchase
   * @param items which of them have a group, and for which somebody waits
   * @param replicas what has to have a win before its buyer hears of it; empty: the master alone
   */
  record Options(
      int maxQueue,
      int maxBatch,
      int callsInFlight,
      DecidePurchases.Limits limits,
      SoldOutState items,
      Optional<ReplicaWait> replicas) {}

  /** A second chance for a purchase whose shard was dry. For the batcher's event loop only. */
  interface Retry {

    /** Milliseconds until the purchase is too old to be sent; 0 or less when it is. */
    long leftMs();

    /** Milliseconds since the purchase was first decided; 0 the first time. */
    long heldMs();

    /** How often it was offered again. */
    int offers();

    /**
     * Offers the purchase again, before all others of its item and with its old deadline. Once, and
     * instead of an answer. It cannot be refused for want of room: who holds purchases back bounds
     * them.
     */
    void offerAgain();
  }

  /** A purchase that is not decided. */
  private final class Waiting implements FairQueue.Entry, Retry {

    private final PurchaseRequest request;
    private final long deadlineNanos;
    private final Consumer<PurchaseReply> answer;

    private long firstDecidedNanos;
    private int offers;
    private boolean mayRide = true;

    Waiting(PurchaseRequest request, long deadlineNanos, Consumer<PurchaseReply> answer) {
      this.request = request;
      this.deadlineNanos = deadlineNanos;
      this.answer = answer;
    }

    @Override
    public ItemId item() {
      return request.lines().get(0).item();
    }

    @Override
    public int cost() {
      return request.lines().size();
    }

    @Override
    public long leftMs() {
      return (deadlineNanos - System.nanoTime()) / 1_000_000;
    }

    @Override
    public long heldMs() {
      return (System.nanoTime() - firstDecidedNanos) / 1_000_000;
    }

    @Override
    public int offers() {
      return offers;
    }

    @Override
    public void offerAgain() {
      offers++;
      users.enter(request.user());
      if (stopped) {
        refuse(ErrorCode.UNAVAILABLE);
        return;
      }
      putBack(List.of(this));
      schedulePump();
    }

    boolean isLate(long nowNanos) {
      return deadlineNanos - nowNanos <= 0;
    }

    /** As the script takes it; digests are made only for what is sent. */
    Purchase purchase() {
      return new Purchase(
          request.user(),
          digests.ofKey(request.key()),
          digests.ofBody(request.lines()),
          request.lines());
    }

    /** Hands the decision to whoever answers, or offers it again. */
    void decided(Decision decision, long nowNanos) {
      users.leave(request.user());
      if (offers == 0) {
        firstDecidedNanos = nowNanos;
      }
      replies.answer(session, request.lines(), decision, answer, this);
    }

    /** It never will be decided. */
    void refuse(ErrorCode code) {
      users.leave(request.user());
      answer.accept(PurchaseReply.refused(code, RETRY_AFTER_MS));
    }
  }

  PurchaseBatcher(
      Vertx vertx,
      ShardSession session,
      Options options,
      ReceiptFilters filters,
      DecisionReplies replies,
      EngineMetrics metrics) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.session = session;
    this.options = options;
    this.filters = filters;
    this.replies = replies;
    this.metrics = metrics;
    this.queue = new FairQueue<>(options.maxQueue);
    this.users = new UserTally(Math.max(MAX_UNDECIDED_PER_USER, options.limits.windowWins()));
  }

  /** Takes a purchase; {@code answer} is called once, on this event loop. */
  void offer(PurchaseRequest request, Consumer<PurchaseReply> answer) {
    if (session.closedForMs() > FAIL_FAST_AFTER_MS) {
      answer.accept(PurchaseReply.refused(ErrorCode.UNAVAILABLE, RETRY_AFTER_MS));
      return;
    }
    if (users.isHot(request.user())) {
      logHot("user", request.user());
      refuse(EngineMetrics.Overflow.USER, ErrorCode.RATE_LIMITED, answer);
      return;
    }
    ItemId item = request.lines().get(0).item();
    switch (queue.roomFor(item)) {
      case ROOM -> take(request, answer);
      case FULL -> refuse(EngineMetrics.Overflow.QUEUE, ErrorCode.BUSY, answer);
      case HOT_ITEM -> {
        logHot("item", item);
        refuse(EngineMetrics.Overflow.ITEM, ErrorCode.BUSY, answer);
      }
    }
  }

  private void take(PurchaseRequest request, Consumer<PurchaseReply> answer) {
    queue.add(new Waiting(request, System.nanoTime() + queueMs(request) * 1_000_000, answer));
    users.enter(request.user());
    metrics.queueChanged(1);
    schedulePump();
  }

  private void refuse(
      EngineMetrics.Overflow cause, ErrorCode code, Consumer<PurchaseReply> answer) {
    metrics.overflowed(cause);
    answer.accept(PurchaseReply.refused(code, RETRY_AFTER_MS));
  }

  private void logHot(String kind, Object id) {
    long now = System.nanoTime();
    if (now - lastLoggedAtNanos >= LOG_EVERY_MS * 1_000_000) {
      lastLoggedAtNanos = now;
      LOG.warn(
          "{} {} is hot in shard {}: {} purchases of {} items wait; its further ones are refused",
          kind,
          id,
          session.shard(),
          queue.size(),
          queue.items());
    }
  }

  /** The call itself may take its whole time-out, and the answer must still be in time. */
  private long queueMs(PurchaseRequest request) {
    return Math.max(1, request.budgetMs() - session.callTimeoutMs());
  }

  /** To be called when the shard became open. */
  void wake() {
    schedulePump();
  }

  /** Answers what still waits when the node stops, and what is offered again from here. */
  void refuseAll() {
    stopped = true;
    while (!queue.isEmpty()) {
      next().refuse(ErrorCode.UNAVAILABLE);
    }
  }

  /** How many purchases wait. */
  int depth() {
    return queue.size();
  }

  /** How many calls are in flight. */
  int callsInFlight() {
    return inFlight;
  }

  /**
   * Sends at the end of this turn of the event loop, so that purchases which arrived in one turn
   * share a call.
   */
  private void schedulePump() {
    if (!pumpScheduled) {
      pumpScheduled = true;
      context.runOnContext(
          turn -> {
            pumpScheduled = false;
            pump();
          });
    }
  }

  private void pump() {
    while (inFlight < options.callsInFlight && !queue.isEmpty()) {
      Optional<RedisLink> link = session.openLink();
      if (link.isEmpty()) {
        break;
      }
      Batch batch = takeBatch(session.epoch());
      if (!batch.sent.isEmpty()) {
        send(link.get(), batch);
      }
    }
    if (!queue.isEmpty()) {
      scheduleSweep();
    }
  }

  private Batch takeBatch(long epoch) {
    long now = System.nanoTime();
    Batch batch = new Batch(epoch);
    while (batch.hasRoom() && !queue.isEmpty()) {
      Waiting waiting = next();
      if (waiting.isLate(now)) {
        answerExpired(waiting);
      } else {
        batch.take(waiting);
      }
    }
    return batch;
  }

  /** The purchases of a call: those that are sent, and those that ride along. */
  private final class Batch {

    private final long epoch;
    private final List<Waiting> sent = new ArrayList<>(Math.min(queue.size(), options.maxBatch));
    private final Map<PurchaseLine, Ride> rides = new HashMap<>();
    private PurchaseLine latestLine;
    private Ride latest;
    private int riders;

    Batch(long epoch) {
      this.epoch = epoch;
    }

    boolean hasRoom() {
      return sent.size() < options.maxBatch && riders < MAX_RIDERS;
    }

    void take(Waiting waiting) {
      Ride ride = rideOf(waiting);
      if (ride == null || ride.filter.mayHold(waiting.request.user())) {
        sent.add(waiting);
      } else if (ride.leader < 0) {
        ride.leader = sent.size();
        sent.add(waiting);
      } else {
        ride.riders.add(waiting);
        riders++;
      }
    }

    /** The ride that a purchase could take; null when there is none. */
    private Ride rideOf(Waiting waiting) {
      List<PurchaseLine> lines = waiting.request.lines();
      if (filters.isEmpty() || !waiting.mayRide || lines.size() > 1) {
        return null;
      }
      PurchaseLine line = lines.get(0);
      if (!line.equals(latestLine)) {
        latestLine = line;
        latest = rides.computeIfAbsent(line, this::newRide);
      }
      return latest;
    }

    private Ride newRide(PurchaseLine line) {
      ReceiptFilter filter = filters.of(new Place(session.shard(), line.item()));
      return filter != null && filter.mark().epoch() == epoch ? new Ride(line, filter) : null;
    }

    /** All riders, who will be sent next time: they were not. */
    List<Waiting> riders() {
      List<Waiting> all = new ArrayList<>(riders);
      rides.values().forEach(ride -> all.addAll(ride.riders));
      return all;
    }
  }

  /**
   * Purchases of the same line whose users have no receipt of its item. The script would say the
   * same of all of them unless one wins, so one is sent, and the others get the status that he got:
   * when it depends on nobody, and the shard still has the mark under which the filter is complete.
   */
  private static final class Ride {

    private final PurchaseLine line;
    private final ReceiptFilter filter;
    private final List<Waiting> riders = new ArrayList<>();

    /** His place among those that are sent; below 0 while there is none. */
    private int leader = -1;

    Ride(PurchaseLine line, ReceiptFilter filter) {
      this.line = line;
      this.filter = filter;
    }
  }

  private Waiting next() {
    metrics.queueChanged(-1);
    return queue.poll();
  }

  private void answerExpired(Waiting waiting) {
    metrics.expired(1);
    ErrorCode code = session.isOpen() ? ErrorCode.BUSY : ErrorCode.UNAVAILABLE;
    waiting.refuse(code);
  }

  private void scheduleSweep() {
    if (!sweepScheduled) {
      sweepScheduled = true;
      vertx.setTimer(
          SWEEP_MS,
          id -> {
            sweepScheduled = false;
            long now = System.nanoTime();
            queue.drain(
                waiting -> waiting.isLate(now),
                waiting -> {
                  metrics.queueChanged(-1);
                  answerExpired(waiting);
                });
            pump();
          });
    }
  }

  private void send(RedisLink link, Batch batch) {
    List<Purchase> purchases = new ArrayList<>(batch.sent.size());
    for (Waiting waiting : batch.sent) {
      purchases.add(waiting.purchase());
    }
    inFlight++;
    long sentAt = System.nanoTime();
    call(link, batch.epoch, purchases)
        .onComplete(
            call -> {
              inFlight--;
              metrics.called(purchases.size(), System.nanoTime() - sentAt);
              if (call.failed()) {
                failed(batch, call.cause());
              } else if (call.result().result() instanceof Decided decided) {
                session.saw(batch.epoch, decided.headSeq());
                lead = decided.lead();
                decided(batch.sent, decided.decisions(), call.result().met());
                batch.rides.values().forEach(ride -> arrived(ride, decided));
              } else if (call.result().result() instanceof OtherLead other) {
                lead = other.lead();
                putBack(batch.riders());
                putBack(batch.sent);
              } else if (call.result().result() instanceof Refused refused) {
                refused(batch, refused.status());
              }
              pump();
            });
  }

  private Future<Replicated> call(RedisLink link, long epoch, List<Purchase> purchases) {
    long timeoutMs = session.callTimeoutMs();
    Fence fence = link.fence(epoch, timeoutMs);
    DecidePurchases.Batch batch =
        new DecidePurchases.Batch(
            options.limits,
            session.seenSeq(),
            options.items::groupOf,
            options.items::isWaitedForElsewhere,
            lead,
            purchases);
    return options
        .replicas
        .map(
            wait -> DecidePurchases.runAndWait(link, fence, session.keys(), batch, wait, timeoutMs))
        .orElseGet(
            () ->
                DecidePurchases.run(link, fence, session.keys(), batch, timeoutMs)
                    .map(result -> new Replicated(result, true)));
  }

  private void decided(List<Waiting> batch, List<Decision> decisions, boolean replicated) {
    boolean lost = false;
    long now = System.nanoTime();
    for (int i = 0; i < batch.size(); i++) {
      Waiting waiting = batch.get(i);
      Decision decision = decisions.get(i);
      metrics.decided(decision.status());
      lost |= decision.status() == PurchaseStatus.LOST;
      if (replicated || !tellsOfAWin(decision.status())) {
        waiting.decided(decision, now);
      } else {
        // It is there now, and a failover may forget it: a repetition finds out.
        metrics.unknown(1);
        waiting.refuse(ErrorCode.OUTCOME_UNKNOWN);
      }
    }
    if (lost) {
      session.refused(FenceStatus.FROZEN);
    }
  }

  private void arrived(Ride ride, Decided decided) {
    if (ride.riders.isEmpty()) {
      return;
    }
    Decision decision = decided.decisions().get(ride.leader);
    Long adds = decided.adds().get(ride.line.item());
    boolean complete = adds != null && adds == ride.filter.mark().adds();
    if (!complete) {
      filters.drop(new Place(session.shard(), ride.line.item()), ride.filter);
    }
    if (complete && isForAll(decision.status())) {
      metrics.rode(decision.status(), ride.riders.size());
      long now = System.nanoTime();
      for (Waiting rider : ride.riders) {
        rider.decided(decision, now);
      }
    } else {
      putBackRiders(ride.riders);
    }
  }

  /** Whether everybody who has no receipt is told the same. */
  private static boolean isForAll(PurchaseStatus status) {
    return switch (status) {
      case LINE, DRY, NOT_READY, NOT_STARTED, ENDED, PAUSED -> true;
      case WIN, REPLAY, CONFLICT, GROUP, LIMIT, WINDOW, LOST, LOG_FULL, NOT_WRITTEN, INVALID ->
          false;
    };
  }

  private static boolean tellsOfAWin(PurchaseStatus status) {
    return status == PurchaseStatus.WIN || status == PurchaseStatus.REPLAY;
  }

  /** The script certainly did nothing. */
  private void refused(Batch batch, FenceStatus status) {
    metrics.fenced();
    session.refused(status);
    putBackRiders(batch.riders());
    putBack(batch.sent);
  }

  private void failed(Batch batch, Throwable cause) {
    boolean neverSent =
        cause instanceof RedisCallException e && e.kind() == RedisCallException.Kind.NOT_EXECUTED;
    // Riders never are.
    putBackRiders(batch.riders());
    if (!neverSent) {
      metrics.unknown(batch.sent.size());
      answerAll(batch.sent, ErrorCode.OUTCOME_UNKNOWN);
    } else if (((RedisCallException) cause).code().equals("DOWN")) {
      putBack(batch.sent);
    } else {
      answerAll(batch.sent, ErrorCode.UNAVAILABLE);
    }
  }

  /** For one ride only, so that none waits for ever: next time they are sent. */
  private void putBackRiders(List<Waiting> riders) {
    riders.forEach(rider -> rider.mayRide = false);
    putBack(riders);
  }

  private void putBack(List<Waiting> batch) {
    for (int i = batch.size() - 1; i >= 0; i--) {
      queue.putBack(batch.get(i));
    }
    metrics.queueChanged(batch.size());
    scheduleSweep();
  }

  private static void answerAll(List<Waiting> batch, ErrorCode code) {
    for (Waiting waiting : batch) {
      waiting.refuse(code);
    }
  }
}
