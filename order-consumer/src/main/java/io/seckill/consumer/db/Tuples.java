package io.seckill.consumer.db;

import io.seckill.common.id.WinId;
import io.vertx.sqlclient.Tuple;

/** Arguments that several statements take in the same way. */
public final class Tuples {

  private Tuples() {}

  /** The four values that name a win, and so its order: region, shard, epoch, seq. */
  public static Tuple of(WinId win) {
    return Tuple.of(
        win.shard().region(), win.shard().shard(), win.entry().epoch(), win.entry().seq());
  }

  /** The same values several times, one after the other. */
  public static Tuple repeat(Tuple values, int times) {
    Tuple all = Tuple.tuple();
    for (int i = 0; i < times; i++) {
      for (int at = 0; at < values.size(); at++) {
        all.addValue(values.getValue(at));
      }
    }
    return all;
  }
}
