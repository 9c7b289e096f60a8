package io.seckill.consumer.letters;

import static io.seckill.consumer.ConsumerBed.await;

import io.seckill.testkit.MySqlAddress;
import io.vertx.core.Vertx;
import io.vertx.mysqlclient.MySQLConnection;

/** A named lock of the server, held by the test until it is closed. */
final class Held implements AutoCloseable {

  private final MySQLConnection connection;
  private final String name;

  Held(Vertx vertx, MySqlAddress address, String name) {
    this.connection = await(MySQLConnection.connect(vertx, address.connectOptions()));
    this.name = name;
  }

  void take() {
    await(connection.query("SELECT GET_LOCK('" + name + "', 10)").execute());
  }

  @Override
  public void close() {
    await(connection.close());
  }
}
