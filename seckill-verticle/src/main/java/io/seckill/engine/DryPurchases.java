package io.seckill.engine;

import io.seckill.common.id.ItemId;
import io.seckill.common.order.PurchaseLine;
import io.seckill.engine.Supply.Shortage;
import io.seckill.engine.Supply.Verdict;
import io.seckill.lua.ReadItems;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Purchases that wait for units, in the order in which they came. While any waits, the shards are
 * read again and again; after each reading whoever finds his units in his shard is let go, and for
 * those who lack some, units are sent for. Belongs to the event loop of the board.
 */
final class DryPurchases implements Supply.Clerk {

  /** How exact a wait is. */
  private static final long SWEEP_MS = 10;

  /** Pauses between readings while nothing changes: they grow, so that a stalemate costs little. */
  private static final long PAUSE_FIRST_MS = 1;

  private static final long PAUSE_MAX_MS = 40;

  /**
   * The pause while all that is waited for is on its way: its arrival ends it, and a reading before
   * that would tell nothing to those who wait now.
   */
  private static final long PAUSE_FED_MS = 10;

  private final Vertx vertx;
  private final BoardKeeper keeper;
  private final Transfers transfers;

  private List<Waiter> waiters = new ArrayList<>();
  private boolean looking;
  private boolean stopped;
  private long pauseTimer = -1;
  private long sweepTimer = -1;
  private long pauseMs;

  private static final class Waiter {
    final Shortage shortage;

    /** Whether he waits for units, or only for a look at his items. */
    final boolean forUnits;

    final long untilNanos;
    final long firstPass;
    final Promise<Verdict> verdict = Promise.promise();

    Waiter(Shortage shortage, boolean forUnits, long untilNanos, long firstPass) {
      this.shortage = shortage;
      this.forUnits = forUnits;
      this.untilNanos = untilNanos;
      this.firstPass = firstPass;
    }
  }

  DryPurchases(Vertx vertx, BoardKeeper keeper, Transfers transfers) {
    this.vertx = vertx;
    this.keeper = keeper;
    this.transfers = transfers;
  }

  @Override
  public Future<Verdict> serve(Shortage shortage) {
    return join(shortage, true);
  }

  @Override
  public Future<Verdict> learn(Shortage unknown) {
    return join(unknown, false);
  }

  private Future<Verdict> join(Shortage shortage, boolean forUnits) {
    if (stopped) {
      return Future.succeededFuture(Verdict.BUSY);
    }
    long waitMs = Math.max(0, shortage.waitMs() - SWEEP_MS);
    Waiter waiter =
        new Waiter(shortage, forUnits, System.nanoTime() + waitMs * 1_000_000, keeper.passes() + 1);
    if (waiters.isEmpty()) {
      pauseMs = 0;
      sweepTimer = vertx.setPeriodic(SWEEP_MS, id -> sweep());
    }
    waiters.add(waiter);
    lookLater();
    return waiter.verdict.future();
  }

  /** Tells all who wait that their units did not come, and whoever comes from here. */
  void stop() {
    stopped = true;
    List<Waiter> all = waiters;
    waiters = new ArrayList<>();
    stopWhenEmpty();
    all.forEach(waiter -> waiter.verdict.complete(Verdict.BUSY));
  }

  /** To be called when units came into a shard: who waits for them need not pause. */
  void unitsCame() {
    if (vertx.cancelTimer(pauseTimer)) {
      look();
    }
    pauseMs = 0;
  }

  /** To be called after each pass over the shards. */
  void passed() {
    if (waiters.isEmpty()) {
      return;
    }
    long beganNanos = System.nanoTime();
    Map<ItemId, Found> round = new LinkedHashMap<>();
    List<Waiter> all = waiters;
    List<Waiter> still = new ArrayList<>();
    List<Runnable> answers = new ArrayList<>();
    for (Waiter waiter : all) {
      Verdict verdict = waiter.forUnits ? judge(waiter, round) : seen(waiter, round);
      if (verdict == null) {
        still.add(waiter);
      } else {
        answers.add(() -> waiter.verdict.complete(verdict));
      }
    }
    // Only now: whatever goes wrong while they are looked at, all are still there to be told in
    // time.
    waiters = still;
    answers.forEach(Runnable::run);
    stopWhenEmpty();
    boolean sent = false;
    boolean needy = false;
    boolean fed = true;
    for (Found found : round.values()) {
      if (!found.needs.isEmpty()) {
        needy = true;
        sent |= transfers.onDemand(found.stocks, found.needs, this::unitsCame);
        fed &= transfers.areUnderWay(found.stocks.item(), found.needs.keySet());
      }
    }
    // A crowd of waiters must not take more than half of the loop's time.
    long tookMs = (System.nanoTime() - beganNanos) / 1_000_000;
    boolean progress = sent || still.size() < all.size();
    pauseMs = Math.max(tookMs, pauseAfter(needy && fed, progress));
  }

  private long pauseAfter(boolean allFed, boolean progress) {
    if (allFed) {
      return PAUSE_FED_MS;
    }
    return progress ? PAUSE_FIRST_MS : longerPause();
  }

  /** With some chance in it, so that two nodes which took units from each other do not go on so. */
  private long longerPause() {
    long random = ThreadLocalRandom.current().nextLong(1 + 2 * pauseMs);
    return Math.min(PAUSE_MAX_MS, PAUSE_FIRST_MS + pauseMs + random);
  }

  /**
   * What one reading tells of an item, worked out once for all who wait for it, and what is given
   * away and found missing as they are looked at in turn.
   */
  private static final class Found {

    /** Null when no shard that could be read has the item. */
    final ItemStocks stocks;

    final boolean soldOut;

    /** Whoever wants more than these cannot get them; units that cannot be counted are enough. */
    final long most;

    /** Units of each shard that no earlier waiter is let go for, or gathers. */
    final long[] free;

    final Map<Integer, Long> needs = new LinkedHashMap<>();

    Found(ItemStocks stocks, boolean soldOut) {
      this.stocks = stocks;
      this.soldOut = soldOut;
      long unsold = stocks != null && stocks.everywhere() ? stocks.unsold() : 0;
      this.most = unsold > 0 ? unsold : Long.MAX_VALUE;
      this.free =
          stocks == null
              ? new long[0]
              : stocks.shards().stream()
                  .mapToLong(shard -> shard.readable() ? shard.left() : 0)
                  .toArray();
    }

    boolean isOf(Waiter waiter) {
      return stocks != null && stocks.pass() >= waiter.firstPass;
    }

    void reserve(int shard, int quantity) {
      long taken = Math.min(free[shard], quantity);
      free[shard] -= taken;
      if (taken < quantity && stocks.shards().get(shard).readable()) {
        needs.merge(shard, quantity - taken, Long::sum);
      }
    }
  }

  private Found found(Map<ItemId, Found> round, ItemId item) {
    Found found = round.get(item);
    if (found == null) {
      found = new Found(keeper.stocks(item), keeper.isSoldOut(item));
      round.put(item, found);
    }
    return found;
  }

  /** What to tell one who waits for units; null to let him wait on. */
  private Verdict judge(Waiter waiter, Map<ItemId, Found> round) {
    List<PurchaseLine> lines = waiter.shortage.lines();
    int shard = waiter.shortage.shard();
    boolean fresh = true;
    boolean here = true;
    for (PurchaseLine line : lines) {
      Found found = found(round, line.item());
      int quantity = line.quantity().value();
      if (found.soldOut) {
        return Verdict.SOLD_OUT;
      }
      if (!found.isOf(waiter)) {
        fresh = false;
      } else if (quantity > found.most) {
        return Verdict.INSUFFICIENT_STOCK;
      } else {
        here &= found.free[shard] >= quantity;
      }
    }
    if (!fresh) {
      return null;
    }
    for (PurchaseLine line : lines) {
      found(round, line.item()).reserve(shard, line.quantity().value());
    }
    if (here) {
      return Verdict.OFFER_AGAIN;
    }
    boolean hopeless = !transfers.isPossible() && keeper.passes() > waiter.firstPass;
    return hopeless ? Verdict.BUSY : null;
  }

  /** What to tell one who waits for a look at his items; null to let him wait on. */
  private Verdict seen(Waiter waiter, Map<ItemId, Found> round) {
    boolean all =
        waiter.shortage.lines().stream().allMatch(line -> found(round, line.item()).isOf(waiter));
    return all ? Verdict.OFFER_AGAIN : null;
  }

  private void sweep() {
    long now = System.nanoTime();
    List<Waiter> still = new ArrayList<>(waiters.size());
    List<Waiter> all = waiters;
    waiters = still;
    for (Waiter waiter : all) {
      if (waiter.untilNanos - now <= 0) {
        waiter.verdict.complete(Verdict.BUSY);
      } else {
        still.add(waiter);
      }
    }
    stopWhenEmpty();
  }

  private void stopWhenEmpty() {
    if (waiters.isEmpty()) {
      vertx.cancelTimer(sweepTimer);
    }
  }

  private void lookLater() {
    if (looking || waiters.isEmpty()) {
      return;
    }
    looking = true;
    if (pauseMs == 0) {
      look();
    } else {
      pauseTimer = vertx.setTimer(pauseMs, id -> look());
    }
  }

  private void look() {
    keeper
        .look(this::itemsWaitedFor)
        .onComplete(
            done -> {
              looking = false;
              lookLater();
            });
  }

  private Set<ItemId> itemsWaitedFor() {
    Set<ItemId> items = new LinkedHashSet<>();
    for (Waiter waiter : waiters) {
      for (PurchaseLine line : waiter.shortage.lines()) {
        if (items.size() < ReadItems.MAX_ITEMS) {
          items.add(line.item());
        }
      }
    }
    return items;
  }
}
