package io.seckill.consumer.letters;

import io.seckill.testkit.MySqlAddress;
import io.seckill.testkit.TestMariaDb;

class DeadLettersMariaDbSqlIT extends DeadLettersContract {

  @Override
  MySqlAddress newDatabase() {
    return TestMariaDb.shared().newDatabase();
  }
}
