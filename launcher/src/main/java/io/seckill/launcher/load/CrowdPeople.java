package io.seckill.launcher.load;

import io.seckill.common.id.UserId;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * What makes each buyer somebody else to the gateway: a token of his own and an address of his own,
 * both rendered as header lines before the clock starts. Immutable; may be shared by lanes.
 */
public final class CrowdPeople {

  private final byte[][] headers;

  private CrowdPeople(byte[][] headers) {
    this.headers = headers;
  }

  /**
   * Signs all in. Takes some 20 µs a buyer on each core; not for an event loop.
   *
   * @param plan who they are
   * @param firstAddress number of the first buyer's address; crowds that must not share addresses
   *     begin apart
   * @param token gives a signed token; called on several threads
   */
  public static CrowdPeople signIn(
      CrowdPlan plan, int firstAddress, Function<UserId, String> token) {
    byte[][] headers = new byte[plan.size().users()][];
    IntStream.range(0, headers.length)
        .parallel()
        .forEach(
            buyer ->
                headers[buyer] =
                    ascii(
                        "Authorization: Bearer "
                            + token.apply(plan.user(buyer))
                            + "\r\nX-Forwarded-For: "
                            + address(firstAddress + buyer)
                            + "\r\n"));
    return new CrowdPeople(headers);
  }

  /** The header lines of a buyer, each ended. */
  byte[] headersOf(int buyer) {
    return headers[buyer];
  }

  /** One /64 of the documentation range 2001:db8::/32 (RFC 3849) for each number. */
  static String address(int number) {
    return "2001:db8:"
        + Integer.toHexString(number >>> 16)
        + ":"
        + Integer.toHexString(number & 0xFFFF)
        + "::1";
  }

  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
