package io.seckill.launcher.local;

import io.seckill.common.config.SeckillConfig;
import io.seckill.common.role.Role;
import io.seckill.launcher.LaunchException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Set;

/** Tries the ports of a node before anything is started that would have to be stopped again. */
final class FreeListeners {

  private FreeListeners() {}

  /**
   * Listens on each port for a moment. Another program may still take it afterwards; then the
   * server that is to listen there says so.
   *
   * @throws LaunchException naming the key when a port is taken or the address is not ours
   */
  static void require(SeckillConfig config, Set<Role> roles) {
    require("management.port", config.management().host(), config.management().port());
    if (roles.contains(Role.GATEWAY)) {
      SeckillConfig.Gateway gateway = config.gateway();
      require("gateway.publicPort", gateway.host(), gateway.publicPort());
      require("gateway.adminPort", gateway.adminHost(), gateway.adminPort());
    }
  }

  private static void require(String key, String host, int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(host, port));
    } catch (IOException | IllegalArgumentException e) {
      throw new LaunchException(
          key
              + ": cannot listen on "
              + host
              + ':'
              + port
              + " ("
              + e.getMessage()
              + "); stop the other program or choose another port",
          e);
    }
  }
}
