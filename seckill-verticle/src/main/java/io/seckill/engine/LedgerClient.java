package io.seckill.engine;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.BusFailures;
import io.seckill.common.bus.Done;
import io.seckill.common.bus.EpochClose;
import io.seckill.common.bus.EpochClosed;
import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.ItemChanged;
import io.seckill.common.bus.ItemQuery;
import io.seckill.common.bus.ItemRecords;
import io.seckill.common.bus.RegionJoin;
import io.seckill.common.bus.RegionJoined;
import io.seckill.common.bus.Releases;
import io.seckill.common.bus.ReleasesQuery;
import io.seckill.common.bus.SalesChange;
import io.seckill.common.bus.SalesQuery;
import io.seckill.common.bus.SalesRecord;
import io.seckill.common.bus.ShardClaim;
import io.seckill.common.bus.ShardClaimed;
import io.seckill.common.bus.ShardHoldings;
import io.seckill.common.bus.ShardHoldingsQuery;
import io.seckill.common.bus.ShardOpen;
import io.seckill.common.bus.ShardReceipts;
import io.seckill.common.bus.ShardReceiptsQuery;
import io.seckill.common.bus.ShardSnapshot;
import io.seckill.common.bus.ShardSnapshotQuery;
import io.seckill.common.bus.ShardWaiters;
import io.seckill.common.bus.ShardWaitersQuery;
import io.seckill.common.bus.TransferStore;
import io.seckill.common.bus.TransferStored;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemRecord;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import java.util.List;

/**
 * The ledger, as the engine asks for it over the bus. Every call fails with {@code
 * SeckillException} only; a time-out is OUTCOME_UNKNOWN where the ledger may have written, and all
 * writes are idempotent.
 */
final class LedgerClient {

  /** Longer than one transaction of the ledger may take. */
  private static final DeliveryOptions WRITE = new DeliveryOptions().setSendTimeout(20_000);

  private static final DeliveryOptions READ = new DeliveryOptions().setSendTimeout(10_000);

  /**
   * A shard of a million orders is read in about 5 s; the opening says meanwhile that it is alive.
   */
  private static final DeliveryOptions SNAPSHOT = new DeliveryOptions().setSendTimeout(120_000);

  private static final DeliveryOptions TRANSFER = new DeliveryOptions().setSendTimeout(2_000);

  private final EventBus bus;

  LedgerClient(EventBus bus) {
    this.bus = bus;
  }

  Future<RegionJoined> join(RegionJoin join) {
    return write(Addresses.LEDGER_JOIN, join);
  }

  Future<ShardClaimed> claim(ShardClaim claim) {
    return write(Addresses.LEDGER_CLAIM_SHARD, claim);
  }

  Future<EpochClosed> close(EpochClose close) {
    return write(Addresses.LEDGER_CLOSE_EPOCH, close);
  }

  Future<Done> open(ShardOpen open) {
    return write(Addresses.LEDGER_OPEN_SHARD, open);
  }

  Future<ItemChanged> change(ItemChange change) {
    return write(Addresses.LEDGER_CHANGE_ITEM, change);
  }

  Future<SalesRecord> change(SalesChange change) {
    return write(Addresses.LEDGER_CHANGE_SALES, change);
  }

  Future<SalesRecord> sales(SalesQuery query) {
    return read(Addresses.LEDGER_SALES, query);
  }

  /** Soon, or as good as never: whoever waits for the units has gone by then. */
  Future<TransferStored> storeTransfer(TransferStore transfer) {
    return request(Addresses.LEDGER_STORE_TRANSFER, transfer, TRANSFER, ErrorCode.OUTCOME_UNKNOWN);
  }

  /** One item; NOT_FOUND when the ledger does not know it. */
  Future<ItemRecord> item(ItemId item) {
    Future<ItemRecords> reply = read(Addresses.LEDGER_ITEMS, new ItemQuery(item));
    return reply.compose(
        records ->
            records.items().stream()
                .findFirst()
                .map(Future::succeededFuture)
                .orElseGet(
                    () ->
                        Future.failedFuture(
                            new SeckillException(ErrorCode.NOT_FOUND, "no such item"))));
  }

  Future<List<ItemRecord>> items() {
    Future<ItemRecords> reply = read(Addresses.LEDGER_ITEMS, new ItemQuery(null));
    return reply.map(ItemRecords::items);
  }

  Future<ShardSnapshot> snapshot(ShardSnapshotQuery query) {
    return request(Addresses.LEDGER_SHARD_SNAPSHOT, query, SNAPSHOT, ErrorCode.UNAVAILABLE);
  }

  Future<ShardHoldings> holdings(ShardHoldingsQuery query) {
    return read(Addresses.LEDGER_SHARD_HOLDINGS, query);
  }

  Future<ShardWaiters> waiters(ShardWaitersQuery query) {
    return read(Addresses.LEDGER_SHARD_WAITERS, query);
  }

  Future<ShardReceipts> receipts(ShardReceiptsQuery query) {
    return read(Addresses.LEDGER_SHARD_RECEIPTS, query);
  }

  Future<Releases> releases(ReleasesQuery query) {
    return read(Addresses.LEDGER_RELEASES, query);
  }

  private <T> Future<T> write(String address, Record message) {
    return request(address, message, WRITE, ErrorCode.OUTCOME_UNKNOWN);
  }

  private <T> Future<T> read(String address, Record message) {
    return request(address, message, READ, ErrorCode.UNAVAILABLE);
  }

  private <T> Future<T> request(
      String address, Record message, DeliveryOptions options, ErrorCode onTimeout) {
    return bus.<T>request(address, message, options)
        .map(Message::body)
        .recover(failure -> Future.failedFuture(explain(failure, onTimeout)));
  }

  /** Operators have to learn which part is away. */
  private static SeckillException explain(Throwable failure, ErrorCode onTimeout) {
    boolean nobody =
        failure instanceof ReplyException e && e.failureType() == ReplyFailure.NO_HANDLERS;
    return nobody
        ? new SeckillException(ErrorCode.UNAVAILABLE, "no consumer role answers on the bus")
        : BusFailures.translate(failure, onTimeout);
  }
}
