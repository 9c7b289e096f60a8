package io.seckill.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Copying and deleting whole folders. */
public final class FileTrees {

  private FileTrees() {}

  /** Copies the folder {@code from} with all it holds to {@code to}, which must not exist. */
  public static void copy(Path from, Path to) throws IOException {
    for (Path source : walk(from)) {
      Files.copy(source, to.resolve(from.relativize(source).toString()));
    }
  }

  /**
   * Deletes {@code folder} with all it holds; does nothing when it is not there. Symbolic links are
   * not followed.
   */
  public static void delete(Path folder) throws IOException {
    if (Files.notExists(folder)) {
      return;
    }
    List<Path> paths = walk(folder);
    paths.sort(Comparator.reverseOrder());
    for (Path path : paths) {
      Files.deleteIfExists(path);
    }
  }

  private static List<Path> walk(Path folder) throws IOException {
    try (Stream<Path> paths = Files.walk(folder)) {
      return new ArrayList<>(paths.toList());
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
