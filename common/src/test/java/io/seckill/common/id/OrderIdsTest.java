package io.seckill.common.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.HashSet;
import java.util.Set;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OrderIdsTest {

  private static final byte[] KEY = key(0);

  private static byte[] key(int first) {
    byte[] key = new byte[16];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (first + i);
    }
    return key;
  }

  /**
   * Computed once by another AES. If a line fails, buyers' order ids no longer open: mend the code,
   * never the line.
   */
  @ParameterizedTest
  @CsvSource({
    "0,   0,    1,          1,               2ZFXYCVEWHPNPJSAC2DAXTFXK6",
    "1,   15,   2,          100000,          2SE4KNH7ZW4P340RJQC6MZ83BN",
    "255, 1023, 4294967295, 281474976710655, 7A1RF0HAXWYTPT5X9H9Y5NFT3V",
    "7,   4095, 3,          4,               3DJQVAGDZM911NQ86B517KXKS4"
  })
  void sealShouldNeverChange(int region, int shard, long epoch, long seq, String orderId) {
    WinId win = WinId.of(region, shard, epoch, seq);
    assertThat(new OrderIds(KEY).seal(win)).hasToString(orderId);
    assertThat(new OrderIds(KEY).open(new OrderId(orderId))).contains(win);
  }

  @Test
  void OL_09_nodesShouldNeverMakeOneIdForTwoWins() {
    Set<OrderId> seen = new HashSet<>();
    for (int node = 0; node < 20; node++) {
      OrderIds ids = new OrderIds(KEY);
      for (int seq = 1; seq <= 5_000; seq++) {
        seen.add(ids.seal(WinId.of(0, node, 1, seq)));
      }
    }
    assertThat(seen).hasSize(100_000);
  }

  @Test
  void OL_09_everyNodeShouldMakeTheSameIdForAWin() {
    WinId win = WinId.of(3, 2, 7, 9);
    assertThat(new OrderIds(KEY).seal(win)).isEqualTo(new OrderIds(KEY).seal(win));
  }

  @Test
  void openShouldRefuseAShardThatCannotBe() {
    // Shard numbers between the largest on Redis and the database's have no meaning.
    assertThat(new OrderIds(KEY).open(sealedByHand(1024))).isEmpty();
    assertThat(new OrderIds(KEY).open(sealedByHand(4094))).isEmpty();
    assertThat(new OrderIds(KEY).open(sealedByHand(1023))).isPresent();
  }

  private static OrderId sealedByHand(int shard) {
    try {
      var cipher = Cipher.getInstance("AES/ECB/NoPadding");
      cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(KEY, "AES"));
      var block = ByteBuffer.allocate(16);
      block.putLong((1L << 60) | ((long) shard << 40) | (1L << 8)).putLong(1L << 24);
      var sealed = ByteBuffer.wrap(cipher.doFinal(block.array()));
      return new OrderId(Crockford32.encode(sealed.getLong(0), sealed.getLong(8)));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 15, 17, 24, 32})
  void constructorShouldRefuseAKeyOfAnotherLength(int bytes) {
    assertThatThrownBy(() -> new OrderIds(new byte[bytes]))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
