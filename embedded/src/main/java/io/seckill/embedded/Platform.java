package io.seckill.embedded;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** What the machine is, as far as the embedded servers care. */
record Platform(String os, String arch) {

  /** The platform this JVM runs on. */
  static Platform current() {
    return of(System.getProperty("os.name"), System.getProperty("os.arch"));
  }

  static Platform of(String osName, String osArch) {
    String name = osName.toLowerCase(Locale.ROOT);
    String os =
        name.contains("linux")
            ? "linux"
            : name.contains("mac") ? "darwin" : name.contains("win") ? "windows" : name;
    String arch =
        switch (osArch.toLowerCase(Locale.ROOT)) {
          case "amd64", "x86_64", "x64" -> "amd64";
          case "aarch64", "arm64" -> "arm64";
          default -> osArch;
        };
    return new Platform(os, arch);
  }

  boolean is(String wantedOs, String wantedArch) {
    return os.equals(wantedOs) && arch.equals(wantedArch);
  }

  static boolean runsAsRoot() {
    return System.getProperty("user.name").equals("root");
  }

  /**
   * Command prefix that gives a child a session of its own, so that Ctrl-C in a terminal reaches
   * only this JVM, which then stops its servers in the right order. Empty where {@code setsid} is
   * missing (macOS): there Ctrl-C reaches the servers too.
   */
  static List<String> ownSession() {
    for (String candidate : List.of("/usr/bin/setsid", "/bin/setsid")) {
      if (Files.isExecutable(Path.of(candidate))) {
        return List.of(candidate);
      }
    }
    return List.of();
  }

  @Override
  public String toString() {
    return os + "-" + arch;
  }
}
