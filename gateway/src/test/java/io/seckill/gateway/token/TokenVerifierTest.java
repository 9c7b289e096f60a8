package io.seckill.gateway.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.config.SeckillConfig;
import io.seckill.common.config.Secret;
import io.seckill.common.id.UserId;
import io.seckill.gateway.TestConfigs;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenVerifierTest {

  private static final String HEADER = "{\"alg\":\"HS256\",\"typ\":\"JWT\"}";
  private static final long NOW_SECONDS = 1_700_000_000L;
  private static final String GOOD =
      "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"sub\":\"ann\",\"exp\":1700000600}";

  private final AtomicLong now = new AtomicLong(NOW_SECONDS * 1_000);
  private final SeckillConfig.Jwt config = TestConfigs.jwt();
  private final TokenVerifier verifier =
      new TokenVerifier(config, TokenKeys.hs256(config.secret()), now::get);
  private final TokenSigner signer = new TokenSigner(config, now::get);

  @Test
  void verifyShouldAcceptWhatTheSignerMakes() {
    String token =
        signer.sign(new UserId("ann"), Set.of(Identity.ADMIN), Duration.ofHours(1)).text();
    Identity identity = verifier.verify(List.of("Bearer " + token)).orElseThrow();
    assertThat(identity.user()).isEqualTo(new UserId("ann"));
    assertThat(identity.isAdmin()).isTrue();
    String buyer = signer.sign(new UserId("bob"), Set.of(), Duration.ofDays(10_000)).text();
    assertThat(verifier.verify(List.of("Bearer " + buyer)).orElseThrow().isAdmin()).isFalse();
  }

  @Test
  void verifyShouldCheckTheEndOfARememberedTokenAtEachUse() {
    String header = "Bearer " + sign(HEADER, GOOD);
    assertThat(verifier.verify(List.of(header))).isPresent();
    now.addAndGet(604_999);
    assertThat(verifier.verify(List.of(header))).isPresent();
    now.addAndGet(1);
    assertThat(verifier.verify(List.of(header))).isEmpty();
    assertThat(verifier.verify(List.of(header))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        GOOD,
        "{\"iss\":\"seckill\",\"aud\":[\"seckill\"],\"sub\":\"ann\",\"exp\":1700000600.5}",
        "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"sub\":\"ann\",\"exp\":1699999996}",
        "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"sub\":\"ann\",\"exp\":1700000600,"
            + "\"nbf\":1700000005,\"iat\":1700000005,\"roles\":[]}",
      })
  void verifyShouldAcceptGoodClaims(String claims) {
    assertThat(verifier.verify(List.of("Bearer " + sign(HEADER, claims)))).isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // exp
        "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"sub\":\"ann\"}",
        "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"sub\":\"ann\",\"exp\":null}",
        "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"sub\":\"ann\",\"exp\":\"1700000600\"}",
        "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"sub\":\"ann\",\"exp\":true}",
        "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"sub\":\"ann\",\"exp\":1699999990}",
        "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"sub\":\"ann\",\"exp\":-1}",
        "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"sub\":\"ann\",\"exp\":1700090000}",
        "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"sub\":\"ann\",\"exp\":1e300}",
        "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"sub\":\"ann\",\"exp\":99999999999999999999}",
        // nbf, iat
        "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"sub\":\"ann\",\"exp\":1700000600,"
            + "\"nbf\":1700000100}",
        "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"sub\":\"ann\",\"exp\":1700000600,"
            + "\"iat\":1700000100}",
        "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"sub\":\"ann\",\"exp\":1700000600,"
            + "\"nbf\":\"x\"}",
        "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"sub\":\"ann\",\"exp\":1700000600,"
            + "\"iat\":null}",
        // iss, aud
        "{\"aud\":\"seckill\",\"sub\":\"ann\",\"exp\":1700000600}",
        "{\"iss\":\"other\",\"aud\":\"seckill\",\"sub\":\"ann\",\"exp\":1700000600}",
        "{\"iss\":[\"seckill\"],\"aud\":\"seckill\",\"sub\":\"ann\",\"exp\":1700000600}",
        "{\"iss\":\"seckill\",\"sub\":\"ann\",\"exp\":1700000600}",
        "{\"iss\":\"seckill\",\"aud\":\"Seckill\",\"sub\":\"ann\",\"exp\":1700000600}",
        "{\"iss\":\"seckill\",\"aud\":[\"seckill\",\"x\"],\"sub\":\"ann\",\"exp\":1700000600}",
        "{\"iss\":\"seckill\",\"aud\":[],\"sub\":\"ann\",\"exp\":1700000600}",
        // sub
        "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"exp\":1700000600}",
        "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"sub\":7,\"exp\":1700000600}",
        "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"sub\":null,\"exp\":1700000600}",
        "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"sub\":\"\",\"exp\":1700000600}",
        "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"sub\":\"a b\",\"exp\":1700000600}",
        "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"sub\":\"ann\\u0000\",\"exp\":1700000600}",
        "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"sub\":\"\\u200bann\",\"exp\":1700000600}",
        "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"sub\":\"b\\u043eb\",\"exp\":1700000600}",
        "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"sub\":{\"a\":1},\"exp\":1700000600}",
        // roles
        "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"sub\":\"ann\",\"exp\":1700000600,"
            + "\"roles\":\"admin\"}",
        "{\"iss\":\"seckill\",\"aud\":\"seckill\",\"sub\":\"ann\",\"exp\":1700000600,"
            + "\"roles\":[1]}",
        // no object
        "[]",
        "null",
        "\"x\"",
        "",
        "{",
      })
  void AU_02_brokenClaimsShouldBeNoToken(String claims) {
    refused(sign(HEADER, claims));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"alg\":\"none\",\"typ\":\"JWT\"}",
        "{\"alg\":\"None\",\"typ\":\"JWT\"}",
        "{\"alg\":\"NONE\",\"typ\":\"JWT\"}",
        "{\"alg\":\"HS512\",\"typ\":\"JWT\"}",
        "{\"alg\":\"RS256\",\"typ\":\"JWT\"}",
        "{\"alg\":\"hs256\",\"typ\":\"JWT\"}",
        "{\"alg\":\"HS256\"}",
        "{\"alg\":\"HS256\",\"typ\":\"JOSE\"}",
        "{\"alg\":\"HS256\",\"typ\":1}",
        "{\"alg\":\"HS256\",\"typ\":\"JWT\",\"crit\":[\"x\"],\"x\":1}",
        "{\"alg\":[\"HS256\"],\"typ\":\"JWT\"}",
        "{\"typ\":\"JWT\"}",
        "{}",
        "[]",
        "x",
      })
  void AU_03_onlyTheOneAlgorithmAndTypeShouldPass(String header) {
    refused(sign(header, GOOD));
  }

  @Test
  void AU_03_unsignedTokensShouldBeNoToken() {
    String token = sign(HEADER, GOOD);
    String unsigned = token.substring(0, token.lastIndexOf('.'));
    refused(unsigned);
    refused(unsigned + '.');
    refused(encode("{\"alg\":\"none\",\"typ\":\"JWT\"}") + '.' + encode(GOOD) + '.');
    refused(unsigned + ".AAAA");
    refused(token + "A");
    refused(token + ".x");
    refused("." + token);
    refused(sign(HEADER, GOOD, "another secret of thirty-two bytes."));
  }

  @Test
  void AU_02_malformedHeadersShouldBeNoToken() {
    String token = sign(HEADER, GOOD);
    for (String scheme : List.of("Bearer ", "bearer ", "BEARER ")) {
      assertThat(verifier.verify(List.of(scheme + token))).as(scheme).isPresent();
    }
    assertThat(verifier.verify(List.of())).isEmpty();
    assertThat(verifier.verify(List.of("Bearer " + token, "Bearer " + token))).isEmpty();
    for (String header :
        List.of(
            "Bearer  " + token,
            "Bearer\t" + token,
            "Bearer " + token + " ",
            "Bearer",
            "Bearer ",
            token,
            "Basic YTpi",
            "Bearer " + token + ", Bearer " + token,
            "Bearer " + "a".repeat(100_000),
            "Bearer " + "a.".repeat(1_000),
            "Bearer " + encode("[".repeat(1_000)) + ".e30.AA",
            "Bearer garbage",
            "Bearer \u0000.\u0000.\u0000",
            "")) {
      assertThat(verifier.verify(List.of(header))).as(header).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "short", "0123456789abcdef0123456789abcde"})
  void AU_03_aWeakSecretShouldStopTheStart(String secret) {
    assertThatThrownBy(() -> TokenKeys.hs256(new Secret(secret)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("jwt.secret")
        .hasMessageNotContaining("0123456789");
  }

  private void refused(String token) {
    assertThat(verifier.verify(List.of("Bearer " + token))).isEmpty();
  }

  private static String sign(String header, String claims) {
    return sign(header, claims, TestConfigs.SECRET);
  }

  private static String sign(String header, String claims, String secret) {
    String input = encode(header) + '.' + encode(claims);
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      byte[] signature = mac.doFinal(input.getBytes(StandardCharsets.US_ASCII));
      return input + '.' + Base64.getUrlEncoder().withoutPadding().encodeToString(signature);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String encode(String text) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }
}
