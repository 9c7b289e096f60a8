package io.seckill.launcher.command;

import io.seckill.launcher.Main;
import io.seckill.testkit.Await;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The program as a process of its own, which ends with the test at the latest. */
public final class Program implements AutoCloseable {

  private static final Duration START_BOUND = Duration.ofSeconds(60);
  private static final Duration STOP_BOUND = Duration.ofSeconds(30);

  private final Process process;
  private final Path out;
  private final Path err;
  private final List<ProcessHandle> children = new ArrayList<>();

  private Program(Process process, Path out, Path err) {
    this.process = process;
    this.out = out;
    this.err = err;
  }

  /**
   * Starts it.
   *
   * @param folder working directory, and where its output goes
   */
  public static Program start(Path folder, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseParallelGC",
                "-Xmx512m",
                // A configuration for tests may stand before that of the program.
                "-Dlogback.configurationFile=logback.xml",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    command.addAll(List.of(arguments));
    Path out = folder.resolve("out.txt");
    Path err = folder.resolve("err.txt");
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    return new Program(process, out, err);
  }

  /** Waits until it has printed its JSON object. */
  public JsonObject awaitJson() throws InterruptedException, IOException {
    Await.until(
        START_BOUND,
        "the program's JSON",
        () -> !process.isAlive() || Files.readString(out).endsWith("}\n"));
    process.descendants().forEach(children::add);
    List<String> lines = Files.readAllLines(out);
    if (lines.isEmpty()) {
      throw new AssertionError("nothing on standard output; on standard error:\n" + err());
    }
    return new JsonObject(lines.get(lines.size() - 1));
  }

  /** What it wrote to standard error so far. */
  public String err() throws IOException {
    return Files.readString(err);
  }

  String out() throws IOException {
    return Files.readString(out);
  }

  long pid() {
    return process.pid();
  }

  /** The processes that it had started when it was ready. */
  List<ProcessHandle> children() {
    return children;
  }

  /** Sends SIGKILL and waits until nothing of it runs any more. */
  public void kill() throws InterruptedException {
    process.destroyForcibly();
    awaitExit();
  }

  /** Sends SIGSTOP: it stands still and keeps what it holds, until {@link #resume}. */
  public void pause() throws IOException, InterruptedException {
    signal("STOP");
  }

  /** Sends SIGCONT. */
  public void resume() throws IOException, InterruptedException {
    signal("CONT");
  }

  private void signal(String name) throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid())).inheritIO().start();
    if (kill.waitFor() != 0) {
      throw new IllegalStateException("kill -" + name + " " + pid() + ": " + kill.exitValue());
    }
  }

  /** Sends SIGTERM and gives the exit code. */
  int terminate() throws InterruptedException {
    process.destroy();
    return awaitExit();
  }

  int awaitExit() throws InterruptedException {
    if (!process.waitFor(STOP_BOUND.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new AssertionError("the program does not end");
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
