package io.seckill.engine;

import io.seckill.common.config.SeckillConfig;
import io.seckill.lua.DecidePurchases;
import java.util.HexFormat;

/** What the engine's verticles share. Immutable, or safe for all threads where it says so. */
record EngineContext(
    SeckillConfig config, ShardAccess access, SoldOutState soldOut, EngineMetrics metrics) {

  int region() {
    return config.node().region();
  }

  byte[] orderIdKey() {
    return HexFormat.of().parseHex(config.orderId().key().value());
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
            config.admission().userWindowMs()));
  }
}
