package io.seckill.launcher.local;

import io.seckill.launcher.LaunchException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where a running system is, as {@code run.json} in its data folder says (mode 600).
 *
 * @param publicUrl storefront API and shop, without a slash at the end
 * @param adminUrl admin API and console
 * @param managementUrl health and metrics
 * @param adminToken a token with the role admin
 * @param pid the process that wrote it
 */
public record RunInfo(
    String publicUrl, String adminUrl, String managementUrl, String adminToken, long pid) {

  private static final String FILE = "run.json";

  /** Where the file of a data folder is. */
  public static Path file(Path dataFolder) {
    return dataFolder.resolve(FILE);
  }

  /** What a data folder says; empty when nothing runs there. */
  public static Optional<RunInfo> read(Path dataFolder) {
    Path file = file(dataFolder);
    return OwnerFile.read(file).map(json -> of(json, file));
  }

  private static RunInfo of(JsonObject json, Path file) {
    try {
      return new RunInfo(
          json.getString("publicUrl"),
          json.getString("adminUrl"),
          json.getString("managementUrl"),
          json.getString("adminToken"),
          json.getLong("pid", -1L));
    } catch (ClassCastException e) {
      throw new LaunchException(file + " is not as this release writes it: remove it", e);
    }
  }

  /** Writes or replaces the file. */
  public void write(Path dataFolder) {
    OwnerFile.write(
        file(dataFolder),
        new JsonObject()
            .put("publicUrl", publicUrl)
            .put("adminUrl", adminUrl)
            .put("managementUrl", managementUrl)
            .put("adminToken", adminToken)
            .put("pid", pid));
  }

  /** Removes the file; nothing happens when there is none. */
  public static void remove(Path dataFolder) {
    try {
      Files.deleteIfExists(file(dataFolder));
    } catch (IOException e) {
      throw new LaunchException("cannot remove " + file(dataFolder) + " (" + e + ")", e);
    }
  }

  /** Whether the process that wrote it still runs on this machine. */
  public boolean isAlive() {
    return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
  }

  /** Leaves the token out. */
  @Override
  public String toString() {
    return "RunInfo[" + publicUrl + ", " + adminUrl + ", " + managementUrl + ", pid " + pid + "]";
  }
}
