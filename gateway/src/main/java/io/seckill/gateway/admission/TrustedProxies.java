package io.seckill.gateway.admission;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds out whose request it is. {@code X-Forwarded-For} is believed only when the connection comes
 * from a configured proxy; then the right-most hop that is not itself such a proxy is the client.
 * Everything left of it was written by the client and proves nothing. {@code Forwarded}, {@code
 * X-Real-IP} and the like are never read.
 *
 * <p>Immutable; safe for all threads.
 */
public final class TrustedProxies {

  /** No sane chain of proxies is longer; what lies further left is not looked at. */
  private static final int MAX_HOPS = 16;

  private final List<Block> blocks;

  /**
   * Reads the configured list.
   *
   * @param configured addresses or CIDR blocks
   * @throws IllegalArgumentException naming the key and the entry that is neither
   */
  public TrustedProxies(List<String> configured) {
    List<Block> parsed = new ArrayList<>();
    for (String text : configured) {
      parsed.add(Block.parse(text));
    }
    blocks = List.copyOf(parsed);
  }

  /** Whether the peer of a connection may speak for others. */
  public boolean trusts(String peer) {
    return !blocks.isEmpty() && trusts(ClientAddress.bytesOf(peer));
  }

  /**
   * The client behind a trusted peer. A hop that is not an address ends the walk: whoever sent it
   * is then counted by the last proxy that is known to be one.
   *
   * @param peer the trusted peer's own address
   * @param forwardedFor all values of the header, in order
   */
  public ClientAddress clientBehind(ClientAddress peer, List<String> forwardedFor) {
    ClientAddress nearest = peer;
    int hops = 0;
    for (int i = forwardedFor.size() - 1; i >= 0; i--) {
      String value = forwardedFor.get(i);
      int end = value.length();
      while (end >= 0) {
        int comma = value.lastIndexOf(',', end - 1);
        byte[] hop = ClientAddress.bytesOf(value.substring(comma + 1, end));
        if (hop == null || ++hops > MAX_HOPS) {
          return nearest;
        }
        nearest = ClientAddress.of(hop);
        if (!trusts(hop)) {
          return nearest;
        }
        end = comma;
      }
    }
    return nearest;
  }

  private boolean trusts(byte[] address) {
    if (address == null) {
      return false;
    }
    for (Block block : blocks) {
      if (block.contains(address)) {
        return true;
      }
    }
    return false;
  }

  private record Block(List<Byte> prefix, int bits) {

    static Block parse(String text) {
      int slash = text.indexOf('/');
      String address = slash < 0 ? text : text.substring(0, slash);
      byte[] bytes = ClientAddress.bytesOf(address);
      int bits = bytes == null ? -1 : bits(text, slash, bytes.length * 8);
      if (bits < 0) {
        throw new IllegalArgumentException(
            "gateway.trustedProxies: '" + text + "' is neither an IP address nor a CIDR block");
      }
      List<Byte> prefix = new ArrayList<>();
      for (byte b : bytes) {
        prefix.add(b);
      }
      return new Block(List.copyOf(prefix), bits);
    }

    private static int bits(String text, int slash, int most) {
      if (slash < 0) {
        return most;
      }
      String digits = text.substring(slash + 1);
      if (!digits.matches("[0-9]{1,3}")) {
        return -1;
      }
      int bits = Integer.parseInt(digits);
      return bits <= most ? bits : -1;
    }

    boolean contains(byte[] address) {
      if (address.length != prefix.size()) {
        return false;
      }
      for (int i = 0; i * 8 < bits; i++) {
        int mask = bits - i * 8 >= 8 ? 0xFF : 0xFF00 >> (bits - i * 8) & 0xFF;
        if (((address[i] ^ prefix.get(i)) & mask) != 0) {
          return false;
        }
      }
      return true;
    }
  }
}
