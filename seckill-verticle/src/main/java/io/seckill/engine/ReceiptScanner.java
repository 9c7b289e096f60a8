package io.seckill.engine;

import io.seckill.common.bus.ItemView;
import io.seckill.common.bus.ItemView.ShardMark;
import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemState;
import io.seckill.engine.ReceiptFilters.Place;
import io.seckill.lua.RedisLink;
import io.seckill.lua.ScanReceipts;
import io.seckill.lua.ScanReceipts.Page;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Makes the receipt filters of items that are sold out and of which no unit is left, one after the
 * other and slowly: what they save is Redis' time. A scan counts only when every page tells the
 * (epoch, adds) that the board has of the shard, and no stock: then nobody has won between its
 * pages. Items of a group have no filter, because whether a buyer is refused depends on what he
 * holds of its other items.
 *
 * <p>Belongs to one event loop.
 */
final class ReceiptScanner {

  /** How often it is looked what lacks a filter, and whose filter is out of date. */
  private static final long LOOK_MS = 100;

  /** Between two pages, so that a scan takes some hundredths of the server's time. */
  private static final long PAUSE_MS = 4;

  /**
   * After a scan that came to nothing a place is left alone this long, doubling up to the bound.
   */
  private static final long FIRST_PAUSE_MS = 500;

  private static final long MAX_PAUSE_MS = 30_000;

  /** Receipts of one filter; a scan of more takes longer than a crowd lasts. 2 MB. */
  static final int MAX_USERS = 1_000_000;

  /** Receipts of all filters of the process: 32 MB. */
  static final long MAX_USERS_IN_ALL = 16_000_000;

  private final Vertx vertx;
  private final List<ShardSession> sessions;
  private final SoldOutState soldOut;
  private final ReceiptFilters filters;
  private final Deque<Scan> waiting = new ArrayDeque<>();
  private final Map<Place, Pause> pauses = new HashMap<>();

  private boolean scanning;
  private boolean stopped;
  private long timer = -1;

  /**
   * Why a place is left alone: units keep coming back to it, or it has too many receipts.
   *
   * @param lengthMs how long, this time
   * @param untilNanos until when
   */
  private record Pause(long lengthMs, long untilNanos) {}

  ReceiptScanner(
      Vertx vertx, List<ShardSession> sessions, SoldOutState soldOut, ReceiptFilters filters) {
    this.vertx = vertx;
    this.sessions = sessions;
    this.soldOut = soldOut;
    this.filters = filters;
  }

  void start() {
    timer = vertx.setPeriodic(LOOK_MS, id -> look());
  }

  void stop() {
    stopped = true;
    vertx.cancelTimer(timer);
  }

  private void look() {
    Map<ItemId, ItemView> views = soldOut.views();
    if (!filters.isEmpty()) {
      filters.keepOnly((place, filter) -> isOfUse(views.get(place.item()), place, filter));
    }
    if (scanning) {
      return;
    }
    pauses.keySet().removeIf(place -> !views.containsKey(place.item()));
    for (ItemView view : views.values()) {
      if (view.soldOut() && view.remaining() == 0 && mayHaveFilters(view)) {
        for (int shard = 0; shard < view.shards().size(); shard++) {
          Place place = new Place(shard, view.definition().id());
          if (filters.of(place) == null && !isPaused(place)) {
            waiting.add(new Scan(place, view.shards().get(shard)));
          }
        }
      }
    }
    nextScan();
  }

  private boolean isPaused(Place place) {
    Pause pause = pauses.get(place);
    return pause != null && pause.untilNanos - System.nanoTime() > 0;
  }

  private void pause(Place place) {
    Pause last = pauses.get(place);
    long lengthMs = last == null ? FIRST_PAUSE_MS : Math.min(2 * last.lengthMs, MAX_PAUSE_MS);
    pauses.put(place, new Pause(lengthMs, System.nanoTime() + lengthMs * 1_000_000));
  }

  private static boolean mayHaveFilters(ItemView view) {
    return view.definition().group() == null && view.state() != ItemState.ENDED;
  }

  /** A shard that cannot be read just now may still have what it had. */
  private static boolean isOfUse(ItemView view, Place place, ReceiptFilter filter) {
    if (view == null || !mayHaveFilters(view)) {
      return false;
    }
    ShardMark mark =
        place.shard() < view.shards().size()
            ? view.shards().get(place.shard())
            : ShardMark.UNREADABLE;
    return mark.equals(ShardMark.UNREADABLE) || mark.equals(filter.mark());
  }

  /** Begins the next one that can be begun. */
  private void nextScan() {
    Scan next;
    do {
      next = waiting.poll();
    } while (next != null && !next.readPage());
    scanning = next != null;
  }

  private void later(Runnable step) {
    vertx.setTimer(PAUSE_MS, id -> step.run());
  }

  /** One filter in the making. */
  private final class Scan {

    private final Place place;
    private final ShardMark mark;
    private String cursor = ScanReceipts.START;
    private ReceiptFilter.Builder filter;

    Scan(Place place, ShardMark mark) {
      this.place = place;
      this.mark = mark;
    }

    /** Asks for a page; false when the shard is not there. */
    boolean readPage() {
      ShardSession session = sessions.get(place.shard());
      Optional<RedisLink> link =
          session.epoch() == mark.epoch() ? session.link() : Optional.empty();
      if (stopped || link.isEmpty()) {
        return false;
      }
      long timeoutMs = session.callTimeoutMs();
      ScanReceipts.run(
              link.get(),
              link.get().fence(mark.epoch(), timeoutMs),
              session.keys(),
              place.item(),
              cursor,
              timeoutMs)
          .otherwise(Optional.empty())
          .onSuccess(page -> took(page.orElse(null)));
      return true;
    }

    private void took(Page page) {
      boolean counts =
          page != null && page.adds() == mark.adds() && page.stock() <= 0 && fits(page);
      if (counts) {
        page.users().forEach(filter::add);
      }
      if (counts && !page.isLast()) {
        cursor = page.next();
        later(this::goOn);
        return;
      }
      if (counts) {
        filters.put(place, filter.build());
        pauses.remove(place);
      } else {
        pause(place);
      }
      later(ReceiptScanner.this::nextScan);
    }

    private void goOn() {
      if (!readPage()) {
        nextScan();
      }
    }

    private boolean fits(Page page) {
      if (filter == null
          && page.receipts() <= MAX_USERS
          && filters.users() + page.receipts() <= MAX_USERS_IN_ALL) {
        filter = new ReceiptFilter.Builder(mark, (int) page.receipts());
      }
      return filter != null;
    }
  }
}
