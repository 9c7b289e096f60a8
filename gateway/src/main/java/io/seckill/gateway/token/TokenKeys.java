package io.seckill.gateway.token;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.MACVerifier;
import io.seckill.common.config.Secret;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Finds the key that a token must be signed with. An algorithm is bound to its kind of key here, so
 * a public key can never serve as an HMAC secret. Implementations are safe for all threads and
 * never block.
 */
@FunctionalInterface
public interface TokenKeys {

  /** The shortest secret, in bytes: as long as the hash (RFC 7518 §3.2). */
  int MIN_SECRET_BYTES = 32;

  /** The check for a token with that header; empty when no key of ours fits. */
  Optional<JWSVerifier> find(JWSHeader header);

  /**
   * One shared secret, HS256 only.
   *
   * @throws IllegalArgumentException when the secret is missing or shorter than {@value
   *     #MIN_SECRET_BYTES} bytes; says what to do
   */
  static TokenKeys hs256(Secret secret) {
    JWSVerifier verifier;
    try {
      verifier = new MACVerifier(secretBytes(secret));
    } catch (JOSEException e) {
      throw new IllegalStateException("HS256 is always there", e);
    }
    Optional<JWSVerifier> found = Optional.of(verifier);
    return header -> JWSAlgorithm.HS256.equals(header.getAlgorithm()) ? found : Optional.empty();
  }

  /** The secret's bytes, after its length was checked. */
  static byte[] secretBytes(Secret secret) {
    byte[] bytes = secret.value().getBytes(StandardCharsets.UTF_8);
    if (bytes.length < MIN_SECRET_BYTES) {
      throw new IllegalArgumentException(
          "jwt.secret: at least "
              + MIN_SECRET_BYTES
              + " bytes are needed, "
              + (bytes.length == 0 ? "none is set" : "it has " + bytes.length)
              + "; make one with 'openssl rand -hex 32'");
    }
    return bytes;
  }
}
