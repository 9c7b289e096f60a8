package io.seckill.common.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.config.RedisUri.Kind;
import io.seckill.common.config.RedisUri.Server;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedisUriTest {

  @Test
  void parseShouldReadTheThreeForms() {
    assertThat(RedisUri.parse("redis://r-1.sale:6380"))
        .isEqualTo(new RedisUri(Kind.STANDALONE, List.of(new Server("r-1.sale", 6380)), ""));
    assertThat(RedisUri.parse("redis-sentinel://a:1,[::1]:2/my_master.1"))
        .isEqualTo(
            new RedisUri(
                Kind.SENTINEL, List.of(new Server("a", 1), new Server("[::1]", 2)), "my_master.1"));
    assertThat(RedisUri.parse("redis-cluster://a:1,a:2"))
        .isEqualTo(new RedisUri(Kind.CLUSTER, List.of(new Server("a", 1), new Server("a", 2)), ""));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''                                       | must be redis://host:port
          localhost:6379                           | must be redis://host:port
          rediss://a:1                             | must be redis://host:port
          Redis://a:1                              | must be redis://host:port
          redis:///                                | must be redis://host:port
          redis://a                                | must name each server as host:port
          redis://a:0                              | must name each server as host:port
          redis://a:65536                          | must name each server as host:port
          redis://:hunter2@a:1                     | must name each server as host:port
          redis://a:1?db=1                         | must name each server as host:port
          redis-cluster://a:1,                     | must name each server as host:port
          redis-cluster://a:1, b:1                 | must name each server as host:port
          redis-sentinel://a:1,hunter2@b:1/m       | must name each server as host:port
          redis://a:1,b:1                          | must name one server
          redis://a:1/                             | must name one server
          redis-sentinel://a:1                     | must end with the master's name
          redis-sentinel://a:1/                    | must end with the master's name
          redis-sentinel://a:1/m/0                 | must end with the master's name
          redis-cluster://a:1/m                    | must have nothing behind the last port
          redis-cluster://a:1,a:1                  | must name at most 32 servers, each once
          """)
  void parseShouldSayInOneSentenceWhatIsWrong(String text, String sentence) {
    assertThatThrownBy(() -> RedisUri.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(sentence)
        .hasMessageNotContaining("hunter2")
        .hasNoCause();
  }

  @Test
  void parseShouldBoundTheServers() {
    String seeds =
        IntStream.rangeClosed(1, 33).mapToObj(i -> "a:" + i).collect(Collectors.joining(","));
    assertThatThrownBy(() -> RedisUri.parse("redis-cluster://" + seeds))
        .hasMessageStartingWith("must name at most 32 servers");
  }
}
