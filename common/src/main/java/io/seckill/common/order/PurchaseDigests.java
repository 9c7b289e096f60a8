package io.seckill.common.order;

import io.seckill.common.id.IdempotencyKey;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * Short digests that a receipt keeps instead of a whole key and body. They are compared only within
 * one user's receipts of one item, so 64 and 48 bits are ample; a user who made two of his own keys
 * collide would only get his own order again.
 */
public final class PurchaseDigests {

  private static final int KEY_BYTES = 8;
  private static final int BODY_BYTES = 6;

  private PurchaseDigests() {}

  /** Eleven characters of base64url, or {@code -} for no key. */
  public static String ofKey(IdempotencyKey key) {
    return key.isNone() ? "-" : digest(key.value(), KEY_BYTES);
  }

  /**
   * Empty for one line (its quantity says all), else eight characters over the lines.
   *
   * @param lines by item id ascending, without repeats
   */
  public static String ofBody(List<PurchaseLine> lines) {
    if (lines.size() == 1) {
      return "";
    }
    StringBuilder text = new StringBuilder();
    for (PurchaseLine line : lines) {
      text.append(line.item().value()).append(':').append(line.quantity().value()).append(',');
    }
    return digest(text.toString(), BODY_BYTES);
  }

  private static String digest(String text, int bytes) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(hash, bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
