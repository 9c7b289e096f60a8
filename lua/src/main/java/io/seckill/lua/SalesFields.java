package io.seckill.lua;

import io.seckill.common.bus.SalesRecord;
import io.vertx.redis.client.Response;
import java.util.List;

/** How scripts take and tell the stop switch: its generation, then its word. */
final class SalesFields {

  private static final String STOPPED = "STOPPED";
  private static final String OPEN = "OPEN";

  private SalesFields() {}

  static List<String> of(SalesRecord sales) {
    return List.of(Long.toString(sales.generation()), sales.stopped() ? STOPPED : OPEN);
  }

  /** Reads the two elements from this place on; a head that was never switched tells 0. */
  static SalesRecord read(Response reply, int at) {
    return new SalesRecord(reply.get(at + 1).toString().equals(STOPPED), reply.get(at).toLong());
  }
}
