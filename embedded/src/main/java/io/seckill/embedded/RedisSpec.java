package io.seckill.embedded;

import java.nio.file.Path;
import java.util.List;

/**
 * Which Redis to run.
 *
 * @param dataFolder holds the append-only file and the log; made when missing, kept at the end,
 *     loaded by a later start
 * @param port the port, or 0 to choose a free one; below 55,535 for a cluster node, whose bus port
 *     is 10,000 higher
 * @param appendonly what survives a crash
 * @param clusterNode whether it runs in cluster mode (as a node without slots)
 * @param options more of redis.conf as command-line words, such as {@code "--maxmemory", "64mb"};
 *     they win
 */
public record RedisSpec(
    Path dataFolder, int port, Appendonly appendonly, boolean clusterNode, List<String> options) {

  private static final int END_OF_CLUSTER_PORTS = 55_535;

  /** Redis' append-only file: {@code appendonly} and {@code appendfsync}. */
  public enum Appendonly {
    /** Nothing is kept. */
    NO,
    /** Synced each second: a crash of the machine may lose that second. */
    EVERYSEC,
    /** Synced before each reply. */
    ALWAYS
  }

  /** Checks the port and copies the options. */
  public RedisSpec {
    if (port < 0 || port > 65_535 || (clusterNode && port >= END_OF_CLUSTER_PORTS)) {
      throw new IllegalArgumentException(
          "port must be 0..65535, for a cluster node below 55535: " + port);
    }
    dataFolder = dataFolder.toAbsolutePath();
    options = List.copyOf(options);
  }

  /** A Redis in this folder on a free port, with an append-only file that is synced each second. */
  public static RedisSpec in(Path dataFolder) {
    return new RedisSpec(dataFolder, 0, Appendonly.EVERYSEC, false, List.of());
  }

  /** The same with another port. */
  public RedisSpec withPort(int newPort) {
    return new RedisSpec(dataFolder, newPort, appendonly, clusterNode, options);
  }

  /** The same with another durability. */
  public RedisSpec withAppendonly(Appendonly newAppendonly) {
    return new RedisSpec(dataFolder, port, newAppendonly, clusterNode, options);
  }

  /** The same as a node of a cluster. */
  public RedisSpec asClusterNode() {
    return new RedisSpec(dataFolder, port, appendonly, true, options);
  }

  /** The same with these further options instead of the ones before. */
  public RedisSpec withOptions(String... newOptions) {
    return new RedisSpec(dataFolder, port, appendonly, clusterNode, List.of(newOptions));
  }
}
