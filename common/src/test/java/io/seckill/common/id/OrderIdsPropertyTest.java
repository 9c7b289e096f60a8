package io.seckill.common.id;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

class OrderIdsPropertyTest {

  @Provide
  Arbitrary<WinId> wins() {
    return Combinators.combine(
            Arbitraries.integers().between(0, ShardRef.MAX_REGION),
            Arbitraries.oneOf(
                Arbitraries.integers().between(0, ShardRef.MAX_SHARD),
                Arbitraries.just(ShardRef.DATABASE)),
            Arbitraries.longs().between(1, EntryId.MAX_EPOCH),
            Arbitraries.longs().between(1, EntryId.MAX_SEQ))
        .as(WinId::of);
  }

  @Property
  void sealedIdShouldOpenAgain(@ForAll("wins") WinId win, @ForAll @Size(16) byte[] key) {
    OrderIds ids = new OrderIds(key);
    OrderId sealed = ids.seal(win);
    assertThat(ids.open(sealed)).contains(win);
    assertThat(ids.seal(win)).isEqualTo(sealed);
  }

  @Property
  void OL_09_twoWinsShouldHaveTwoIds(@ForAll("wins") WinId one, @ForAll("wins") WinId other) {
    Assume.that(!one.equals(other));
    OrderIds ids = new OrderIds(new byte[16]);
    assertThat(ids.seal(one)).isNotEqualTo(ids.seal(other));
  }

  @Property
  void sealedIdShouldNotOpenUnderAnotherKey(
      @ForAll("wins") WinId win, @ForAll @Size(16) byte[] key, @ForAll @Size(16) byte[] other) {
    Assume.that(!Arrays.equals(key, other));
    assertThat(new OrderIds(other).open(new OrderIds(key).seal(win))).isEmpty();
  }

  @Property
  void guessedIdShouldNotOpen(@ForAll long high, @ForAll long low) {
    OrderId guess = new OrderId(Crockford32.encode(high, low));
    assertThat(new OrderIds(new byte[16]).open(guess)).isEmpty();
  }

  @Property
  void crockfordShouldKeepAllBits(@ForAll long high, @ForAll long low) {
    String text = Crockford32.encode(high, low);
    assertThat(Crockford32.isCanonical(text)).isTrue();
    assertThat(Crockford32.decode(text)).containsExactly(high, low);
  }
}
