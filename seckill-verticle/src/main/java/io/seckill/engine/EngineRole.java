package io.seckill.engine;

import io.micrometer.core.instrument.MeterRegistry;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.role.RoleDeployment;
import io.vertx.core.DeploymentOptions;
import java.util.List;

/** The composition root of the engine. */
public final class EngineRole {

  private EngineRole() {}

  /** The engine's verticles, in the order of their start. */
  public static List<RoleDeployment> deployments(SeckillConfig config, MeterRegistry registry) {
    ReceiptFilters filters = new ReceiptFilters();
    EngineMetrics metrics = new EngineMetrics(registry, filters::users);
    EngineContext engine =
        new EngineContext(
            config,
            new ShardAccess(config.redis()),
            new SoldOutState(),
            filters,
            new Supply(metrics),
            metrics);
    return List.of(
        new RoleDeployment("board", () -> new BoardVerticle(engine), new DeploymentOptions()),
        new RoleDeployment(
            "decision",
            () -> new DecisionVerticle(engine),
            new DeploymentOptions().setInstances(config.engine().instances())));
  }
}
