package io.seckill.launcher.command;

import io.seckill.common.config.ConfigLoader;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine.Option;

/** Options of commands that need the configuration. */
final class ConfigOptions {

  @Option(
      names = "--config",
      paramLabel = "<file>",
      description = "A YAML file; docs/configuration.md has every key.")
  private Path file;

  @Option(
      names = "--set",
      paramLabel = "<key=value>",
      description = "A key of the configuration, above file and environment; may be repeated.")
  private Map<String, String> values = new TreeMap<>();

  Optional<Path> file() {
    return Optional.ofNullable(file);
  }

  Map<String, String> values() {
    return values;
  }

  ConfigLoader loader() {
    return ConfigLoader.ofProcess().withFile(file).withOverrides(values);
  }
}
