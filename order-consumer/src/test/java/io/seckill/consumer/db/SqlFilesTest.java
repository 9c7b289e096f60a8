package io.seckill.consumer.db;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds the SQL files to the house rules: each is used, and each is of the shared dialect. */
class SqlFilesTest {

  /** What one of MySQL 8.0.15 and MariaDB 10.11 does not know, and what hides lost rows. */
  private static final List<String> FORBIDDEN =
      List.of("INSERT IGNORE", "FOR SHARE", "VALUES ROW", "REPLACE INTO", " AS NEW", "CHECK (");

  private static List<Path> files(String folder) throws IOException, URISyntaxException {
    Path path = Path.of(SqlFilesTest.class.getClassLoader().getResource(folder).toURI());
    try (Stream<Path> list = Files.list(path)) {
      return list.sorted().toList();
    }
  }

  @Test
  void everyFileShouldBeAStatement() throws IOException, URISyntaxException {
    assertThat(files("sql"))
        .extracting(file -> file.getFileName().toString())
        .containsExactlyElementsOf(
            Arrays.stream(Sql.values())
                .map(sql -> sql.name().toLowerCase(Locale.ROOT) + ".sql")
                .sorted()
                .toList());
  }

  @Test
  void everyMigrationShouldBeListedOnceAndNumbered() throws IOException, URISyntaxException {
    List<String> listed = Migrator.known().stream().map(Migrator.Migration::name).toList();

    assertThat(files("db/migrations"))
        .extracting(file -> file.getFileName().toString())
        .filteredOn(name -> name.endsWith(".sql"))
        .containsExactlyElementsOf(listed);
    for (int i = 0; i < listed.size(); i++) {
      assertThat(Migrator.known().get(i).version()).isEqualTo(i + 1);
    }
  }

  @Test
  void everyFileShouldKeepToTheSharedDialect() throws IOException, URISyntaxException {
    for (String folder : List.of("sql", "db/migrations")) {
      for (Path file : files(folder)) {
        String text = Files.readString(file).toUpperCase(Locale.ROOT);
        assertThat(FORBIDDEN).as("%s", file).noneMatch(text::contains);
        assertThat(text).as("%s: one statement", file).doesNotContain(";\n");
      }
    }
  }

  @Test
  void everyTableAndTextShouldNameCharsetAndCollation() throws IOException, URISyntaxException {
    for (Path file : files("db/migrations")) {
      String text = Files.readString(file);
      if (text.contains("CREATE TABLE")) {
        assertThat(text)
            .as("%s", file)
            .contains("DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin");
      }
      for (String line : text.split("\n", -1)) {
        if (line.contains("ADD COLUMN") && line.contains("VARCHAR")) {
          assertThat(line).as("%s", file).contains("CHARACTER SET utf8mb4 COLLATE utf8mb4_bin");
        }
      }
    }
  }
}
