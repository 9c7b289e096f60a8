package io.seckill.gateway.http;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;

/** Moments as they stand in JSON: RFC 3339 with offset. */
public final class Times {

  /** 9999-12-31T23:59:59.999Z, the last moment that RFC 3339 can write. */
  private static final long LAST_MS = 253_402_300_799_999L;

  private Times() {}

  /** Writes epoch milliseconds in UTC. */
  public static String rfc3339(long epochMs) {
    return DateTimeFormatter.ISO_INSTANT.format(Instant.ofEpochMilli(epochMs));
  }

  /**
   * Reads a moment with its offset.
   *
   * @return epoch milliseconds from 1970 to 9999
   * @throws io.seckill.common.error.SeckillException INVALID_REQUEST naming the field
   */
  public static long parse(String text, String name) {
    try {
      long epochMs = OffsetDateTime.parse(text).toInstant().toEpochMilli();
      if (epochMs >= 0 && epochMs <= LAST_MS) {
        return epochMs;
      }
    } catch (DateTimeException e) {
      // Said below, in the same words as a year that is out of range.
    }
    throw Json.invalid("'" + name + "' must be a time as in RFC 3339, with its offset.");
  }
}
