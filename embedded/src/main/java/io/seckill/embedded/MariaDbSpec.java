package io.seckill.embedded;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Which MariaDB to run.
 *
 * @param dataFolder holds data and log; made when missing, kept at the end, used again by a later
 *     start
 * @param port the port, or 0 to choose a free one
 * @param database created (utf8mb4) when missing; letters, digits and {@code _}, at most 64
 * @param user the one account for clients, from 127.0.0.1, with all rights; letters, digits and
 *     {@code _}, at most 64
 * @param password its password, set anew at each start
 * @param options more server options, such as {@code "--max-connections=10"}; they win
 */
public record MariaDbSpec(
    Path dataFolder,
    int port,
    String database,
    String user,
    String password,
    List<String> options) {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_]{1,64}");
  private static final Pattern PASSWORD = Pattern.compile("[\\x21-\\x7e&&[^'\\\\]]{1,128}");

  /** Checks names, password and port, and copies the options. */
  public MariaDbSpec {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port must be 0..65535: " + port);
    }
    if (!NAME.matcher(database).matches() || !NAME.matcher(user).matches()) {
      throw new IllegalArgumentException(
          "database and user must be " + NAME + ": " + database + ", " + user);
    }
    if (!PASSWORD.matcher(password).matches()) {
      throw new IllegalArgumentException(
          "the password must be 1 to 128 visible ASCII characters except ' and \\");
    }
    dataFolder = dataFolder.toAbsolutePath();
    options = List.copyOf(options);
  }

  /** A MariaDB in this folder on a free port; database, user and password are {@code seckill}. */
  public static MariaDbSpec in(Path dataFolder) {
    return new MariaDbSpec(dataFolder, 0, "seckill", "seckill", "seckill", List.of());
  }

  /** The same with another port. */
  public MariaDbSpec withPort(int newPort) {
    return new MariaDbSpec(dataFolder, newPort, database, user, password, options);
  }

  /** The same with another database. */
  public MariaDbSpec withDatabase(String newDatabase) {
    return new MariaDbSpec(dataFolder, port, newDatabase, user, password, options);
  }

  /** The same with another account. */
  public MariaDbSpec withAccount(String newUser, String newPassword) {
    return new MariaDbSpec(dataFolder, port, database, newUser, newPassword, options);
  }

  /** The same with these further options instead of the ones before. */
  public MariaDbSpec withOptions(String... newOptions) {
    return new MariaDbSpec(dataFolder, port, database, user, password, List.of(newOptions));
  }

  /** Leaves the password out. */
  @Override
  public String toString() {
    return "MariaDbSpec[dataFolder=%s, port=%d, database=%s, user=%s, options=%s]"
        .formatted(dataFolder, port, database, user, options);
  }
}
