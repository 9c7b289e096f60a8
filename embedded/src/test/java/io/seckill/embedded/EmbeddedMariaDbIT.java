package io.seckill.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SQL through the reactive client is tested in testkit, which has it. */
class EmbeddedMariaDbIT {

  @TempDir Path folder;

  @Test
  void livesThroughKillPauseAndRestartWithItsDataFolder() throws Exception {
    MariaDbSpec spec = MariaDbSpec.in(folder).withDatabase("shop");
    int port;
    try (EmbeddedMariaDb db = EmbeddedMariaDb.start(spec)) {
      port = db.port();
      assertThat(db.version()).contains("MariaDB");
      assertThat(folder.resolve("mariadb-data/shop")).isDirectory();

      db.kill();
      assertThat(db.running()).isFalse();
      db.restart();
      assertThat(db.port()).isEqualTo(port);
      assertThat(greeting(db)).isTrue();

      db.pause();
      assertThatThrownBy(() -> greeting(db)).isInstanceOf(SocketTimeoutException.class);
      db.resume();
      assertThat(greeting(db)).isTrue();

      assertThatThrownBy(() -> EmbeddedMariaDb.start(spec))
          .isInstanceOf(EmbeddedServerException.class)
          .hasMessageContaining("in use by another server");
      assertThat(greeting(db)).isTrue();
    }
    assertThat(FreePorts.free(port)).isTrue();
    try (EmbeddedMariaDb again = EmbeddedMariaDb.start(spec.withPort(port))) {
      assertThat(again.port()).isEqualTo(port);
      assertThat(folder.resolve("mariadb-data/shop")).isDirectory();
    }
    assertThat(Files.readString(folder.resolve("mariadb.log"))).contains("ready for connections");
  }

  @Test
  void pointsToAnOwnServerWhereThereIsNoBinary() {
    assertThatThrownBy(() -> MariaDbBundle.unpacked(Platform.of("Linux", "aarch64")))
        .isInstanceOf(EmbeddedServerException.class)
        .hasMessageContaining("linux-arm64")
        .hasMessageContaining("--mysql");
    assertThatThrownBy(() -> EmbeddedRedis.binary(Platform.of("Windows 11", "amd64")))
        .isInstanceOf(EmbeddedServerException.class)
        .hasMessageContaining("--redis");
  }

  private static boolean greeting(EmbeddedMariaDb db) throws IOException {
    return new MySqlProbe(db.dataFolder().resolve("mariadb.pid"))
        .version(db.port(), db.pid())
        .isPresent();
  }
}
