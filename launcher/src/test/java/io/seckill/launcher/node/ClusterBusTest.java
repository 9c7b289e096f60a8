package io.seckill.launcher.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import io.seckill.common.config.SeckillConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClusterBusTest {

  @Test
  void configShouldSpeakToNamedMembersOnly() {
    Config config =
        ClusterBus.config(
            new SeckillConfig.Bus(true, "127.0.0.1", 5701, List.of("127.0.0.1:5702"), ""));
    JoinConfig join = config.getNetworkConfig().getJoin();
    assertThat(join.getMulticastConfig().isEnabled()).isFalse();
    assertThat(join.getAutoDetectionConfig().isEnabled()).isFalse();
    assertThat(join.getKubernetesConfig().isEnabled()).isFalse();
    assertThat(join.getTcpIpConfig().isEnabled()).isTrue();
    assertThat(join.getTcpIpConfig().getMembers()).containsExactly("127.0.0.1:5702");
    assertThat(config.getProperty("hazelcast.phone.home.enabled")).isEqualTo("false");
    assertThat(config.getProperty("hazelcast.local.localAddress")).isEqualTo("127.0.0.1");
    assertThat(Integer.parseInt(config.getProperty("hazelcast.max.no.heartbeat.seconds")))
        .isLessThanOrEqualTo(10);
  }

  @Test
  void configShouldAskDnsInKubernetes() {
    Config config =
        ClusterBus.config(new SeckillConfig.Bus(true, "10.0.0.7", 5701, List.of(), "seckill.shop"));
    JoinConfig join = config.getNetworkConfig().getJoin();
    assertThat(join.getTcpIpConfig().isEnabled()).isFalse();
    assertThat(join.getKubernetesConfig().isEnabled()).isTrue();
    assertThat(join.getKubernetesConfig().getProperty("service-dns")).isEqualTo("seckill.shop");
    assertThat(join.getKubernetesConfig().getProperty("service-port")).isEqualTo("5701");
  }

  @Test
  void requireFreePortsShouldNameATakenPort() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      ClusterBus bus =
          new ClusterBus(new SeckillConfig.Bus(true, "127.0.0.1", port, List.of(), ""));
      assertThatThrownBy(bus::requireFreePorts)
          .hasMessageContaining("bus.port")
          .hasMessageContaining("127.0.0.1:" + port);
    }
  }
}
