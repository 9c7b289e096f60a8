package io.seckill.launcher;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** On what a figure was measured: it means nothing without. */
public final class RunStamp {

  private static final long GIT_BOUND_S = 5;

  private RunStamp() {}

  /** Cores, JVM and operating system. */
  public static JsonObject machine() {
    return new JsonObject()
        .put("cores", Runtime.getRuntime().availableProcessors())
        .put("jvm", System.getProperty("java.vm.name") + " " + Runtime.version())
        .put("os", System.getProperty("os.name") + " " + System.getProperty("os.arch"));
  }

  /** The same in one line. */
  public static String machineInWords() {
    JsonObject machine = machine();
    return "%d cores, %s, %s"
        .formatted(machine.getInteger("cores"), machine.getString("jvm"), machine.getString("os"));
  }

  /**
   * The commit of the sources that the program was built in, with {@code -dirty} when they differ
   * from it; {@code unknown} where there is no Git or the program stands elsewhere.
   */
  public static String commit() {
    try {
      Path program =
          Path.of(RunStamp.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      ProcessBuilder git =
          new ProcessBuilder(
              List.of("git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"));
      git.directory(program.getParent().toFile());
      // It only looks, and must not wait for somebody's commit.
      git.environment().put("GIT_OPTIONAL_LOCKS", "0");
      Process process = git.redirectErrorStream(true).start();
      if (!process.waitFor(GIT_BOUND_S, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return "unknown";
      }
      String said =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      return process.exitValue() == 0 ? said : "unknown";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "unknown";
    } catch (IOException | java.net.URISyntaxException | SecurityException e) {
      return "unknown";
    }
  }
}
