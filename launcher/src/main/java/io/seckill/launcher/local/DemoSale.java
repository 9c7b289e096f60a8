package io.seckill.launcher.local;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.BusFailures;
import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.ItemChanged;
import io.seckill.common.bus.ItemCreate;
import io.seckill.common.bus.ItemQuery;
import io.seckill.common.bus.ItemRecords;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemRecord;
import io.seckill.common.item.ItemState;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import java.util.Comparator;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Sees to it that something is on sale, so that a first look at the system has something to buy.
 */
public final class DemoSale {

  private static final String ACTOR = "run";
  private static final long FIRST_ID = 1_001;
  private static final long STOCK = 10_000;
  private static final long PRICE_MINOR = 99_900;
  private static final long DURATION_MS = TimeUnit.HOURS.toMillis(24);
  private static final long PAY_WITHIN_MS = TimeUnit.MINUTES.toMillis(15);

  /** A sale that ends sooner is of no use to somebody who has just started. */
  private static final long MIN_LEFT_MS = TimeUnit.HOURS.toMillis(1);

  private static final DeliveryOptions BOUND = new DeliveryOptions().setSendTimeout(20_000);

  private final EventBus bus;
  private final long nowMs;

  /**
   * For a node that has all roles, or reaches them.
   *
   * @param bus the node's bus
   * @param nowMs the wall clock
   */
  public DemoSale(EventBus bus, long nowMs) {
    this.bus = bus;
    this.nowMs = nowMs;
  }

  /** An item that is on sale: one that is there, else a new one. */
  public Future<ItemId> ensureOpen() {
    return ask(Addresses.LEDGER_ITEMS, new ItemQuery(null), ItemRecords.class)
        .compose(
            found ->
                found.items().stream()
                    .filter(this::isOnSale)
                    .min(Comparator.comparing(item -> item.definition().id()))
                    .map(item -> Future.succeededFuture(item.definition().id()))
                    .orElseGet(() -> open(freeId(found))));
  }

  /** An easy number, so that lines in our documents work as they are printed. */
  private static ItemId freeId(ItemRecords found) {
    Set<ItemId> taken =
        found.items().stream().map(item -> item.definition().id()).collect(Collectors.toSet());
    return LongStream.iterate(FIRST_ID, id -> id + 1)
        .mapToObj(ItemId::new)
        .filter(id -> !taken.contains(id))
        .findFirst()
        .orElseThrow();
  }

  private boolean isOnSale(ItemRecord item) {
    return item.state() == ItemState.OPEN
        && item.definition().startsAtMs() <= nowMs
        && item.definition().endsAtMs() > nowMs + MIN_LEFT_MS;
  }

  private Future<ItemId> open(ItemId id) {
    ItemDefinition definition =
        new ItemDefinition(
            id, "Demo phone", PRICE_MINOR, "CNY", "", 1, nowMs, nowMs + DURATION_MS, PAY_WITHIN_MS);
    return ask(
            Addresses.LEDGER_CREATE_ITEM,
            new ItemCreate(UUID.randomUUID().toString(), ACTOR, definition, STOCK),
            ItemRecords.class)
        .compose(
            created ->
                ask(
                    Addresses.CHANGE_ITEM,
                    new ItemChange(
                        UUID.randomUUID().toString(),
                        ACTOR,
                        id,
                        ItemChange.Action.PREHEAT,
                        ItemChange.Values.NONE),
                    ItemChanged.class))
        .map(id);
  }

  private <T> Future<T> ask(String address, Record message, Class<T> answer) {
    return bus.request(address, message, BOUND)
        .map(Message::body)
        .map(answer::cast)
        .recover(
            failure -> Future.failedFuture(BusFailures.translate(failure, ErrorCode.UNAVAILABLE)));
  }
}
