package io.seckill.lua;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The script files of this module, as the sources have them. */
final class ScriptFiles {

  private static final Path FOLDER = Path.of("src/main/resources/io/seckill/lua/scripts");

  private ScriptFiles() {}

  /** Names of the scripts that can be run; includes say so in their first words. */
  static List<String> scripts() {
    try (Stream<Path> files = Files.list(FOLDER)) {
      List<String> names =
          files
              .filter(file -> !textOf(file).startsWith("-- Include: "))
              .map(file -> file.getFileName().toString().replaceFirst("\\.lua$", ""))
              .sorted()
              .toList();
      if (names.isEmpty()) {
        throw new IllegalStateException("no scripts in " + FOLDER.toAbsolutePath());
      }
      return names;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String textOf(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
