package io.seckill.consumer.db;

import io.vertx.sqlclient.Tuple;

/** Arguments of statements that need the same values in several places. */
public final class Tuples {

  private Tuples() {}

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
