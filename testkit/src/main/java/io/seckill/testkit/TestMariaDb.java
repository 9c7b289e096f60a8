package io.seckill.testkit;

import io.seckill.embedded.EmbeddedMariaDb;
import io.seckill.embedded.MariaDbSpec;
import java.util.function.UnaryOperator;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;

/**
 * MariaDB servers for tests; the shared one may be a MySQL when its address is given by property.
 */
public final class TestMariaDb {

  /**
   * System property with the address of a MySQL or MariaDB to use as the shared one, {@code
   * mysql://user:password@host:port}.
   */
  public static final String PROPERTY = "seckill.test.mysql";

  private static final String IMAGE = "mariadb:11.4";
  private static final String PASSWORD = "seckill";
  private static final int PORT = 3306;

  private TestMariaDb() {}

  /** Started by the first caller, as Java initialises a class once. */
  private static final class Shared {
    static final SqlServer SERVER = find();

    private static SqlServer find() {
      String property = System.getProperty(PROPERTY);
      if (property != null && !property.isBlank()) {
        return announced(MySqlAddress.parse(property), "given by -D" + PROPERTY);
      }
      if (DockerEngine.hasImage(IMAGE)) {
        @SuppressWarnings("resource") // Testcontainers removes it when the JVM ends.
        GenericContainer<?> container =
            new GenericContainer<>(IMAGE)
                .withEnv("MARIADB_ROOT_PASSWORD", PASSWORD)
                .withExposedPorts(PORT)
                .waitingFor(Wait.forLogMessage(".*ready for connections.*", 2));
        container.start();
        return announced(
            new MySqlAddress(
                container.getHost(), container.getMappedPort(PORT), "", "root", PASSWORD),
            "container " + IMAGE);
      }
      return announced(address(start()), "embedded");
    }

    private static SqlServer announced(MySqlAddress address, String how) {
      SqlServer server = SqlServer.at(address);
      TestResources.announce(
          "SQL server", server.version(), how, address.host() + ":" + address.port());
      return server;
    }
  }

  /**
   * Returns the one server that all tests of this JVM share; each test makes its own database
   * there.
   */
  public static SqlServer shared() {
    return Shared.SERVER;
  }

  /** Starts a private embedded MariaDB in a temporary folder, with the database {@code seckill}. */
  public static EmbeddedMariaDb start() {
    return start(UnaryOperator.identity());
  }

  /** Starts a private embedded MariaDB in a temporary folder, as {@code change} wants it. */
  public static EmbeddedMariaDb start(UnaryOperator<MariaDbSpec> change) {
    return start(change.apply(MariaDbSpec.in(TestResources.temporaryFolder("mariadb"))));
  }

  /**
   * Starts a private embedded MariaDB, which the test may kill, pause and restart. It ends with the
   * JVM at the latest.
   */
  public static EmbeddedMariaDb start(MariaDbSpec spec) {
    return TestResources.owned(EmbeddedMariaDb.start(spec));
  }

  /** Returns the address of a private server's database. */
  public static MySqlAddress address(EmbeddedMariaDb db) {
    return new MySqlAddress(db.host(), db.port(), db.database(), db.user(), db.password());
  }
}
