package io.seckill.gateway.token;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.JWSVerifier;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.id.UserId;
import java.text.ParseException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Checks bearer tokens: exactly one header with scheme {@code Bearer} in any case (RFC 9110 §11.1),
 * the exact type {@code JWT}, algorithm and signature, {@code iss} and {@code aud} exact, {@code
 * exp} there and not too far ahead, {@code nbf} and {@code iat} not in the future, {@code sub} a
 * user id. Any other token is no token: the result is empty, and nothing of it is logged or told.
 *
 * <p>Verified tokens are remembered in a table of bounded size, because a signature costs more than
 * all other layers together; their end is checked at each use. Never blocks; safe for all threads;
 * shared by all instances of a process.
 */
public final class TokenVerifier {

  /** The longest header value that is looked at. */
  private static final int MAX_HEADER_CHARS = 4_096;

  /** Longer ones are verified each time, so that the table stays below a kilobyte a token. */
  private static final int MAX_CACHED_CHARS = 1_024;

  private static final String SCHEME = "Bearer ";

  private final SeckillConfig.Jwt config;
  private final LongSupplier epochMs;
  private final TokenKeys keys;
  private final Cache<String, Identity> cache;

  /**
   * A verifier with an empty table.
   *
   * @param config issuer, audience, bounds and size of the table
   * @param keys the keys that may sign
   * @param epochMs the wall clock, for the claims only
   */
  public TokenVerifier(SeckillConfig.Jwt config, TokenKeys keys, LongSupplier epochMs) {
    this.config = config;
    this.keys = keys;
    this.epochMs = epochMs;
    this.cache =
        Caffeine.newBuilder().maximumSize(config.cacheSize()).executor(Runnable::run).build();
  }

  /**
   * Checks the token of a request.
   *
   * @param authorization all values of the {@code Authorization} header
   * @return empty when there is not exactly one good token
   */
  public Optional<Identity> verify(List<String> authorization) {
    if (authorization.size() != 1) {
      return Optional.empty();
    }
    String given = authorization.get(0);
    if (given.length() > MAX_HEADER_CHARS
        || !given.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return Optional.empty();
    }
    // One spelling in the table, or each token could fill it sixty-four times.
    String header = given.startsWith(SCHEME) ? given : SCHEME + given.substring(SCHEME.length());
    Identity verified = cache.getIfPresent(header);
    if (verified == null) {
      verified = verifyAnew(header);
    }
    if (verified == null) {
      return Optional.empty();
    }
    if (epochMs.getAsLong() >= verified.untilMs()) {
      cache.invalidate(header);
      return Optional.empty();
    }
    return Optional.of(verified);
  }

  private Identity verifyAnew(String header) {
    String token = header.substring(SCHEME.length());
    if (!isCompact(token)) {
      return null;
    }
    Identity verified = claimsOf(token).map(this::check).orElse(null);
    if (verified != null && header.length() <= MAX_CACHED_CHARS) {
      cache.put(header, verified);
    }
    return verified;
  }

  /** Only base64url and dots: the library would trim blanks away. */
  private static boolean isCompact(String token) {
    for (int i = 0; i < token.length(); i++) {
      char c = token.charAt(i);
      boolean allowed =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || c == '-'
              || c == '_'
              || c == '.';
      if (!allowed) {
        return false;
      }
    }
    return true;
  }

  /** The payload of a token whose signature is good; empty for anything else. */
  private Optional<Map<String, Object>> claimsOf(String token) {
    try {
      JWSObject jws = JWSObject.parse(token);
      if (!JOSEObjectType.JWT.equals(jws.getHeader().getType())) {
        return Optional.empty();
      }
      Optional<JWSVerifier> verifier = keys.find(jws.getHeader());
      return verifier.isPresent() && jws.verify(verifier.get())
          ? Optional.ofNullable(jws.getPayload().toJSONObject())
          : Optional.empty();
    } catch (ParseException | JOSEException | RuntimeException e) {
      // The library throws unchecked exceptions for some hostile input. Whatever it is: no token.
      return Optional.empty();
    }
  }

  /** Null when a claim is missing, of another type, or wrong. */
  private Identity check(Map<String, Object> claims) {
    boolean ours = config.issuer().equals(claims.get("iss")) && isOurAudience(claims.get("aud"));
    if (!ours || !(claims.get("sub") instanceof String subject) || !UserId.isValid(subject)) {
      return null;
    }
    Set<String> roles = roles(claims);
    long untilMs = untilMs(claims);
    return roles == null || untilMs < 0 ? null : new Identity(new UserId(subject), roles, untilMs);
  }

  private boolean isOurAudience(Object audience) {
    return audience instanceof List<?> list
        ? list.size() == 1 && config.audience().equals(list.get(0))
        : config.audience().equals(audience);
  }

  private static Set<String> roles(Map<String, Object> claims) {
    if (!claims.containsKey("roles")) {
      return Set.of();
    }
    if (!(claims.get("roles") instanceof List<?> list)) {
      return null;
    }
    Set<String> roles = new HashSet<>();
    for (Object role : list) {
      if (!(role instanceof String text)) {
        return null;
      }
      roles.add(text);
    }
    return roles;
  }

  /** When the token ends, with tolerance, or −1 when its times are not acceptable now. */
  private long untilMs(Map<String, Object> claims) {
    long now = epochMs.getAsLong();
    if (!(claims.get("exp") instanceof Number exp)
        || !isPast(claims, "nbf", now)
        || !isPast(claims, "iat", now)) {
      return -1;
    }
    double expMs = exp.doubleValue() * 1_000;
    boolean acceptable =
        expMs + config.clockSkewMs() > now
            && expMs <= now + (double) config.maxLifetimeMs() + config.clockSkewMs();
    return acceptable ? (long) expMs + config.clockSkewMs() : -1;
  }

  private boolean isPast(Map<String, Object> claims, String name, long now) {
    if (!claims.containsKey(name)) {
      return true;
    }
    return claims.get(name) instanceof Number seconds
        && seconds.doubleValue() * 1_000 <= now + config.clockSkewMs();
  }
}
