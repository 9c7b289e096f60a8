package io.seckill.common.config;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads the configuration in layers, each above the one before: the defaults in the jar, a YAML
 * file, the environment, system properties, the command line. Then binds and checks all of it.
 *
 * <ul>
 *   <li>Environment: {@code SECKILL_REDIS_CALL_TIMEOUT_MS} for {@code redis.callTimeoutMs}.
 *   <li>System property: {@code -Dseckill.redis.callTimeoutMs}.
 *   <li>A list is written with commas where there is no YAML.
 * </ul>
 *
 * <p>Nothing is guessed: numbers are exact integers within their range, an unknown key is an error
 * that names a known one which is written nearly so, and all problems are told together. A layer's
 * value must be right only when no layer above replaces it. Immutable.
 */
public final class ConfigLoader {

  private static final String DEFAULTS = "/seckill-defaults.yaml";

  /** A configuration has some hundred lines; what is larger is another file. */
  private static final long MAX_FILE_BYTES = 1L << 20;

  /** Variables of the command line and of the start script; they are no configuration. */
  private static final Set<String> OTHER_VARIABLES =
      Set.of("SECKILL_ADMIN_URL", "SECKILL_ADMIN_TOKEN", "SECKILL_JAVA_OPTS");

  /** Properties of tests and of the embedded servers. */
  private static final List<String> OTHER_PROPERTIES =
      List.of("seckill.test.", "seckill.embedded.");

  private final Path file;
  private final Map<String, String> environment;
  private final Map<String, String> properties;
  private final Map<String, String> overrides;

  private ConfigLoader(
      Path file,
      Map<String, String> environment,
      Map<String, String> properties,
      Map<String, String> overrides) {
    this.file = file;
    this.environment = Map.copyOf(environment);
    this.properties = Map.copyOf(properties);
    this.overrides = Map.copyOf(overrides);
  }

  /** With this process' environment and system properties, and nothing else. */
  public static ConfigLoader ofProcess() {
    return ofNothing()
        .withEnvironment(System.getenv())
        .withProperties(texts(System.getProperties()));
  }

  /** With the defaults alone: for tests, which must not depend on where they run. */
  public static ConfigLoader ofNothing() {
    return new ConfigLoader(null, Map.of(), Map.of(), Map.of());
  }

  /** The same with a YAML file; null for none. */
  public ConfigLoader withFile(Path yaml) {
    return new ConfigLoader(yaml, environment, properties, overrides);
  }

  /** The same with another environment. */
  public ConfigLoader withEnvironment(Map<String, String> variables) {
    return new ConfigLoader(file, variables, properties, overrides);
  }

  /** The same with other system properties. */
  public ConfigLoader withProperties(Map<String, String> systemProperties) {
    return new ConfigLoader(file, environment, systemProperties, overrides);
  }

  /** The same with values from the command line, by key, above everything else. */
  public ConfigLoader withOverrides(Map<String, String> values) {
    return new ConfigLoader(file, environment, properties, values);
  }

  /**
   * Reads, binds and checks.
   *
   * @throws ConfigException with every problem
   * @throws IllegalStateException when the defaults in the jar are wrong: a mistake in the program
   */
  public LoadedConfig load() {
    List<ConfigKey> keys = ConfigKey.all();
    Map<String, ConfigKey> byName = new LinkedHashMap<>();
    keys.forEach(key -> byName.put(key.name(), key));
    Map<String, Setting> defaults = defaults(byName.keySet());

    List<String> problems = new ArrayList<>();
    Map<String, Setting> settings = new LinkedHashMap<>(defaults);
    settings.putAll(fromFile(byName.keySet(), problems));
    settings.putAll(fromEnvironment(keys, problems));
    settings.putAll(fromProperties(keys, problems));
    settings.putAll(fromOverrides(byName.keySet(), problems));

    Binder binder = new Binder(byName, settings, defaults, problems);
    SeckillConfig config = binder.bind();
    problems.addAll(Relations.check(config, settings, byName, binder.unbound()));
    if (!problems.isEmpty()) {
      throw new ConfigException(problems);
    }
    return new LoadedConfig(config, keys, settings);
  }

  private static Map<String, Setting> defaults(Set<String> keys) {
    List<String> problems = new ArrayList<>();
    try (InputStream in = ConfigLoader.class.getResourceAsStream(DEFAULTS)) {
      if (in == null) {
        throw new IllegalStateException("the jar lacks " + DEFAULTS);
      }
      String yaml = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      YamlSettings read = YamlSettings.read("seckill-defaults.yaml", yaml, problems);
      Map<String, Setting> defaults = new LinkedHashMap<>();
      read.settings()
          .forEach(
              (key, s) ->
                  defaults.put(key, new Setting(s.texts(), s.list(), Setting.DEFAULT_SOURCE)));
      if (!problems.isEmpty() || !defaults.keySet().equals(keys)) {
        throw new IllegalStateException(
            "the defaults must name exactly the keys of SeckillConfig: "
                + problems
                + " "
                + difference(defaults.keySet(), keys));
      }
      return defaults;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Set<String> difference(Set<String> one, Set<String> other) {
    return Stream.concat(
            one.stream().filter(key -> !other.contains(key)),
            other.stream().filter(key -> !one.contains(key)))
        .collect(Collectors.toSet());
  }

  private Map<String, Setting> fromFile(Set<String> keys, List<String> problems) {
    if (file == null) {
      return Map.of();
    }
    YamlSettings read = YamlSettings.read(file.toString(), text(problems), problems);
    Map<String, Setting> settings = new LinkedHashMap<>();
    read.settings()
        .forEach(
            (key, setting) -> {
              if (keys.contains(key)) {
                settings.put(key, setting);
              } else if (isSection(key, keys)) {
                problems.add(
                    setting.source() + ": " + key + " is a section; indent its keys below");
              } else {
                problems.add(unknown(setting.source() + ": unknown key", key, keys));
              }
            });
    read.empty()
        .forEach(
            (key, place) -> {
              if (keys.contains(key)) {
                problems.add(place + ": " + key + " has no value; an empty text is written \"\"");
              } else if (!isSection(key, keys)) {
                problems.add(unknown(place + ": unknown key", key, keys));
              }
            });
    return settings;
  }

  private String text(List<String> problems) {
    try {
      if (Files.size(file) > MAX_FILE_BYTES) {
        problems.add(file + ": is larger than " + MAX_FILE_BYTES + " bytes");
        return "";
      }
      return Files.readString(file);
    } catch (IOException e) {
      problems.add(file + ": cannot be read: " + Texts.whyUnreadable(e));
      return "";
    }
  }

  private static boolean isSection(String name, Set<String> keys) {
    return keys.stream().anyMatch(key -> key.startsWith(name + '.'));
  }

  private Map<String, Setting> fromEnvironment(List<ConfigKey> keys, List<String> problems) {
    Map<String, ConfigKey> known = index(keys, ConfigKey::environmentName);
    Map<String, Setting> settings = new LinkedHashMap<>();
    new TreeMap<>(environment)
        .forEach(
            (name, value) -> {
              ConfigKey key = known.get(name);
              if (key != null) {
                settings.put(key.name(), Setting.of(value, "environment variable " + name));
              } else if (name.startsWith(ConfigKey.ENVIRONMENT_PREFIX)
                  && !OTHER_VARIABLES.contains(name)) {
                problems.add(unknown("unknown environment variable", name, known.keySet()));
              }
            });
    return settings;
  }

  private Map<String, Setting> fromProperties(List<ConfigKey> keys, List<String> problems) {
    Map<String, ConfigKey> known = index(keys, ConfigKey::propertyName);
    Map<String, Setting> settings = new LinkedHashMap<>();
    new TreeMap<>(properties)
        .forEach(
            (name, value) -> {
              ConfigKey key = known.get(name);
              if (key != null) {
                settings.put(key.name(), Setting.of(value, "system property " + name));
              } else if (name.startsWith(ConfigKey.PROPERTY_PREFIX)
                  && OTHER_PROPERTIES.stream().noneMatch(name::startsWith)) {
                problems.add(unknown("unknown system property", name, known.keySet()));
              }
            });
    return settings;
  }

  private Map<String, Setting> fromOverrides(Set<String> keys, List<String> problems) {
    Map<String, Setting> settings = new LinkedHashMap<>();
    new TreeMap<>(overrides)
        .forEach(
            (key, value) -> {
              if (keys.contains(key)) {
                settings.put(key, Setting.of(value, "command line"));
              } else {
                problems.add(unknown("command line: unknown key", key, keys));
              }
            });
    return settings;
  }

  private static Map<String, ConfigKey> index(
      List<ConfigKey> keys, Function<ConfigKey, String> name) {
    return keys.stream().collect(Collectors.toMap(name, Function.identity()));
  }

  /** Says nothing of the value: a misspelled key may hold a secret. */
  private static String unknown(String what, String name, Set<String> known) {
    String nearest = Texts.nearest(name, known);
    return what
        + " "
        + Texts.quoted(name)
        + (Texts.isNear(name, nearest) ? "; did you mean " + nearest + "?" : "");
  }

  private static Map<String, String> texts(Properties properties) {
    return properties.stringPropertyNames().stream()
        .filter(name -> name.startsWith(ConfigKey.PROPERTY_PREFIX))
        .collect(Collectors.toMap(Function.identity(), properties::getProperty));
  }
}
