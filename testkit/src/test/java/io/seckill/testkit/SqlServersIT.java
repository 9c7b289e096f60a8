package io.seckill.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.seckill.embedded.EmbeddedMariaDb;
import org.junit.jupiter.api.Test;

class SqlServersIT {

  @Test
  void givesEachTestADatabaseOfItsOwn() {
    worksOn(TestMariaDb.shared());
    assertThat(TestMariaDb.shared()).isSameAs(TestMariaDb.shared());
  }

  @Test
  void runsARealMySql8() {
    assumeTrue(TestMySql8.available(), TestMySql8::reason);
    assertThat(TestMySql8.shared().version()).isEqualTo("8.0.15");
    worksOn(TestMySql8.shared());
  }

  private static void worksOn(SqlServer server) {
    MySqlAddress one = server.newDatabase();
    MySqlAddress two = server.newDatabase();
    assertThat(one.database()).isNotEqualTo(two.database());
    SqlServer.query(one, "CREATE TABLE t (id INT PRIMARY KEY, word VARCHAR(20))");
    SqlServer.query(one, "INSERT INTO t VALUES (1, '秒杀')");
    assertThat(SqlServer.query(one, "SELECT word FROM t").get(0).getString(0)).isEqualTo("秒杀");
    assertThatThrownBy(() -> SqlServer.query(two, "SELECT word FROM t"))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aPrivateMariaDbKeepsCommittedRowsOverKill() {
    try (EmbeddedMariaDb db = TestMariaDb.start(spec -> spec.withOptions("--max-connections=11"))) {
      MySqlAddress address = TestMariaDb.address(db);
      SqlServer.query(address, "CREATE TABLE t (id INT PRIMARY KEY)");
      SqlServer.query(address, "INSERT INTO t VALUES (7)");

      db.kill();
      assertThatThrownBy(() -> SqlServer.query(address, "SELECT 1"))
          .isInstanceOf(IllegalStateException.class);
      db.restart();

      assertThat(SqlServer.query(address, "SELECT id FROM t").get(0).getInteger(0)).isEqualTo(7);
      assertThat(SqlServer.query(address, "SELECT @@max_connections").get(0).getInteger(0))
          .isEqualTo(11);
    }
  }
}
