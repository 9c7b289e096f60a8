package io.seckill.engine;

import io.seckill.common.config.SeckillConfig;
import io.seckill.lua.DecidePurchases;
import io.seckill.lua.ItemGroups;
import io.seckill.lua.ReplicaWait;
import java.util.HexFormat;
import java.util.Optional;

/** What the engine's verticles share. Immutable, or safe for all threads where it says so. */
record EngineContext(
    SeckillConfig config,
    ShardAccess access,
    SoldOutState soldOut,
    ReceiptFilters filters,
    Supply supply,
    EngineMetrics metrics) {

  int region() {
    return config.node().region();
  }

  byte[] orderIdKey() {
    return HexFormat.of().parseHex(config.orderId().key().value());
  }

  /** The groups of items as this node knows them; safe for use from all threads. */
  ItemGroups groups() {
    return soldOut::groupOf;
  }

  PurchaseBatcher.Options batcherOptions() {
    SeckillConfig.Engine engine = config.engine();
    return new PurchaseBatcher.Options(
        engine.maxQueue(),
        engine.maxBatch(),
        engine.callsInFlight(),
        new DecidePurchases.Limits(
            engine.maxLogEntries(),
            config.admission().userPerWindow(),
            config.admission().userWindowMs()),
        soldOut,
        config.redis().durability() == SeckillConfig.Durability.REPLICA
            ? Optional.of(new ReplicaWait(config.redis().waitReplicas(), config.redis().waitMs()))
            : Optional.empty());
  }
}
