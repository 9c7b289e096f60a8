package io.seckill.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The engines of one test on a standalone server, stopped in the reverse of their start. */
final class EngineNodes {

  private final List<EngineFixture> engines = new ArrayList<>();

  /** An engine on an emptied server, whose log is stored. */
  EngineFixture start(int shards, String... more) throws Exception {
    EngineFixture engine =
        new EngineFixture(EngineServers.STANDALONE.emptied(), config(shards, more));
    engines.add(engine);
    engine.keepStoring();
    return engine;
  }

  /** Another one beside it. */
  EngineFixture startSecond(EngineFixture first, String... more) throws Exception {
    EngineFixture engine =
        new EngineFixture(
            first.config.redis().uri(), config(first.keys.length, more), first.ledger);
    engines.add(engine);
    return engine;
  }

  private static Map<String, String> config(int shards, String... more) {
    Map<String, String> config = new HashMap<>();
    config.put("redis.shards", Integer.toString(shards));
    for (int i = 0; i < more.length; i += 2) {
      config.put(more[i], more[i + 1]);
    }
    return config;
  }

  /** Stops all. */
  void stop() throws Exception {
    for (int i = engines.size() - 1; i >= 0; i--) {
      engines.get(i).close();
    }
    engines.clear();
  }
}
