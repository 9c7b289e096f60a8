package io.seckill.common.id;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

/**
 * Seals a {@link WinId} into an {@link OrderId} and opens it again: one AES block under a server
 * key. No generator and no clock is involved, so two nodes cannot make the same id for two wins;
 * and the id leads straight to the log of its win.
 *
 * <p>The block: 4 bits version (1), 8 bits region, 12 bits shard, 32 bits epoch, 48 bits seq, 24
 * bits zero. The 28 known bits make a guessed id open with a chance of 1 in 268 million; what it
 * then names must still belong to the caller.
 *
 * <p>Not safe for use by several threads at once: make one for each event loop.
 */
public final class OrderIds {

  private static final long VERSION = 1;
  private static final int CHECK_BITS = 24;
  private static final int KEY_BYTES = 16;

  private final Cipher seal;
  private final Cipher open;
  private final byte[] block = new byte[16];

  /**
   * Makes the two ciphers.
   *
   * @param key 16 bytes, the same on every node for as long as orders live
   * @throws IllegalArgumentException when the key has another length
   */
  public OrderIds(byte[] key) {
    if (key.length != KEY_BYTES) {
      throw new IllegalArgumentException("the order id key has " + KEY_BYTES + " bytes");
    }
    seal = cipher(Cipher.ENCRYPT_MODE, key);
    open = cipher(Cipher.DECRYPT_MODE, key);
  }

  private static Cipher cipher(int mode, byte[] key) {
    try {
      // One block, never more: the mode of operation does not matter, and ECB is the one without a
      // vector.
      Cipher cipher = Cipher.getInstance("AES/ECB/NoPadding");
      cipher.init(mode, new SecretKeySpec(key, "AES"));
      return cipher;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has AES", e);
    }
  }

  /** Seals a win's id. The same win gives the same order id on every node. */
  public OrderId seal(WinId win) {
    long epoch = win.entry().epoch();
    long seq = win.entry().seq();
    long high =
        (VERSION << 60)
            | ((long) win.shard().region() << 52)
            | ((long) win.shard().shard() << 40)
            | (epoch << 8)
            | (seq >>> 40);
    long low = seq << CHECK_BITS;
    ByteBuffer sealed = transform(seal, high, low);
    return new OrderId(Crockford32.encode(sealed.getLong(0), sealed.getLong(8)));
  }

  /** Opens an order id; empty when it was not sealed under this key. */
  public Optional<WinId> open(OrderId id) {
    long[] halves = Crockford32.decode(id.value());
    ByteBuffer opened = transform(open, halves[0], halves[1]);
    long high = opened.getLong(0);
    long low = opened.getLong(8);
    boolean ours = (high >>> 60) == VERSION && (low & ((1L << CHECK_BITS) - 1)) == 0;
    int shard = (int) ((high >>> 40) & 0xFFF);
    if (!ours || (shard > ShardRef.MAX_SHARD && shard != ShardRef.DATABASE)) {
      return Optional.empty();
    }
    long seq = ((high & 0xFF) << 40) | (low >>> CHECK_BITS);
    return Optional.of(
        WinId.of((int) ((high >>> 52) & 0xFF), shard, (high >>> 8) & 0xFFFFFFFFL, seq));
  }

  private ByteBuffer transform(Cipher cipher, long high, long low) {
    ByteBuffer.wrap(block).putLong(0, high).putLong(8, low);
    try {
      return ByteBuffer.wrap(cipher.doFinal(block));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a whole block needs no padding", e);
    }
  }
}
