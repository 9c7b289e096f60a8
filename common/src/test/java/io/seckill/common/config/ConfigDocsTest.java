package io.seckill.common.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.Docs;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ConfigDocsTest {

  @Test
  void configurationPageShouldHaveEveryKeyWithDefaultAndRange() throws IOException {
    assertThat(Docs.rows("configuration.md").stream().map(row -> row.subList(0, 3)))
        .as("docs/configuration.md has a row for each key, in the order of SeckillConfig")
        .containsExactlyElementsOf(keys());
  }

  @Test
  void configurationPageShouldSayWhatEachKeyMeans() throws IOException {
    assertThat(Docs.rows("configuration.md"))
        .allSatisfy(row -> assertThat(row).hasSize(4).last().asString().isNotBlank());
  }

  private static List<List<String>> keys() {
    Map<String, String> defaults = defaults();
    return ConfigKey.all().stream()
        .map(key -> List.of(key.name(), defaults.get(key.name()), allowed(key)))
        .toList();
  }

  private static Map<String, String> defaults() {
    Map<String, String> defaults = new LinkedHashMap<>();
    ConfigLoader.ofNothing()
        .load()
        .describe()
        .lines()
        .forEach(
            line -> {
              String value = line.substring(line.indexOf(" = ") + 3, line.lastIndexOf(" ("));
              String bare = value.replaceAll("^\"|\"$", "");
              boolean empty = bare.isEmpty() || bare.equals("[]");
              defaults.put(line.substring(0, line.indexOf(" = ")), empty ? "empty" : bare);
            });
    return defaults;
  }

  private static String allowed(ConfigKey key) {
    return switch (key.kind()) {
      case INT, LONG -> key.min() + " … " + key.max();
      case BOOLEAN -> "`true`, `false`";
      case WORD ->
          key.words().stream().map(word -> '`' + word + '`').collect(Collectors.joining(", "));
      case TEXT -> "text";
      case SECRET -> "secret";
      case LIST -> "list";
    };
  }
}
