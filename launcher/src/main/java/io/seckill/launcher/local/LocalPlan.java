package io.seckill.launcher.local;

import io.seckill.common.config.LoadedConfig;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.role.Role;
import io.seckill.embedded.EmbeddedServer;
import io.seckill.launcher.LaunchException;
import io.seckill.launcher.UsageException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a start has to do, decided from options and configuration before anything runs.
 *
 * <p>A <em>local run</em> is what nobody has configured: all roles, no file, no address in the
 * environment. It listens on loopback unless told otherwise, gives development tokens to anybody as
 * long as it does, and makes its own secrets. Everything else is a <em>configured run</em> and does
 * as it is told; servers are embedded in it only when none of the addresses that its roles need is
 * set.
 */
public final class LocalPlan {

  private final LocalOptions options;
  private final LoadedConfig base;
  private final boolean localRun;
  private final boolean embedsRedis;
  private final boolean embedsMariaDb;

  private LocalPlan(
      LocalOptions options,
      LoadedConfig base,
      boolean localRun,
      boolean embedsRedis,
      boolean embedsMariaDb) {
    this.options = options;
    this.base = base;
    this.localRun = localRun;
    this.embedsRedis = embedsRedis;
    this.embedsMariaDb = embedsMariaDb;
  }

  /**
   * Decides.
   *
   * @throws io.seckill.common.config.ConfigException when the configuration is wrong
   * @throws LaunchException when an address is missing or wrong
   */
  public static LocalPlan of(LocalOptions options) {
    LoadedConfig written =
        options
            .loader()
            .withFile(options.configFile().orElse(null))
            .withOverrides(withFlags(options))
            .load();
    requireOthers(options.roles(), written.config().bus());
    boolean redisSet = !written.isDefault("redis.uri");
    boolean mysqlSet = !written.isDefault("mysql.host") || !written.isDefault("mysql.port");
    boolean localRun =
        options.configFile().isEmpty()
            && options.roles().containsAll(EnumSet.allOf(Role.class))
            && (!redisSet || options.redis().isPresent())
            && (!mysqlSet || options.mysql().isPresent());
    boolean embedsRedis = needsRedis(options.roles()) && !redisSet;
    boolean embedsMariaDb = needsMySql(options.roles()) && !mysqlSet;
    if (!localRun && embedsRedis != embedsMariaDb && (redisSet || mysqlSet)) {
      throw new UsageException(
          embedsRedis
              ? "the address of MySQL is set, but not that of Redis: set redis.uri or --redis"
              : "the address of Redis is set, but not that of MySQL: set mysql.host or --mysql");
    }
    return new LocalPlan(options, written, localRun, embedsRedis, embedsMariaDb);
  }

  private static void requireOthers(Set<Role> roles, SeckillConfig.Bus bus) {
    if (!bus.clustered() && !roles.containsAll(EnumSet.allOf(Role.class))) {
      throw new UsageException(
          "the roles "
              + roles.stream().map(Role::name).sorted().toList()
              + " need the others, on other nodes: set bus.clustered to true, and bus.members or"
              + " bus.kubernetesService to where those are; or run all roles");
    }
  }

  private static Map<String, String> withFlags(LocalOptions options) {
    Map<String, String> values = new HashMap<>();
    options.redis().ifPresent(uri -> values.put("redis.uri", uri));
    values.putAll(mysqlSettings(options.mysql()));
    values.putAll(options.overrides());
    return values;
  }

  /**
   * The keys that an address of the form {@code mysql://user:password@host:port/database} sets.
   *
   * @throws LaunchException for another form
   */
  public static Map<String, String> mysqlSettings(Optional<String> uri) {
    return uri.map(MySqlUri::settings).orElseGet(Map::of);
  }

  /** Whether nobody has configured anything: loopback, secrets of its own, a demo sale. */
  public boolean isLocalRun() {
    return localRun;
  }

  /** Whether a Redis is started. */
  public boolean embedsRedis() {
    return embedsRedis;
  }

  /** Whether a MariaDB is started. */
  public boolean embedsMariaDb() {
    return embedsMariaDb;
  }

  /**
   * Whether a payment provider is started that takes no money: in a local run, unless it is to have
   * none or is told where one is.
   */
  public boolean hostsSandbox() {
    boolean unwanted =
        !base.isDefault("payment.provider")
            && base().payment().provider() == SeckillConfig.Provider.NONE;
    return localRun && !unwanted && base.isDefault("payment.sandboxUrl");
  }

  /** Bound on an orderly stop of everything, embedded servers included, milliseconds. */
  public long stopBoundMs() {
    Duration servers = embedsRedis || embedsMariaDb ? EmbeddedServer.STOP_BOUND : Duration.ZERO;
    return LocalStack.closeBound(base.config())
        .plus(servers)
        .plus(LocalStack.CLOSE_GRACE)
        .toMillis();
  }

  /** Which Redis is used, for people. */
  public String redisInWords() {
    return embedsRedis
        ? "embedded, data in " + options.dataFolder().resolve("redis")
        : needsRedis(options.roles()) ? base.config().redis().uri() : "none needed";
  }

  /** Which database is used, for people. */
  public String mysqlInWords() {
    SeckillConfig.MySql mysql = base.config().mysql();
    return embedsMariaDb
        ? "embedded MariaDB, data in " + options.dataFolder().resolve("mariadb")
        : needsMySql(options.roles())
            ? mysql.host() + ':' + mysql.port() + '/' + mysql.database()
            : "none needed";
  }

  private static boolean needsRedis(Set<Role> roles) {
    return roles.contains(Role.SECKILL) || roles.contains(Role.CONSUMER);
  }

  private static boolean needsMySql(Set<Role> roles) {
    return roles.contains(Role.CONSUMER);
  }

  /** Whether secrets of the data folder stand in for those that nobody has set. */
  boolean makesSecrets() {
    return localRun || embedsRedis || embedsMariaDb;
  }

  /** The configuration as far as it is known before servers run. */
  SeckillConfig base() {
    return base.config();
  }

  /**
   * The configuration to run with.
   *
   * @param secrets of the data folder, empty when none are made
   * @param servers keys that say where the embedded servers are
   */
  LoadedConfig complete(Optional<LocalSecrets> secrets, Map<String, String> servers) {
    Map<String, String> values = new HashMap<>(servers);
    if (secrets.isPresent()) {
      putIfUnset(values, "jwt.secret", secrets.get().jwtSecret());
      putIfUnset(values, "orderId.key", secrets.get().orderIdKey());
    }
    if (localRun) {
      putIfUnset(values, "gateway.host", "127.0.0.1");
      // It gives tokens to anybody who asks, so only this machine may ask.
      boolean onlyUs = base.isDefault("gateway.host") || isLoopback(base().gateway().host());
      putIfUnset(values, "gateway.devSession", Boolean.toString(onlyUs));
    }
    values.putAll(withFlags(options));
    return options
        .loader()
        .withFile(options.configFile().orElse(null))
        .withOverrides(values)
        .load();
  }

  /** Asks no name server: a name that is not {@code localhost} may be anybody's. */
  private static boolean isLoopback(String host) {
    return host.equalsIgnoreCase("localhost")
        || host.equals("::1")
        || host.matches("127(\\.\\d{1,3}){3}");
  }

  private void putIfUnset(Map<String, String> values, String key, String value) {
    if (base.isDefault(key)) {
      values.put(key, value);
    }
  }
}
