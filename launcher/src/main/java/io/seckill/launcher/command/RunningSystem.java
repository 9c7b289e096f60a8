package io.seckill.launcher.command;

import io.seckill.launcher.LaunchException;
import io.seckill.launcher.UsageException;
import io.seckill.launcher.local.RunInfo;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The system that a command speaks to.
 *
 * @param adminUrl its admin API, without a slash at the end
 * @param adminToken a token with the role admin
 */
record RunningSystem(String adminUrl, String adminToken) {

  private static final String URL = "SECKILL_ADMIN_URL";
  private static final String TOKEN = "SECKILL_ADMIN_TOKEN";

  /**
   * Finds a local run by its data folder, else by the environment.
   *
   * @throws LaunchException when there is none, saying what to do
   */
  static RunningSystem find(Path dataFolder, Map<String, String> environment) {
    Optional<RunInfo> local = RunInfo.read(dataFolder);
    if (local.isPresent() && local.get().isAlive()) {
      return new RunningSystem(local.get().adminUrl(), local.get().adminToken());
    }
    String url = environment.getOrDefault(URL, "");
    String token = environment.getOrDefault(TOKEN, "");
    if (!url.isEmpty() && !token.isEmpty()) {
      return new RunningSystem(checkedUrl(url), checkedToken(token));
    }
    if (!url.isEmpty() || !token.isEmpty()) {
      throw new UsageException(
          (url.isEmpty() ? URL : TOKEN) + " is not set, but its other half is: set both");
    }
    String why =
        local.isPresent()
            ? RunInfo.file(dataFolder) + " is left over from a run that has ended"
            : "there is no " + RunInfo.file(dataFolder);
    throw new LaunchException(
        "no running system is known: "
            + why
            + ". Start one with './seckill run', name its folder with --data, or set "
            + URL
            + " and "
            + TOKEN);
  }

  private static String checkedUrl(String url) {
    try {
      URI uri = new URI(url);
      boolean web = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      if (web && uri.getHost() != null) {
        return url.replaceFirst("/+$", "");
      }
    } catch (URISyntaxException e) {
      // Told below.
    }
    throw new UsageException(URL + " must be such as http://127.0.0.1:8081");
  }

  /** A header takes no other characters, and the complaint about them would show the token. */
  private static String checkedToken(String token) {
    if (!token.matches("[!-~]+")) {
      throw new UsageException(TOKEN + " must be one token, without spaces and line ends");
    }
    return token;
  }

  /** Leaves the token out. */
  @Override
  public String toString() {
    return "RunningSystem[" + adminUrl + "]";
  }
}
