package io.seckill.gateway.token;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.id.UserId;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Signs tokens as {@link TokenVerifier} wants them: for development sessions, the command line and
 * load. Safe for all threads.
 */
public final class TokenSigner {

  private static final JWSHeader HEADER =
      new JWSHeader.Builder(JWSAlgorithm.HS256).type(JOSEObjectType.JWT).build();

  private final SeckillConfig.Jwt config;
  private final LongSupplier epochMs;
  private final JWSSigner signer;

  /**
   * A signer with the configured secret, issuer and audience.
   *
   * @param config how tokens will be checked
   * @param epochMs the wall clock
   * @throws IllegalArgumentException when the secret is missing or too short
   */
  public TokenSigner(SeckillConfig.Jwt config, LongSupplier epochMs) {
    this.config = config;
    this.epochMs = epochMs;
    try {
      signer = new MACSigner(TokenKeys.secretBytes(config.secret()));
    } catch (JOSEException e) {
      throw new IllegalStateException("HS256 is always there", e);
    }
  }

  /**
   * A signed token.
   *
   * @param text the compact serialization
   * @param expiresAt when it ends, whole seconds
   */
  public record SignedToken(String text, Instant expiresAt) {}

  /**
   * Signs a token.
   *
   * @param user its subject
   * @param roles its roles, {@link Identity#ADMIN} for operators
   * @param lifetime at most {@code jwt.maxLifetimeMs}; what is longer is cut to that
   */
  public SignedToken sign(UserId user, Set<String> roles, Duration lifetime) {
    long nowSeconds = Math.floorDiv(epochMs.getAsLong(), 1_000L);
    long lifetimeSeconds = Math.min(lifetime.toMillis(), config.maxLifetimeMs()) / 1_000L;
    Instant expiresAt = Instant.ofEpochSecond(nowSeconds + lifetimeSeconds);
    JWTClaimsSet.Builder claims =
        new JWTClaimsSet.Builder()
            .issuer(config.issuer())
            .audience(config.audience())
            .subject(user.value())
            .issueTime(Date.from(Instant.ofEpochSecond(nowSeconds)))
            .expirationTime(Date.from(expiresAt));
    if (!roles.isEmpty()) {
      claims.claim("roles", List.copyOf(roles));
    }
    SignedJWT token = new SignedJWT(HEADER, claims.build());
    try {
      token.sign(signer);
    } catch (JOSEException e) {
      throw new IllegalStateException("signing with a checked secret cannot fail", e);
    }
    return new SignedToken(token.serialize(), expiresAt);
  }
}
