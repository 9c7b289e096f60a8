package io.seckill.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.seckill.common.config.ConfigLoader;
import io.seckill.common.config.SeckillConfig;
import io.seckill.consumer.ConsumerRole;
import io.seckill.engine.EngineRole;
import io.seckill.gateway.GatewayRole;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class MetricsDocsTest {

  @Test
  void metricsPageShouldSayWhatTheRolesRegister() throws IOException {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    SeckillConfig config =
        ConfigLoader.ofNothing()
            .withOverrides(
                Map.of(
                    "jwt.secret", "a-secret-for-a-test-of-the-documents",
                    "orderId.key", "000102030405060708090a0b0c0d0e0f"))
            .load()
            .config();
    assertThat(ConsumerRole.deployments(config, registry)).isNotEmpty();
    assertThat(EngineRole.deployments(config, registry)).isNotEmpty();
    assertThat(new GatewayRole(config, registry).deployments()).isNotEmpty();

    TreeSet<String> registered = new TreeSet<>();
    for (Meter meter : registry.getMeters()) {
      Meter.Id id = meter.getId();
      // This registry shows percentiles and bounds of a meter as gauges of their own.
      boolean partOfAnother =
          id.getName().endsWith(".histogram") || id.getName().endsWith(".percentile");
      if (id.getName().startsWith("seckill.") && !partOfAnother) {
        registered.add(
            String.join(
                " | ",
                id.getName(),
                typeOf(id.getType()),
                id.getTags().stream().map(Tag::getKey).sorted().collect(Collectors.joining(", ")),
                String.valueOf(id.getDescription())));
      }
    }

    assertThat(documented())
        .as("docs/metrics.md has a row for each meter")
        .containsExactlyInAnyOrderElementsOf(registered);
  }

  private static String typeOf(Meter.Type type) {
    return switch (type) {
      case COUNTER -> "counter";
      case TIMER -> "timer";
      case DISTRIBUTION_SUMMARY -> "summary";
      default -> "gauge";
    };
  }

  private static List<String> documented() throws IOException {
    List<String> rows = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of("..", "docs", "metrics.md"))) {
      if (line.startsWith("| `seckill.")) {
        String[] cells = line.substring(1, line.lastIndexOf('|')).split("\\|", -1);
        rows.add(
            String.join(
                " | ",
                cells[0].strip().replace("`", ""),
                cells[1].strip(),
                cells[2].strip().replace("`", ""),
                cells[3].strip()));
      }
    }
    return rows;
  }
}
