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
 * collide would only get his own order again. Belongs to one thread: it keeps its SHA-256, because
 * a digest is made for each purchase.
 */
public final class PurchaseDigests {

  private static final int KEY_BYTES = 8;
  private static final int BODY_BYTES = 6;

  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

  private final MessageDigest sha256;

  /** Makes digests for one thread. */
  public PurchaseDigests() {
    try {
      sha256 = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Eleven characters of base64url, or {@code -} for no key. */
  public String ofKey(IdempotencyKey key) {
    return key.isNone() ? "-" : digest(key.value(), KEY_BYTES);
  }

  /**
   * Empty for one line (its quantity says all), else eight characters over the lines.
   *
   * @param lines by item id ascending, without repeats
   */
  public String ofBody(List<PurchaseLine> lines) {
    if (lines.size() == 1) {
      return "";
    }
    StringBuilder text = new StringBuilder();
    for (PurchaseLine line : lines) {
      text.append(line.item().value()).append(':').append(line.quantity().value()).append(',');
    }
    return digest(text.toString(), BODY_BYTES);
  }

  private String digest(String text, int bytes) {
    byte[] hash = sha256.digest(text.getBytes(StandardCharsets.UTF_8));
    return BASE64.encodeToString(Arrays.copyOf(hash, bytes));
  }
}
