package io.seckill.common.payment;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs what goes over HTTP between the payment provider and the system, in both directions, and
 * checks it: {@code t=<unix seconds>,v1=<64 hex digits>}. The digits are HMAC-SHA256, under the
 * shared secret, over the seconds in decimal, a dot and the raw bytes of the body. The time is
 * under the signature, so that what somebody recorded is worth nothing after a few minutes; a
 * replay within them must be harmless by what it asks for. Belongs to one thread: it keeps its
 * {@link Mac}.
 */
public final class CallbackSignature {

  /** The header that carries the signature. */
  public static final String HEADER = "X-Seckill-Signature";

  /** How far the signer's clock and the checker's may be apart, in seconds. */
  public static final long TOLERANCE_S = 300;

  /** What a secret must have at least, as HMAC-SHA256 asks for. */
  public static final int MIN_SECRET_BYTES = 32;

  /** Twelve digits of seconds are enough for 30,000 years, and can always be counted with. */
  private static final Pattern FORM = Pattern.compile("t=([0-9]{1,12}),v1=([0-9a-f]{64})");

  private static final HexFormat HEX = HexFormat.of();

  private final Mac mac;

  /**
   * Makes a signer and checker.
   *
   * @param secret what both sides know, in UTF-8 at least {@link #MIN_SECRET_BYTES} long
   * @throws IllegalArgumentException when the secret is shorter
   */
  public CallbackSignature(String secret) {
    byte[] key = secret.getBytes(StandardCharsets.UTF_8);
    if (key.length < MIN_SECRET_BYTES) {
      throw new IllegalArgumentException(
          "a secret that signs has at least " + MIN_SECRET_BYTES + " bytes");
    }
    try {
      mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HMAC-SHA256", e);
    }
  }

  /**
   * The value of the header for a body.
   *
   * @param body the exact bytes that are sent
   * @param nowMs the signer's clock, epoch milliseconds
   */
  public String sign(byte[] body, long nowMs) {
    long seconds = nowMs / 1_000;
    return "t=" + seconds + ",v1=" + HEX.formatHex(digest(Long.toString(seconds), body));
  }

  /**
   * Whether whoever knows the secret signed these bytes, a few minutes ago at most. Takes as long
   * for a wrong signature as for a right one.
   *
   * @param body the exact bytes that came
   * @param header the header's value; null when there was none
   * @param nowMs the checker's clock, epoch milliseconds
   */
  public boolean verify(byte[] body, String header, long nowMs) {
    Matcher form = FORM.matcher(header == null ? "" : header);
    if (!form.matches()) {
      return false;
    }
    String seconds = form.group(1);
    boolean fresh = Math.abs(nowMs / 1_000 - Long.parseLong(seconds)) <= TOLERANCE_S;
    return MessageDigest.isEqual(digest(seconds, body), HEX.parseHex(form.group(2))) && fresh;
  }

  private byte[] digest(String seconds, byte[] body) {
    mac.update(seconds.getBytes(StandardCharsets.US_ASCII));
    mac.update((byte) '.');
    return mac.doFinal(body);
  }
}
