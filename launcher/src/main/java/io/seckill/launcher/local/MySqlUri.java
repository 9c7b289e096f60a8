package io.seckill.launcher.local;

import io.seckill.launcher.LaunchException;
import io.seckill.launcher.UsageException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** Reads {@code mysql://user:password@host:port/database} into keys of the configuration. */
final class MySqlUri {

  private static final int DEFAULT_PORT = 3306;
  private static final String FORM =
      "--mysql must be mysql://user:password@host:port/database; without the password part it comes"
          + " from SECKILL_MYSQL_PASSWORD";

  private MySqlUri() {}

  /**
   * The keys that the address sets; parts that are missing are not set.
   *
   * @throws LaunchException for another form; never shows what was written, it may hold a password
   */
  static Map<String, String> settings(String text) {
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      throw new UsageException(FORM);
    }
    boolean right =
        "mysql".equals(uri.getScheme())
            && uri.getHost() != null
            && uri.getRawQuery() == null
            && uri.getRawFragment() == null;
    if (!right) {
      throw new UsageException(FORM);
    }
    Map<String, String> settings = new HashMap<>();
    settings.put("mysql.host", uri.getHost());
    settings.put("mysql.port", Integer.toString(uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort()));
    String path = uri.getPath() == null ? "" : uri.getPath().replaceFirst("^/", "");
    if (!path.isEmpty()) {
      settings.put("mysql.database", path);
    }
    if (uri.getRawUserInfo() != null) {
      String[] account = uri.getRawUserInfo().split(":", 2);
      settings.put("mysql.user", decoded(account[0]));
      if (account.length == 2) {
        settings.put("mysql.password", decoded(account[1]));
      }
    }
    return settings;
  }

  private static String decoded(String part) {
    // A plus is a plus in a user part; only forms mean a blank by it.
    return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}
