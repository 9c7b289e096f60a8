package io.seckill.launcher.local;

import io.seckill.launcher.LaunchException;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Secrets that a local system made for itself. They live as long as its data: without the same
 * order id key no order can be found again.
 *
 * @param jwtSecret signs tokens
 * @param orderIdKey seals order ids
 * @param mysqlPassword of the embedded MariaDB
 */
public record LocalSecrets(String jwtSecret, String orderIdKey, String mysqlPassword) {

  private static final String FILE = "secrets.json";
  private static final int JWT_BYTES = 32;
  private static final int KEY_BYTES = 16;

  /** The secrets of a data folder; empty when none were made there. */
  public static Optional<LocalSecrets> read(Path dataFolder) {
    Path file = dataFolder.resolve(FILE);
    return OwnerFile.read(file).map(json -> of(json, file));
  }

  /** The secrets of a data folder, made and stored (mode 600) when it has none. */
  static LocalSecrets readOrMake(Path dataFolder) {
    return read(dataFolder)
        .orElseGet(
            () -> {
              LocalSecrets made =
                  new LocalSecrets(random(JWT_BYTES), random(KEY_BYTES), random(KEY_BYTES));
              OwnerFile.write(dataFolder.resolve(FILE), made.toJson());
              return made;
            });
  }

  private static LocalSecrets of(JsonObject json, Path file) {
    return new LocalSecrets(
        text(json, "jwtSecret", file),
        text(json, "orderIdKey", file),
        text(json, "mysqlPassword", file));
  }

  private static String text(JsonObject json, String name, Path file) {
    if (json.getValue(name) instanceof String text && !text.isEmpty()) {
      return text;
    }
    throw new LaunchException(file + " lacks " + name + ": bring its backup back");
  }

  private JsonObject toJson() {
    return new JsonObject()
        .put("jwtSecret", jwtSecret)
        .put("orderIdKey", orderIdKey)
        .put("mysqlPassword", mysqlPassword);
  }

  /** A secret of so many random bytes, in hexadecimal digits. */
  static String random(int bytes) {
    byte[] value = new byte[bytes];
    new SecureRandom().nextBytes(value);
    return HexFormat.of().formatHex(value);
  }

  /** Leaves the secrets out. */
  @Override
  public String toString() {
    return "LocalSecrets[***]";
  }
}
