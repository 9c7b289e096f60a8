package io.seckill.common;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads the tables of the documentation, which are held against the program. */
public final class Docs {

  private Docs() {}

  /**
   * The rows of all tables of a page whose first cell is a name in backticks; cells without blanks
   * around them and without the backticks of a cell that is one name.
   *
   * @param page file name below {@code docs}
   */
  public static List<List<String>> rows(String page) throws IOException {
    List<List<String>> rows = new ArrayList<>();
    for (String line : Files.readAllLines(folder().resolve(page))) {
      if (line.startsWith("| `")) {
        String inner = line.substring(1, line.lastIndexOf('|'));
        rows.add(Arrays.stream(inner.split("\\|", -1)).map(Docs::cell).toList());
      }
    }
    return rows;
  }

  private static String cell(String text) {
    String cell = text.strip();
    return cell.matches("`[^`]*`") ? cell.substring(1, cell.length() - 1) : cell;
  }

  private static Path folder() {
    Path at = Path.of("").toAbsolutePath();
    while (!Files.isDirectory(at.resolve("docs/adr"))) {
      at = at.getParent();
    }
    return at.resolve("docs");
  }
}
