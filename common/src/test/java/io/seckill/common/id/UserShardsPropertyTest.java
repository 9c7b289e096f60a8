package io.seckill.common.id;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class UserShardsPropertyTest {

  private static final int USERS = 20_000;

  @Provide
  Arbitrary<String> users() {
    return Arbitraries.strings()
        .withCharRange('a', 'z')
        .withCharRange('A', 'Z')
        .withCharRange('0', '9')
        .withChars('_', '.', '@', '-')
        .ofMinLength(1)
        .ofMaxLength(64);
  }

  @Property(tries = 500)
  void everyUserShouldHaveOneShard(
      @ForAll("users") String user, @ForAll @IntRange(min = 1, max = 1023) int shardCount) {
    int shard = new UserShards(shardCount).shardOf(new UserId(user));
    assertThat(shard).isBetween(0, shardCount - 1);
    assertThat(new UserShards(shardCount).shardOf(UserId.of(user))).isEqualTo(shard);
  }

  /** Also for names that differ only in a running number, which is how crowds are made. */
  @Property(tries = 40)
  void usersShouldSpreadEvenly(
      @ForAll @IntRange(min = 2, max = 64) int shardCount,
      @ForAll @IntRange(min = 0, max = 1_000_000) int first) {
    UserShards shards = new UserShards(shardCount);
    int[] seen = new int[shardCount];
    for (int i = 0; i < USERS; i++) {
      seen[shards.shardOf(new UserId("user-" + (first + i)))]++;
    }
    double mean = (double) USERS / shardCount;
    for (int count : seen) {
      // Six standard deviations of a fair draw: wrong by chance less than once in a million runs.
      assertThat(Math.abs(count - mean)).isLessThan(6 * Math.sqrt(mean));
    }
  }
}
