package io.seckill.lua;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.ItemId;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisKeysTest {

  private static final Pattern TAGGED = Pattern.compile("seckill:\\{([^{}]+)}:.+");

  @Test
  void keysShouldBeSpelledAsTheDesignSays() {
    RedisKeys keys = RedisKeys.forShards(1)[0];
    assertThat(keys.head()).isEqualTo("seckill:{0.0}:head");
    assertThat(keys.log()).isEqualTo("seckill:{0.0}:log");
    assertThat(keys.items()).isEqualTo("seckill:{0.0}:items");
    assertThat(keys.item(new ItemId(7))).isEqualTo("seckill:{0.0}:item:7");
    assertThat(keys.stock(new ItemId(7))).isEqualTo("seckill:{0.0}:stock:7");
    assertThat(keys.receipts(new ItemId(7))).isEqualTo("seckill:{0.0}:receipts:7");
    assertThat(keys.waitlist(new ItemId(7))).isEqualTo("seckill:{0.0}:waitlist:7");
    assertThat(keys.held("g.1")).isEqualTo("seckill:{0.0}:held:g.1");
    assertThat(keys.windows()).containsExactly("seckill:{0.0}:window:0", "seckill:{0.0}:window:1");
  }

  @Test
  void LU_03_allKeysOfAShardShouldShareItsTag() {
    RedisKeys[] shards = RedisKeys.forShards(16);
    String[] tags = ShardTags.of(16);
    for (int shard = 0; shard < shards.length; shard++) {
      RedisKeys keys = shards[shard];
      ItemId item = new ItemId(Long.MAX_VALUE);
      for (String key :
          List.of(
              keys.head(),
              keys.log(),
              keys.items(),
              keys.item(item),
              keys.stock(item),
              keys.receipts(item),
              keys.waitlist(item),
              keys.held("g"),
              keys.windows().get(0),
              keys.windows().get(1))) {
        Matcher tagged = TAGGED.matcher(key);
        assertThat(tagged.matches()).as(key).isTrue();
        assertThat(tagged.group(1)).isEqualTo(tags[shard]);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      longs = {99_999_999_999_999L, 100_000_000_000_000L, 9_007_199_254_740_993L, Long.MAX_VALUE})
  void LU_02_idsShouldStayExactInKeys(long id) {
    assertThat(RedisKeys.forShards(1)[0].item(new ItemId(id))).endsWith(":item:" + id);
  }
}
