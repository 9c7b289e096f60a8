package io.seckill.launcher.node;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.seckill.common.bus.Addresses;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.role.Role;
import io.seckill.common.role.RoleDeployment;
import io.seckill.consumer.ConsumerRole;
import io.seckill.engine.EngineRole;
import io.seckill.gateway.GatewayPorts;
import io.seckill.gateway.GatewayRole;
import io.seckill.launcher.Failures;
import io.seckill.launcher.LaunchException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a set of roles means for a node: verticles in the order of their start, addresses that it
 * answers, and what must hold before it is ready.
 *
 * @param deployments consumer, then engine, then gateway: each finds what it asks
 * @param addresses on the bus
 * @param checks for readiness
 * @param gatewayPorts where the gateway listens; done with (0, 0) without it
 */
record RolePlan(
    List<RoleDeployment> deployments,
    Set<String> addresses,
    List<Health.Check> checks,
    Future<GatewayPorts> gatewayPorts) {

  private static final Set<String> ENGINE_ADDRESSES =
      Set.of(
          Addresses.PURCHASE,
          Addresses.JOIN_WAITLIST,
          Addresses.LEAVE_WAITLIST,
          Addresses.WAITLIST_PLACES,
          Addresses.CHANGE_ITEM,
          Addresses.CHANGE_SALES,
          Addresses.BOARD_NOW);

  private static final Set<String> CONSUMER_ADDRESSES =
      Set.of(
          Addresses.LEDGER_JOIN,
          Addresses.LEDGER_CLAIM_SHARD,
          Addresses.LEDGER_CLOSE_EPOCH,
          Addresses.LEDGER_SHARD_SNAPSHOT,
          Addresses.LEDGER_SHARD_RECEIPTS,
          Addresses.LEDGER_SHARD_HOLDINGS,
          Addresses.LEDGER_SHARD_WAITERS,
          Addresses.LEDGER_OPEN_SHARD,
          Addresses.LEDGER_STORE_TRANSFER,
          Addresses.LEDGER_CHANGE_SALES,
          Addresses.LEDGER_SALES,
          Addresses.LEDGER_CREATE_ITEM,
          Addresses.LEDGER_CHANGE_ITEM,
          Addresses.LEDGER_ITEMS,
          Addresses.ORDER,
          Addresses.ORDERS,
          Addresses.ORDERS_CHANGED,
          Addresses.CANCEL_ORDER,
          Addresses.REFUND_ORDER,
          Addresses.LEDGER_RELEASES,
          Addresses.START_PAYMENT,
          Addresses.PAYMENT_NOTICE,
          Addresses.NOTIFICATIONS,
          Addresses.RETRY_NOTIFICATION,
          Addresses.AUDIT);

  private static final Set<String> GATEWAY_ADDRESSES =
      Set.of(Addresses.BOARD, Addresses.ORDER_EVENTS);

  /**
   * Checks what each role needs from the configuration, and makes its verticles. Reads files, so it
   * is not for an event loop.
   *
   * @throws LaunchException or IllegalArgumentException, naming the key and what to do
   */
  static RolePlan of(VertxRuntime runtime, SeckillConfig config, Set<Role> roles) {
    MeterRegistry registry = runtime.registry();
    List<RoleDeployment> deployments = new ArrayList<>();
    Set<String> addresses = new TreeSet<>();
    List<Health.Check> checks = new ArrayList<>();
    Future<GatewayPorts> ports = Future.succeededFuture(new GatewayPorts(0, 0));
    requireOrderIdKey(config, roles);
    if (roles.contains(Role.CONSUMER)) {
      deployments.addAll(ConsumerRole.deployments(config, registry));
      addresses.addAll(CONSUMER_ADDRESSES);
      checks.add(ledgerReachable(runtime.vertx(), config));
    }
    if (roles.contains(Role.SECKILL)) {
      deployments.addAll(EngineRole.deployments(config, registry));
      addresses.addAll(ENGINE_ADDRESSES);
      checks.add(shardsOpen(registry, config.redis()));
    }
    if (roles.contains(Role.GATEWAY)) {
      GatewayRole gateway = new GatewayRole(config, registry);
      deployments.addAll(gateway.deployments());
      addresses.addAll(GATEWAY_ADDRESSES);
      checks.add(Health.Check.of("board", "no engine has sent its board yet", gateway::isReady));
      ports = gateway.ports();
    }
    return new RolePlan(List.copyOf(deployments), Set.copyOf(addresses), checks, ports);
  }

  private static void requireOrderIdKey(SeckillConfig config, Set<Role> roles) {
    boolean needed = roles.contains(Role.SECKILL) || roles.contains(Role.CONSUMER);
    if (needed && config.orderId().key().isEmpty()) {
      throw new LaunchException(
          "orderId.key: none is set; make one with 'openssl rand -hex 16' and give all nodes the"
              + " same");
    }
  }

  private static Health.Check ledgerReachable(Vertx vertx, SeckillConfig config) {
    return new Health.Check(
        "ledger",
        () ->
            ConsumerRole.ready(vertx, config)
                .map(Optional.<String>empty())
                .otherwise(
                    failure ->
                        Optional.of("MySQL cannot be reached: " + Failures.describe(failure))));
  }

  private static Health.Check shardsOpen(MeterRegistry registry, SeckillConfig.Redis redis) {
    int shards = redis.shards();
    return new Health.Check(
        "shards",
        () -> {
          Gauge open = registry.find("seckill.engine.shards.open").gauge();
          int count = open == null ? 0 : (int) open.value();
          return Future.succeededFuture(
              count >= shards
                  ? Optional.empty()
                  : Optional.of(
                      count + " of " + shards + " shards are open; Redis: " + redis.uri()));
        });
  }
}
