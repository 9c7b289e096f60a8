package io.seckill.launcher.local;

import io.seckill.common.config.ConfigLoader;
import io.seckill.common.role.Role;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a local system is made of.
 *
 * @param dataFolder holds secrets and the embedded servers' data; made when missing
 * @param keep whether the data stays after the end; else the folder is deleted
 * @param roles what runs
 * @param loader where the configuration comes from
 * @param configFile a YAML file on top of the defaults, empty for none
 * @param overrides configuration by key, above everything else
 * @param redis where a Redis is to use instead of the embedded one, in any form of {@code
 *     redis.uri}
 * @param mysql {@code mysql://user:password@host:port/database} to use instead of MariaDB
 */
public record LocalOptions(
    Path dataFolder,
    boolean keep,
    Set<Role> roles,
    ConfigLoader loader,
    Optional<Path> configFile,
    Map<String, String> overrides,
    Optional<String> redis,
    Optional<String> mysql) {

  /** Makes paths absolute and copies. */
  public LocalOptions {
    dataFolder = dataFolder.toAbsolutePath().normalize();
    roles = Set.copyOf(roles);
    overrides = Map.copyOf(overrides);
  }

  /** All roles, data kept in that folder, the process' environment. */
  public static LocalOptions in(Path dataFolder) {
    return new LocalOptions(
        dataFolder,
        true,
        EnumSet.allOf(Role.class),
        ConfigLoader.ofProcess(),
        Optional.empty(),
        Map.of(),
        Optional.empty(),
        Optional.empty());
  }

  /** The same, but the folder is deleted at the end. It must be new or empty at the start. */
  public LocalOptions thrownAway() {
    return new LocalOptions(dataFolder, false, roles, loader, configFile, overrides, redis, mysql);
  }

  /** The same with other roles. */
  public LocalOptions withRoles(Set<Role> newRoles) {
    return new LocalOptions(
        dataFolder, keep, newRoles, loader, configFile, overrides, redis, mysql);
  }

  /** The same with another source of configuration. */
  public LocalOptions withLoader(ConfigLoader newLoader) {
    return new LocalOptions(
        dataFolder, keep, roles, newLoader, configFile, overrides, redis, mysql);
  }

  /** The same with a configuration file; empty for none. */
  public LocalOptions withConfigFile(Optional<Path> file) {
    return new LocalOptions(dataFolder, keep, roles, loader, file, overrides, redis, mysql);
  }

  /** The same with one more value of the configuration. */
  public LocalOptions with(String key, Object value) {
    return with(Map.of(key, value.toString()));
  }

  /** The same with more values of the configuration. */
  public LocalOptions with(Map<String, String> values) {
    Map<String, String> all = new HashMap<>(overrides);
    all.putAll(values);
    return new LocalOptions(dataFolder, keep, roles, loader, configFile, all, redis, mysql);
  }

  /** The same on free ports: public, admin and management. */
  public LocalOptions onFreePorts() {
    return with(
        Map.of("gateway.publicPort", "0", "gateway.adminPort", "0", "management.port", "0"));
  }

  /** The same with servers of one's own; empty for the embedded one. */
  public LocalOptions withServers(Optional<String> redisUri, Optional<String> mysqlUri) {
    return new LocalOptions(
        dataFolder, keep, roles, loader, configFile, overrides, redisUri, mysqlUri);
  }
}
