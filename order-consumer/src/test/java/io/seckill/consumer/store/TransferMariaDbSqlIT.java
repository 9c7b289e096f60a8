package io.seckill.consumer.store;

import io.seckill.testkit.MySqlAddress;
import io.seckill.testkit.TestMariaDb;

class TransferMariaDbSqlIT extends TransferContract {

  @Override
  MySqlAddress newDatabase() {
    return TestMariaDb.shared().newDatabase();
  }
}
