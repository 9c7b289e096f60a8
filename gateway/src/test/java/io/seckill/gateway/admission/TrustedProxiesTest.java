package io.seckill.gateway.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrustedProxiesTest {

  private static final ClientAddress PEER = ClientAddress.parse("10.0.0.1");

  private final TrustedProxies proxies =
      new TrustedProxies(List.of("10.0.0.0/8", "192.0.2.7", "2001:db8:ffff::/48"));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // the right-most hop that is no proxy of ours
        "198.51.100.9 | 198.51.100.9",
        "1.1.1.1, 198.51.100.9 | 198.51.100.9",
        "1.1.1.1, 198.51.100.9, 10.3.2.1 | 198.51.100.9",
        "198.51.100.9:4711, 192.0.2.7 | 198.51.100.9",
        "[2001:db8::5]:4711 | 2001:db8::5",
        "2001:db8::5, 2001:db8:ffff::1 | 2001:db8::5",
        "::ffff:198.51.100.9 | 198.51.100.9",
        // only proxies: the one furthest away
        "10.9.9.9, 10.8.8.8 | 10.9.9.9",
        // garbage: the last that is known to be a proxy
        "1.1.1.1, garbage | 10.0.0.1",
        "1.1.1.1, garbage, 10.3.2.1 | 10.3.2.1",
        "1.1.1.1, | 10.0.0.1",
        "unknown | 10.0.0.1",
        "_hidden | 10.0.0.1",
        "999.1.1.1 | 10.0.0.1",
      })
  void RL_04_clientBehindShouldBeTheRightMostUntrustedHop(String header, String expected) {
    assertThat(proxies.clientBehind(PEER, List.of(header)))
        .isEqualTo(ClientAddress.parse(expected));
  }

  @Test
  void RL_04_severalHeadersShouldReadAsOne() {
    assertThat(proxies.clientBehind(PEER, List.of("1.1.1.1", "198.51.100.9", "10.1.1.1")))
        .isEqualTo(ClientAddress.parse("198.51.100.9"));
    assertThat(proxies.clientBehind(PEER, List.of())).isEqualTo(PEER);
  }

  @Test
  void RL_04_aHugeHeaderShouldCostABoundedWalk() {
    String huge = String.join(",", Collections.nCopies(5_000, "10.1.1.1"));
    assertThat(proxies.clientBehind(PEER, List.of("9.9.9.9," + huge)))
        .isEqualTo(ClientAddress.parse("10.1.1.1"));
    assertThat(proxies.clientBehind(PEER, List.of("x".repeat(10_000)))).isEqualTo(PEER);
  }

  @Test
  void RL_04_onlyConfiguredPeersShouldBeTrusted() {
    assertThat(proxies.trusts("10.255.0.1")).isTrue();
    assertThat(proxies.trusts("::ffff:10.255.0.1")).isTrue();
    assertThat(proxies.trusts("192.0.2.7")).isTrue();
    assertThat(proxies.trusts("192.0.2.8")).isFalse();
    assertThat(proxies.trusts("2001:db8:ffff:1::1")).isTrue();
    assertThat(proxies.trusts("2001:db8:fffe::1")).isFalse();
    assertThat(proxies.trusts("not an address")).isFalse();
    assertThat(new TrustedProxies(List.of()).trusts("127.0.0.1")).isFalse();
    assertThat(new TrustedProxies(List.of("0.0.0.0/0")).trusts("8.8.8.8")).isTrue();
    assertThat(new TrustedProxies(List.of("172.16.0.0/12")).trusts("172.31.255.255")).isTrue();
    assertThat(new TrustedProxies(List.of("172.16.0.0/12")).trusts("172.32.0.0")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "proxy.example", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "1.2.3/8"})
  void constructorShouldRefuseWhatIsNoBlock(String text) {
    assertThatThrownBy(() -> new TrustedProxies(List.of(text)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("gateway.trustedProxies");
  }

  @Test
  void RL_04_ipv6ShouldCountByPrefixAndIpv4ByAddress() {
    assertThat(ClientAddress.parse("2001:db8:1:2::1"))
        .isEqualTo(ClientAddress.parse("2001:db8:1:2:ffff::9"))
        .isNotEqualTo(ClientAddress.parse("2001:db8:1:3::1"));
    assertThat(ClientAddress.parse("::ffff:1.2.3.4")).isEqualTo(ClientAddress.parse("1.2.3.4"));
    assertThat(ClientAddress.parse("1.2.3.4")).isNotEqualTo(ClientAddress.parse("1.2.3.5"));
    assertThat(ClientAddress.parse("fe80::1%eth0")).isEqualTo(ClientAddress.parse("fe80::2"));
    assertThat(ClientAddress.parse("localhost")).isNull();
    assertThat(ClientAddress.parse(null)).isNull();
  }
}
