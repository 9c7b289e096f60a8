package io.seckill.launcher.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.launcher.command.SeckillCommand;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The command as people type it. */
class DemoCommandIT {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void demoShouldPrintOneObjectAndLeaveNothingBehind() throws IOException {
    Set<String> before = leftovers();

    int exitCode =
        run(
            "demo",
            "--stock",
            "20",
            "--users",
            "200",
            "--requests",
            "600",
            "--connections",
            "16",
            "--warm-up",
            "0",
            "--seed",
            "3",
            "--hold-orders",
            "--json");

    assertThat(exitCode).as(err.toString()).isZero();
    JsonObject json = new JsonObject(out.toString());
    assertThat(json.getString("verdict")).isEqualTo("PASS");
    assertThat(json.getInteger("sold")).isEqualTo(20);
    assertThat(json.getInteger("ordersStored")).isEqualTo(20);
    assertThat(json.getInteger("requests")).isEqualTo(600);
    assertThat(json.getJsonObject("epochs").getInteger("shards")).isEqualTo(1);
    assertThat(json.getLong("seed")).isEqualTo(3);
    assertThat(json.getJsonObject("drain").getBoolean("held")).isTrue();
    assertThat(json.getJsonObject("drain").getInteger("orders"))
        .as("all were stored after the sale")
        .isEqualTo(20);
    assertThat(leftovers()).isEqualTo(before);
  }

  @Test
  void demoShouldSayWhatIsOutOfRange() {
    assertThat(run("demo", "--stock", "0")).isEqualTo(2);
    assertThat(err.toString()).contains("stock must be 1 to");
    assertThat(out.toString()).isEmpty();
  }

  private int run(String... arguments) {
    CommandLine line = SeckillCommand.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }

  private static Set<String> leftovers() throws IOException {
    try (Stream<Path> entries = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      return entries
          .map(path -> path.getFileName().toString())
          .filter(name -> name.startsWith("seckill-demo-"))
          .collect(Collectors.toSet());
    }
  }
}
