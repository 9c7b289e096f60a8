package io.seckill.common.payment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class CallbackSignatureTest {

  private static final String SECRET = "0123456789abcdef0123456789abcdef";
  private static final byte[] BODY = "{\"paymentId\":\"p1\"}".getBytes(StandardCharsets.UTF_8);
  private static final long NOW_MS = 1_795_996_800_123L;

  private final CallbackSignature signature = new CallbackSignature(SECRET);

  /** The digits come from Python: hmac.new(secret, f"{t}.".encode() + body, sha256). */
  @ParameterizedTest
  @CsvSource({
    "0123456789abcdef0123456789abcdef, 1795996800, '{\"paymentId\":\"p1\"}',"
        + " 811da1d6f0f4781cac3a3fd5e53cc4daeb948ac9e0815eece7b0042593df3a01",
    "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk, 0, '',"
        + " 6a17add09d004c0eafe4a64fc177702ca9a4d80a15625550d7ab5a4b73e0fc87",
    "密密密密密密密密密密密密密密密密, 1795996800, 付,"
        + " b3db674a44b8b11e13ebcb39ee71381fa85fc28b3e841df07cdaf41c721d5101"
  })
  void signShouldGiveWhatOtherLibrariesGive(
      String secret, long seconds, String body, String digits) {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);

    assertThat(new CallbackSignature(secret).sign(bytes, seconds * 1_000 + 999))
        .isEqualTo("t=" + seconds + ",v1=" + digits);
  }

  @Test
  void verifyShouldTakeWhatWasSigned() {
    assertThat(signature.verify(BODY, signature.sign(BODY, NOW_MS), NOW_MS)).isTrue();
  }

  @Test
  void verifyShouldRefuseAnotherBodyTimeOrSecret() {
    String signed = signature.sign(BODY, NOW_MS);
    byte[] changed = BODY.clone();
    changed[3] ^= 1;

    assertThat(signature.verify(changed, signed, NOW_MS)).isFalse();
    assertThat(signature.verify(BODY, signed.replace("t=1795996800", "t=1795996801"), NOW_MS))
        .isFalse();
    assertThat(new CallbackSignature(SECRET + "x").verify(BODY, signed, NOW_MS)).isFalse();
    // A failed check leaves nothing behind.
    assertThat(signature.verify(BODY, signed, NOW_MS)).isTrue();
  }

  @Test
  void verifyShouldRefuseWhatIsTooOldOrFromTheFuture() {
    String signed = signature.sign(BODY, NOW_MS);
    long toleranceMs = CallbackSignature.TOLERANCE_S * 1_000;

    assertThat(signature.verify(BODY, signed, NOW_MS + toleranceMs)).isTrue();
    assertThat(signature.verify(BODY, signed, NOW_MS + toleranceMs + 1_000)).isFalse();
    assertThat(signature.verify(BODY, signed, NOW_MS - toleranceMs)).isTrue();
    assertThat(signature.verify(BODY, signed, NOW_MS - toleranceMs - 1_000)).isFalse();
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(
      strings = {
        "",
        "t=,v1=",
        "t=1795996800",
        "v1=811da1d6f0f4781cac3a3fd5e53cc4daeb948ac9e0815eece7b0042593df3a01",
        "t=1795996800,v1=811DA1D6F0F4781CAC3A3FD5E53CC4DAEB948AC9E0815EECE7B0042593DF3A01",
        "t=1795996800, v1=811da1d6f0f4781cac3a3fd5e53cc4daeb948ac9e0815eece7b0042593df3a01",
        "t=1795996800,v1=811da1d6f0f4781cac3a3fd5e53cc4daeb948ac9e0815eece7b0042593df3a0",
        "t=99999999999999999999,v1=811da1d6f0f4781cac3a3fd5e53cc4daeb948ac9e0815eece7b0042593df3a01",
        "t=-1,v1=811da1d6f0f4781cac3a3fd5e53cc4daeb948ac9e0815eece7b0042593df3a01"
      })
  void verifyShouldRefuseWhateverHasNotTheForm(String header) {
    assertThat(signature.verify(BODY, header, NOW_MS)).isFalse();
  }

  @Test
  void secretShouldBeLongEnough() {
    assertThatThrownBy(() -> new CallbackSignature(SECRET.substring(1)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
