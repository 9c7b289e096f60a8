package io.seckill.consumer.payment;

import io.seckill.testkit.MySqlAddress;
import io.seckill.testkit.TestMariaDb;

class PaymentMariaDbSqlIT extends PaymentContract {

  @Override
  MySqlAddress newDatabase() {
    return TestMariaDb.shared().newDatabase();
  }
}
