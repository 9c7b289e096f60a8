package io.seckill.launcher.node;

import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.seckill.common.bus.BusCodecs;
import io.seckill.common.config.SeckillConfig;
import io.seckill.launcher.LaunchException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Vert.x with its bus, local or clustered, all codecs on it, and the registry of meters. Safe for
 * all threads.
 */
public final class VertxRuntime {

  /** Long enough not to blame a loop for the first seconds of a JVM on two cores. */
  private static final long MAX_LOOP_MS = 2_000;

  private static final long BLOCKED_CHECK_MS = 1_000;
  private static final long SHOW_STACK_MS = 5_000;

  private final Vertx vertx;
  private final Optional<ClusterBus> cluster;
  private final PrometheusMeterRegistry registry;
  private final JvmGcMetrics garbageCollection = new JvmGcMetrics();

  private VertxRuntime(Vertx vertx, Optional<ClusterBus> cluster) {
    this.vertx = vertx;
    this.cluster = cluster;
    this.registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    BusCodecs.register(vertx.eventBus());
    bindJvm();
  }

  /**
   * Opens Vert.x. With {@code bus.clustered} it joins the cluster, which takes some seconds.
   *
   * @param bus how nodes reach each other
   * @return fails with {@link LaunchException} when the cluster cannot be joined
   */
  public static Future<VertxRuntime> open(SeckillConfig.Bus bus) {
    if (!bus.clustered()) {
      return Future.succeededFuture(local());
    }
    ClusterBus cluster = new ClusterBus(bus);
    try {
      cluster.requireFreePorts();
    } catch (LaunchException e) {
      return Future.failedFuture(e);
    }
    return Vertx.builder()
        .with(options().setEventBusOptions(cluster.eventBusOptions()))
        .withClusterManager(cluster.manager())
        .buildClustered()
        .map(vertx -> new VertxRuntime(vertx, Optional.of(cluster)))
        .recover(
            failure ->
                Future.failedFuture(
                    new LaunchException(
                        "cannot join the cluster on "
                            + bus.host()
                            + ':'
                            + bus.port()
                            + " ("
                            + failure.getMessage()
                            + "): check bus.host, bus.port and bus.members",
                        failure)));
  }

  /** Opens Vert.x with a local bus. */
  public static VertxRuntime local() {
    return new VertxRuntime(Vertx.builder().with(options()).build(), Optional.empty());
  }

  private static VertxOptions options() {
    return new VertxOptions()
        .setPreferNativeTransport(true)
        // Nothing is served from the class path by Vert.x, so no cache folder is left behind.
        .setFileSystemOptions(
            new FileSystemOptions()
                .setFileCachingEnabled(false)
                .setClassPathResolvingEnabled(false))
        .setBlockedThreadCheckInterval(BLOCKED_CHECK_MS)
        .setBlockedThreadCheckIntervalUnit(TimeUnit.MILLISECONDS)
        .setMaxEventLoopExecuteTime(MAX_LOOP_MS)
        .setMaxEventLoopExecuteTimeUnit(TimeUnit.MILLISECONDS)
        .setWarningExceptionTime(SHOW_STACK_MS)
        .setWarningExceptionTimeUnit(TimeUnit.MILLISECONDS);
  }

  private void bindJvm() {
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ClassLoaderMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    garbageCollection.bindTo(registry);
  }

  /** The instance that the node's verticles run in. */
  public Vertx vertx() {
    return vertx;
  }

  /** Where all meters live. */
  public PrometheusMeterRegistry registry() {
    return registry;
  }

  Optional<ClusterBus> cluster() {
    return cluster;
  }

  /** Leaves the cluster and ends all threads. Never fails. */
  public Future<Void> close() {
    // Of no context, because its event loops end here.
    Promise<Void> closed = Promise.promise();
    vertx
        .close()
        .onComplete(
            done -> {
              garbageCollection.close();
              registry.close();
              closed.complete();
            });
    return closed.future();
  }
}
