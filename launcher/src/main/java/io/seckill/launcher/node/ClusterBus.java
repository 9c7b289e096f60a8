package io.seckill.launcher.node;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.MultiMapConfig;
import com.hazelcast.config.NetworkConfig;
import io.seckill.common.config.SeckillConfig;
import io.seckill.launcher.LaunchException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.spi.cluster.RegistrationInfo;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Set;

/**
 * The clustered event bus: Hazelcast that speaks only to the members that were named, on the
 * address that was named.
 */
final class ClusterBus {

  /** Members of one system find each other under this name only. */
  private static final String NAME = "seckill";

  private static final String LOGGING = "hazelcast.logging.type";

  /** The event bus listens beside the cluster manager where that has a fixed port. */
  private static final int EVENT_BUS_OFFSET = 100;

  /** A member that does not answer this long is out: half of the 30 s that recovery may take. */
  private static final int MAX_SILENCE_S = 10;

  private static final int HEARTBEAT_S = 2;

  /** Two members may go at once, as in a rolling update, and no registration is lost. */
  private static final int BACKUPS = 2;

  private static final long POLL_MS = 25;

  private final SeckillConfig.Bus bus;
  private final HazelcastClusterManager manager;

  ClusterBus(SeckillConfig.Bus bus) {
    // Its first classes log before they have a configuration, and would do so past our log.
    if (System.getProperty(LOGGING) == null) {
      System.setProperty(LOGGING, "slf4j");
    }
    this.bus = bus;
    this.manager = new HazelcastClusterManager(config(bus));
  }

  HazelcastClusterManager manager() {
    return manager;
  }

  EventBusOptions eventBusOptions() {
    return new EventBusOptions().setHost(bus.host()).setPort(eventBusPort());
  }

  private int eventBusPort() {
    return bus.port() == 0 ? 0 : bus.port() + EVENT_BUS_OFFSET;
  }

  /**
   * Tries the ports before anything else does, which would fill the log for each of them.
   *
   * @throws LaunchException when one is taken, or the address is not of this machine
   */
  void requireFreePorts() {
    for (int port : List.of(bus.port(), eventBusPort())) {
      try (ServerSocket socket = new ServerSocket()) {
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(bus.host(), port));
      } catch (IOException | IllegalArgumentException e) {
        throw new LaunchException(
            "bus.port: cannot listen on "
                + bus.host()
                + ':'
                + port
                + " ("
                + e.getMessage()
                + "); the bus takes bus.port and bus.port + "
                + EVENT_BUS_OFFSET
                + ": choose others, or check bus.host",
            e);
      }
    }
  }

  /**
   * Waits until the cluster's table says that this node answers all of these addresses: a message
   * sent before would go nowhere. Fails when that takes longer than {@code boundMs}.
   */
  Future<Void> spread(Vertx vertx, Set<String> addresses, long boundMs) {
    Promise<Void> done = Promise.promise();
    poll(vertx, List.copyOf(addresses), System.nanoTime() + boundMs * 1_000_000, done);
    return done.future();
  }

  private void poll(Vertx vertx, List<String> addresses, long deadlineNanos, Promise<Void> done) {
    Future.all(addresses.stream().map(this::isRegistered).toList())
        .map(all -> all.<Boolean>list().stream().allMatch(Boolean::booleanValue))
        .otherwise(false)
        .onSuccess(
            all -> {
              if (all) {
                done.complete();
              } else if (System.nanoTime() - deadlineNanos > 0) {
                done.fail("the cluster does not know of this node's addresses in time");
              } else {
                vertx.setTimer(POLL_MS, id -> poll(vertx, addresses, deadlineNanos, done));
              }
            });
  }

  private Future<Boolean> isRegistered(String address) {
    Promise<List<RegistrationInfo>> found = Promise.promise();
    manager.getRegistrations(address, found);
    return found
        .future()
        .map(
            all ->
                all != null
                    && all.stream().anyMatch(info -> info.nodeId().equals(manager.getNodeId())));
  }

  static Config config(SeckillConfig.Bus bus) {
    Config config = new Config();
    config.setClusterName(NAME);
    config
        .setProperty("hazelcast.phone.home.enabled", "false")
        .setProperty(LOGGING, "slf4j")
        .setProperty("hazelcast.shutdownhook.enabled", "false")
        .setProperty("hazelcast.heartbeat.interval.seconds", Integer.toString(HEARTBEAT_S))
        .setProperty("hazelcast.max.no.heartbeat.seconds", Integer.toString(MAX_SILENCE_S))
        // Two halves of a cluster that meet again become one at once.
        .setProperty("hazelcast.merge.first.run.delay.seconds", Integer.toString(MAX_SILENCE_S))
        .setProperty("hazelcast.merge.next.run.delay.seconds", Integer.toString(MAX_SILENCE_S))
        // Each member is taken in by itself; waiting for more of them only delays the start.
        .setProperty("hazelcast.wait.seconds.before.join", "0")
        .setProperty("hazelcast.socket.bind.any", "false")
        .setProperty("hazelcast.local.localAddress", bus.host());
    config.getMetricsConfig().setEnabled(false);
    config.getJetConfig().setEnabled(false);
    network(config.getNetworkConfig(), bus);
    // The maps that Vert.x keeps its registrations in.
    config.addMultiMapConfig(
        new MultiMapConfig("__vertx.subs")
            .setBackupCount(BACKUPS)
            .setValueCollectionType(MultiMapConfig.ValueCollectionType.SET));
    config.getMapConfig("__vertx.haInfo").setBackupCount(BACKUPS);
    config.getMapConfig("__vertx.nodeInfo").setBackupCount(BACKUPS);
    return config;
  }

  private static void network(NetworkConfig network, SeckillConfig.Bus bus) {
    network.setPort(bus.port()).setPortAutoIncrement(false).setReuseAddress(true);
    JoinConfig join = network.getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    if (bus.kubernetesService().isEmpty()) {
      join.getTcpIpConfig().setEnabled(true);
      bus.members().forEach(join.getTcpIpConfig()::addMember);
    } else {
      join.getKubernetesConfig()
          .setEnabled(true)
          .setProperty("service-dns", bus.kubernetesService());
      if (bus.port() != 0) {
        join.getKubernetesConfig().setProperty("service-port", Integer.toString(bus.port()));
      }
    }
  }
}
