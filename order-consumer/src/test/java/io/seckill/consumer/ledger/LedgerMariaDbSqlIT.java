package io.seckill.consumer.ledger;

import io.seckill.testkit.MySqlAddress;
import io.seckill.testkit.TestMariaDb;

class LedgerMariaDbSqlIT extends LedgerContract {

  @Override
  MySqlAddress newDatabase() {
    return TestMariaDb.shared().newDatabase();
  }
}
