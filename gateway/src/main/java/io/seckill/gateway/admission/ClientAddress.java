package io.seckill.gateway.admission;

import io.netty.util.NetUtil;

/**
 * Whom the address limit counts: one IPv4 address, or one IPv6 /64, because whoever has an IPv6
 * address has a whole /64 to send from. An IPv4 address mapped into IPv6 is the IPv4 address.
 *
 * @param key the /64 prefix; an IPv4 address stands below {@code ff00::/8}, which is multicast and
 *     never a source
 */
public record ClientAddress(long key) {

  private static final long IPV4 = 0xFF00_0000_0000_0000L;
  private static final int MAX_LENGTH = 64;

  /**
   * Reads a literal address, with or without a port, never a name.
   *
   * @return null when the text is not an address
   */
  public static ClientAddress parse(String text) {
    byte[] bytes = bytesOf(text);
    return bytes == null ? null : of(bytes);
  }

  /** The address of four or sixteen bytes. */
  static ClientAddress of(byte[] bytes) {
    long high = 0;
    int significant = Math.min(bytes.length, Long.BYTES);
    for (int i = 0; i < significant; i++) {
      high = (high << 8) | (bytes[i] & 0xFF);
    }
    return new ClientAddress(bytes.length == 4 ? IPV4 | high : high);
  }

  /** Four bytes for IPv4, mapped or not, sixteen for IPv6, null for anything else. */
  static byte[] bytesOf(String text) {
    if (text == null || text.length() > MAX_LENGTH) {
      return null;
    }
    byte[] bytes =
        NetUtil.createByteArrayFromIpAddressString(withoutZone(withoutPort(text.strip())));
    return bytes != null && isMapped(bytes)
        ? new byte[] {bytes[12], bytes[13], bytes[14], bytes[15]}
        : bytes;
  }

  private static String withoutPort(String text) {
    int colon = text.lastIndexOf(':');
    if (text.startsWith("[")) {
      int bracket = text.indexOf(']');
      return bracket < 0 ? text : text.substring(1, bracket);
    }
    boolean ipv4WithPort = colon >= 0 && text.indexOf(':') == colon;
    return ipv4WithPort ? text.substring(0, colon) : text;
  }

  private static String withoutZone(String text) {
    int percent = text.indexOf('%');
    return percent < 0 ? text : text.substring(0, percent);
  }

  private static boolean isMapped(byte[] bytes) {
    if (bytes.length != 16 || bytes[10] != (byte) 0xFF || bytes[11] != (byte) 0xFF) {
      return false;
    }
    for (int i = 0; i < 10; i++) {
      if (bytes[i] != 0) {
        return false;
      }
    }
    return true;
  }
}
