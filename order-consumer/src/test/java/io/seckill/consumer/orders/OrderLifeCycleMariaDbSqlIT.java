package io.seckill.consumer.orders;

import io.seckill.testkit.MySqlAddress;
import io.seckill.testkit.TestMariaDb;

class OrderLifeCycleMariaDbSqlIT extends OrderLifeCycleContract {

  @Override
  MySqlAddress newDatabase() {
    return TestMariaDb.shared().newDatabase();
  }
}
