package io.seckill.common.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code redis.uri} says: how the masters of a region's shards are found.
 *
 * @param kind who knows the masters
 * @param servers the server itself, some sentinels, or some nodes of the cluster; at least one
 * @param masterName the name under which the sentinels know the master; empty for other kinds
 */
public record RedisUri(Kind kind, List<Server> servers, String masterName) {

  private static final Pattern FORM =
      Pattern.compile(
          "(?<scheme>redis|redis-sentinel|redis-cluster)://(?<servers>[^/]+)(/(?<master>.*))?");

  private static final Pattern MASTER_NAME = Pattern.compile("[A-Za-z0-9_.-]{1,64}");

  /** Each look-up asks all of them at once. */
  private static final int MAX_SERVERS = 32;

  /** Who knows the masters. */
  public enum Kind {
    /** One server has all shards. */
    STANDALONE,
    /** Sentinels name the server that has all shards. */
    SENTINEL,
    /** The nodes of a Redis Cluster share the shards. */
    CLUSTER
  }

  /**
   * Where a server listens.
   *
   * @param host name or address; an IPv6 address in brackets
   * @param port TCP port
   */
  public record Server(String host, int port) {}

  /**
   * Reads {@code redis://host:port}, {@code redis-sentinel://host:port,…/master} or {@code
   * redis-cluster://host:port,…}.
   *
   * @throws IllegalArgumentException for anything else; the message is a sentence that begins with
   *     "must" and repeats nothing of the text, which may hold a password
   */
  public static RedisUri parse(String text) {
    Matcher uri = FORM.matcher(text);
    if (!uri.matches()) {
      throw new IllegalArgumentException(
          "must be redis://host:port, redis-sentinel://host:port,…/master or"
              + " redis-cluster://host:port,…; a password goes to redis.password");
    }
    List<Server> servers =
        Arrays.stream(uri.group("servers").split(",", -1)).map(RedisUri::server).toList();
    if (servers.size() > MAX_SERVERS || new HashSet<>(servers).size() < servers.size()) {
      throw new IllegalArgumentException(
          "must name at most " + MAX_SERVERS + " servers, each once");
    }
    String master = uri.group("master");
    return switch (uri.group("scheme")) {
      case "redis" -> standalone(servers, master);
      case "redis-sentinel" -> sentinel(servers, master);
      default -> cluster(servers, master);
    };
  }

  private static RedisUri standalone(List<Server> servers, String master) {
    if (servers.size() > 1 || master != null) {
      throw new IllegalArgumentException(
          "must name one server as redis://host:port with nothing behind the port");
    }
    return new RedisUri(Kind.STANDALONE, servers, "");
  }

  private static RedisUri sentinel(List<Server> servers, String master) {
    if (master == null || !MASTER_NAME.matcher(master).matches()) {
      throw new IllegalArgumentException(
          "must end with the master's name, as redis-sentinel://host:port,host:port/master does");
    }
    return new RedisUri(Kind.SENTINEL, servers, master);
  }

  private static RedisUri cluster(List<Server> servers, String master) {
    if (master != null) {
      throw new IllegalArgumentException(
          "must have nothing behind the last port of redis-cluster://host:port,host:port");
    }
    return new RedisUri(Kind.CLUSTER, servers, "");
  }

  private static Server server(String text) {
    try {
      URI uri = new URI("redis://" + text);
      boolean plain =
          uri.getHost() != null
              && uri.getUserInfo() == null
              && uri.getPort() >= 1
              && uri.getPort() <= 65_535
              && uri.getRawPath().isEmpty()
              && uri.getRawQuery() == null
              && uri.getRawFragment() == null;
      if (plain) {
        return new Server(uri.getHost(), uri.getPort());
      }
    } catch (URISyntaxException e) {
      // Told below: its own message would repeat the text.
    }
    throw new IllegalArgumentException(
        "must name each server as host:port, the port from 1 to 65535; a password goes to"
            + " redis.password");
  }
}
