package io.seckill.launcher.node;

import io.seckill.common.config.SeckillConfig;
import io.seckill.common.role.Role;
import io.seckill.common.role.RoleDeployment;
import io.seckill.gateway.GatewayPorts;
import io.seckill.launcher.Failures;
import io.seckill.launcher.LaunchException;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Any set of roles in one Vert.x instance, with a management port. Safe for all threads.
 *
 * <p>Roles start in the order consumer, engine, gateway and stop in the reverse, so that none is
 * asked for what it cannot do yet or any more.
 */
public final class Node {

  private static final Logger LOG = LoggerFactory.getLogger(Node.class);

  /** Of the stop's bound this is kept for leaving the cluster and ending threads. */
  private static final long CLOSE_RESERVE_MS = 500;

  private static final long SPREAD_MS = 10_000;

  private final SeckillConfig config;
  private final Set<Role> roles;
  private final VertxRuntime runtime;
  private final Deque<Deployed> deployed = new ConcurrentLinkedDeque<>();
  private final AtomicBoolean closing = new AtomicBoolean();
  private final Promise<Void> closed = Promise.promise();
  private volatile Health health;
  private volatile NodePorts ports;
  private volatile List<RoleDeployment> planned = List.of();

  /** A verticle that runs. */
  private record Deployed(String name, String id) {}

  private Node(SeckillConfig config, Set<Role> roles, VertxRuntime runtime) {
    this.config = config;
    this.roles = EnumSet.copyOf(roles);
    this.runtime = runtime;
  }

  /**
   * Starts roles. A start that fails closes what it opened, the runtime of the options included,
   * before the future fails.
   *
   * @param config what was loaded and checked
   * @param roles at least one
   * @param options how to start
   * @return the node with all roles deployed, not yet {@link #whenReady() ready}; fails with {@link
   *     LaunchException}, whose message says what to do
   */
  public static Future<Node> start(SeckillConfig config, Set<Role> roles, NodeOptions options) {
    return options
        .runtime()
        .map(Future::succeededFuture)
        .orElseGet(() -> VertxRuntime.open(config.bus()))
        .compose(runtime -> new Node(config, roles, runtime).startAll(options.startMs()));
  }

  private Future<Node> startAll(long boundMs) {
    // Of no context: an event loop that has ended would never deliver the failure.
    Promise<Node> started = Promise.promise();
    runtime
        .vertx()
        .executeBlocking(() -> RolePlan.of(runtime, config, roles))
        .compose(this::deployAll)
        .timeout(boundMs, TimeUnit.MILLISECONDS)
        .onSuccess(done -> started.complete(this))
        .onFailure(failure -> close().onComplete(done -> started.fail(explained(failure))));
    return started.future();
  }

  private Future<Void> deployAll(RolePlan plan) {
    health = new Health(runtime.vertx(), plan.checks());
    planned = plan.deployments();
    Promise<Integer> managementPort = Promise.promise();
    ManagementServer.Source source =
        new ManagementServer.Source(health::report, runtime.registry()::scrape);
    Future<Void> chain =
        deploy(
            new RoleDeployment(
                "management",
                () -> new ManagementServer(config.management(), source, managementPort),
                new DeploymentOptions()));
    for (RoleDeployment deployment : plan.deployments()) {
      chain = chain.compose(done -> deploy(deployment));
    }
    return chain
        .compose(done -> spread(plan.addresses()))
        .compose(done -> plan.gatewayPorts())
        .compose(gateway -> managementPort.future().map(port -> portsOf(gateway, port)))
        .map(
            found -> {
              ports = found;
              health.started();
              return null;
            });
  }

  private Future<Void> deploy(RoleDeployment deployment) {
    if (closing.get()) {
      return Future.failedFuture(new LaunchException("the node is stopping"));
    }
    return runtime
        .vertx()
        .deployVerticle(deployment.verticle(), deployment.options())
        .map(
            id -> {
              deployed.push(new Deployed(deployment.name(), id));
              return null;
            });
  }

  private Future<Void> spread(Set<String> addresses) {
    return runtime
        .cluster()
        .map(cluster -> cluster.spread(runtime.vertx(), addresses, SPREAD_MS))
        .orElseGet(Future::succeededFuture);
  }

  private static NodePorts portsOf(GatewayPorts gateway, int managementPort) {
    return new NodePorts(gateway.publicPort(), gateway.adminPort(), managementPort);
  }

  private static LaunchException explained(Throwable failure) {
    LOG.debug("the start failed", failure);
    return Failures.toLaunch(failure);
  }

  /** The roles that run here. */
  public Set<Role> roles() {
    return EnumSet.copyOf(roles);
  }

  /** The configuration that they run with. */
  public SeckillConfig config() {
    return config;
  }

  /** Where the node listens. */
  public NodePorts ports() {
    return ports;
  }

  /** The instance that the roles run in, for those who share the process and the bus with them. */
  public Vertx vertx() {
    return runtime.vertx();
  }

  /** The runtime, with the registry of meters. */
  public VertxRuntime runtime() {
    return runtime;
  }

  /** What {@code /health/ready} shows. */
  public HealthReport health() {
    return health.report();
  }

  /** Whether the node should get traffic now. */
  public boolean ready() {
    return health.report().ready();
  }

  /**
   * Completes when the node is ready for the first time: shards open, board there. Has no bound of
   * its own: use {@link Future#timeout}. Fails when the node stops before.
   */
  public Future<Void> whenReady() {
    return health.firstReady();
  }

  /**
   * Takes the verticles of one deployment out of service until {@link #release}, as if their
   * process were away; for demonstrations.
   *
   * @param name of a {@link RoleDeployment} of this node's roles
   */
  public Future<Void> hold(String name) {
    return deployed.stream()
        .filter(running -> running.name().equals(name))
        .findFirst()
        .filter(deployed::remove)
        .map(running -> runtime.vertx().undeploy(running.id()))
        .orElseGet(
            () -> Future.failedFuture(new LaunchException("nothing is deployed as " + name)));
  }

  /** Puts what was held back into service again. */
  public Future<Void> release(String name) {
    return planned.stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .map(this::deploy)
        .orElseGet(() -> Future.failedFuture(new LaunchException("nothing is planned as " + name)));
  }

  /**
   * Stops in order: not ready, gateway, engine, consumer, management, Vert.x. Each part may use
   * what is left of {@code node.shutdownMs}; what does not stop in time is left to the end of
   * Vert.x. A second call gives the same future. Never fails.
   */
  public Future<Void> close() {
    if (closing.compareAndSet(false, true)) {
      if (health != null) {
        health.stopping();
      }
      long boundMs = config.node().shutdownMs() - CLOSE_RESERVE_MS;
      undeployNext(System.nanoTime() + boundMs * 1_000_000)
          .onComplete(done -> runtime.close().onComplete(ended -> closed.complete()));
    }
    return closed.future();
  }

  private Future<Void> undeployNext(long deadlineNanos) {
    Deployed next = deployed.poll();
    if (next == null) {
      return Future.succeededFuture();
    }
    long leftMs = Math.max(1, (deadlineNanos - System.nanoTime()) / 1_000_000);
    return runtime
        .vertx()
        .undeploy(next.id())
        .timeout(leftMs, TimeUnit.MILLISECONDS)
        .otherwise(
            failure -> {
              LOG.warn("{} did not stop in order: {}", next.name(), Failures.describe(failure));
              return null;
            })
        .compose(done -> undeployNext(deadlineNanos));
  }
}
