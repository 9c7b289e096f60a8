package io.seckill.consumer.ledger;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.Done;
import io.seckill.common.bus.EpochClose;
import io.seckill.common.bus.EpochClosed;
import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.ItemCreate;
import io.seckill.common.bus.ItemQuery;
import io.seckill.common.bus.ItemRecords;
import io.seckill.common.bus.RegionJoin;
import io.seckill.common.bus.RegionJoined;
import io.seckill.common.bus.ShardClaim;
import io.seckill.common.bus.ShardClaimed;
import io.seckill.common.bus.ShardOpen;
import io.seckill.common.bus.ShardReceipts;
import io.seckill.common.bus.ShardReceiptsQuery;
import io.seckill.common.bus.ShardSnapshot;
import io.seckill.common.bus.ShardSnapshotQuery;
import io.seckill.common.config.SeckillConfig;
import io.seckill.consumer.Answers;
import io.seckill.consumer.db.Database;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;

/** Answers for the ledger: regions, shards, items. */
public final class LedgerVerticle extends VerticleBase {

  private final SeckillConfig config;
  private Database database;
  private Answers answers;

  /** Makes the verticle. */
  public LedgerVerticle(SeckillConfig config) {
    this.config = config;
  }

  @Override
  public Future<?> start() {
    database = Database.open(vertx, config.mysql(), Database.Share.ASKING);
    ShardLedger shards = new ShardLedger(database);
    ShardSnapshots snapshots = new ShardSnapshots(database);
    ItemLedger items = new ItemLedger(database, config.node().region());
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
            .<ItemCreate, ItemRecords>on(Addresses.LEDGER_CREATE_ITEM, items::create)
            .<ItemChange, ItemRecords>on(Addresses.LEDGER_CHANGE_ITEM, items::change)
            .<ItemQuery, ItemRecords>on(Addresses.LEDGER_ITEMS, items::query);
    return answers.registered();
  }

  @Override
  public Future<?> stop() {
    return answers.stop().transform(stopped -> database.close());
  }
}
