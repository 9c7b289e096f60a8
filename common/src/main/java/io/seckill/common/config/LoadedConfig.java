package io.seckill.common.config;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A configuration that was bound and checked, and where each of its values came from. */
public final class LoadedConfig {

  private final SeckillConfig config;
  private final List<ConfigKey> keys;
  private final Map<String, Setting> settings;

  LoadedConfig(SeckillConfig config, List<ConfigKey> keys, Map<String, Setting> settings) {
    this.config = config;
    this.keys = keys;
    this.settings = Map.copyOf(settings);
  }

  /** The bound records. */
  public SeckillConfig config() {
    return config;
  }

  /**
   * Whether nobody has set the key, so that its default counts.
   *
   * @throws IllegalArgumentException for an unknown key
   */
  public boolean isDefault(String key) {
    Setting setting = settings.get(key);
    if (setting == null) {
      throw new IllegalArgumentException("no such key: " + key);
    }
    return setting.source().equals(Setting.DEFAULT_SOURCE);
  }

  /**
   * The effective configuration for the log, once at start: a line {@code key = value (source)} for
   * each key, in the order of the records, secrets masked.
   */
  public String describe() {
    return keys.stream()
        .map(key -> Binder.written(key, settings.get(key.name())))
        .collect(Collectors.joining("\n"));
  }
}
