package io.seckill.consumer.store;

import io.seckill.testkit.MySqlAddress;
import io.seckill.testkit.TestMariaDb;

class BatchStoreMariaDbSqlIT extends BatchStoreContract {

  @Override
  MySqlAddress newDatabase() {
    return TestMariaDb.shared().newDatabase();
  }
}
