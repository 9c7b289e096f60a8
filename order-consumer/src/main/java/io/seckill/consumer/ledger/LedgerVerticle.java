package io.seckill.consumer.ledger;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.Done;
import io.seckill.common.bus.EpochClose;
import io.seckill.common.bus.EpochClosed;
import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.ItemChanged;
import io.seckill.common.bus.ItemCreate;
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
import io.seckill.common.config.SeckillConfig;
import io.seckill.consumer.Answers;
import io.seckill.consumer.ConsumerMetrics;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.store.TransferLedger;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers for the ledger: regions, shards, items; and archives what ended long ago. */
public final class LedgerVerticle extends VerticleBase {

  private static final Logger LOG = LoggerFactory.getLogger(LedgerVerticle.class);

  /** How often the archive looks, unless items are archived sooner than that. */
  private static final long ARCHIVE_EVERY_MS = 60_000;

  private final SeckillConfig config;
  private final ConsumerMetrics metrics;
  private Database database;
  private ItemArchive archive;
  private Answers answers;
  private long archiveTimer = -1;
  private Future<?> archiving = Future.succeededFuture();

  /** Makes the verticle. */
  public LedgerVerticle(SeckillConfig config, ConsumerMetrics metrics) {
    this.config = config;
    this.metrics = metrics;
  }

  @Override
  public Future<?> start() {
    database = Database.open(vertx, config.mysql(), Database.Share.ASKING);
    ShardLedger shards = new ShardLedger(database);
    ShardSnapshots snapshots = new ShardSnapshots(database);
    GroupHoldings groups = new GroupHoldings(database);
    Waiters waiters = new Waiters(database);
    SalesLedger sales = new SalesLedger(database);
    ReleaseLedger releases = new ReleaseLedger(database);
    TransferLedger transfers = new TransferLedger(database, metrics);
    int region = config.node().region();
    ItemLedger items = new ItemLedger(database, region);
    archive = new ItemArchive(database, region, config.consumer().archiveAfterMs());
    archiveLater();
    answers =
        new Answers(vertx.eventBus())
            .<RegionJoin, RegionJoined>on(Addresses.LEDGER_JOIN, shards::join)
            .<ShardClaim, ShardClaimed>on(Addresses.LEDGER_CLAIM_SHARD, shards::claim)
            .<EpochClose, EpochClosed>on(Addresses.LEDGER_CLOSE_EPOCH, shards::close)
            .<ShardOpen, Done>on(Addresses.LEDGER_OPEN_SHARD, shards::open)
            .<ShardSnapshotQuery, ShardSnapshot>on(
                Addresses.LEDGER_SHARD_SNAPSHOT, snapshots::snapshot)
            .<ShardReceiptsQuery, ShardReceipts>on(
                Addresses.LEDGER_SHARD_RECEIPTS, snapshots::receipts)
            .<ShardHoldingsQuery, ShardHoldings>on(Addresses.LEDGER_SHARD_HOLDINGS, groups::page)
            .<ShardWaitersQuery, ShardWaiters>on(Addresses.LEDGER_SHARD_WAITERS, waiters::page)
            .<TransferStore, TransferStored>on(Addresses.LEDGER_STORE_TRANSFER, transfers::store)
            .<ReleasesQuery, Releases>on(Addresses.LEDGER_RELEASES, releases::page)
            .<SalesChange, SalesRecord>on(Addresses.LEDGER_CHANGE_SALES, sales::change)
            .<SalesQuery, SalesRecord>on(Addresses.LEDGER_SALES, sales::query)
            .<ItemCreate, ItemRecords>on(Addresses.LEDGER_CREATE_ITEM, items::create)
            .<ItemChange, ItemChanged>on(Addresses.LEDGER_CHANGE_ITEM, items::change)
            .<ItemQuery, ItemRecords>on(Addresses.LEDGER_ITEMS, items::query);
    return answers.registered();
  }

  private void archiveLater() {
    long pauseMs = Math.min(ARCHIVE_EVERY_MS, config.consumer().archiveAfterMs());
    archiveTimer =
        vertx.setTimer(
            pauseMs,
            id ->
                archiving =
                    archive
                        .round()
                        .onSuccess(this::archived)
                        // MySQL away: the next round comes.
                        .onFailure(failure -> LOG.debug("archiving: {}", failure.toString()))
                        .onComplete(done -> archiveLater()));
  }

  private void archived(int items) {
    if (items > 0) {
      metrics.archived(items);
      LOG.info("archived {} items that ended long ago", items);
    }
  }

  @Override
  public Future<?> stop() {
    return answers
        .stop()
        .transform(stopped -> archiving)
        .transform(
            done -> {
              vertx.cancelTimer(archiveTimer);
              return database.close();
            });
  }
}
