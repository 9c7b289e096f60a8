package io.seckill.consumer.notify;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.seckill.testkit.MySqlAddress;
import io.seckill.testkit.TestMySql8;
import org.junit.jupiter.api.BeforeAll;

class NotificationMySql8SqlIT extends NotificationContract {

  @BeforeAll
  static void available() {
    assumeTrue(TestMySql8.available(), TestMySql8::reason);
  }

  @Override
  MySqlAddress newDatabase() {
    return TestMySql8.shared().newDatabase();
  }
}
