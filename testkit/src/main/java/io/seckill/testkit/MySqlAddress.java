package io.seckill.testkit;

import io.vertx.mysqlclient.MySQLConnectOptions;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/**
 * Where a database of a MySQL or MariaDB server is, and who may enter. The database is empty when
 * none is meant.
 */
public record MySqlAddress(String host, int port, String database, String user, String password) {

  private static final int DEFAULT_PORT = 3306;

  /** Reads {@code mysql://user:password@host:port/database}; port and database may be missing. */
  static MySqlAddress parse(String text) {
    URI uri = URI.create(text);
    if (uri.getHost() == null || uri.getRawUserInfo() == null) {
      throw new IllegalArgumentException("not mysql://user:password@host:port/database");
    }
    String[] account = uri.getRawUserInfo().split(":", 2);
    String path = uri.getPath() == null ? "" : uri.getPath();
    return new MySqlAddress(
        uri.getHost(),
        uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort(),
        path.startsWith("/") ? path.substring(1) : path,
        decode(account[0]),
        account.length == 2 ? decode(account[1]) : "");
  }

  private static String decode(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  /** The same server and account with another database. */
  public MySqlAddress withDatabase(String newDatabase) {
    return new MySqlAddress(host, port, newDatabase, user, password);
  }

  /** The same database by way of another host and port, such as a {@link FaultProxy}. */
  public MySqlAddress through(String newHost, int newPort) {
    return new MySqlAddress(newHost, newPort, database, user, password);
  }

  /**
   * Returns {@code mysql://user:password@host:port/database}; names and passwords of test servers
   * need no escaping.
   */
  public String uri() {
    return "mysql://%s:%s@%s:%d/%s".formatted(user, password, host, port, database);
  }

  /** Returns new connect options for the reactive client. */
  public MySQLConnectOptions connectOptions() {
    MySQLConnectOptions options =
        new MySQLConnectOptions().setHost(host).setPort(port).setUser(user).setPassword(password);
    return database.isEmpty() ? options : options.setDatabase(database);
  }
}
