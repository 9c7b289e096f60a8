package io.seckill.consumer.notify;

import io.seckill.testkit.MySqlAddress;
import io.seckill.testkit.TestMariaDb;

class NotificationMariaDbSqlIT extends NotificationContract {

  @Override
  MySqlAddress newDatabase() {
    return TestMariaDb.shared().newDatabase();
  }
}
