package io.seckill.gateway.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.gateway.ManualClock;
import io.seckill.gateway.TestConfigs;
import org.junit.jupiter.api.Test;

class AddressRateTest {

  private final ManualClock clock = new ManualClock();
  private final AddressRate rate = new AddressRate(TestConfigs.admission(20, 10), clock);

  @Test
  void RL_04_tenThousandAddressesOfOnePrefixShouldShareOneBucket() {
    int passed = 0;
    for (int i = 0; i < 10_000; i++) {
      if (rate.tryTake(ClientAddress.parse("2001:db8::" + Integer.toHexString(i))) >= 0) {
        passed++;
      }
    }
    assertThat(passed).isEqualTo(20);
  }

  @Test
  void tryTakeShouldCountAddressesApartAndRefill() {
    ClientAddress one = ClientAddress.parse("192.0.2.1");
    for (int i = 0; i < 20; i++) {
      assertThat(rate.tryTake(one)).isEqualTo(19 - i);
    }
    assertThat(rate.tryTake(one)).isNegative();
    assertThat(rate.tryTake(ClientAddress.parse("192.0.2.2"))).isEqualTo(19);
    clock.passMs(50);
    assertThat(rate.tryTake(one)).isZero();
    // long enough to be forgotten
    clock.passMs(60_000);
    assertThat(rate.tryTake(one)).isEqualTo(19);
  }

  @Test
  void fieldsShouldTellQuotaRemainingAndSeconds() {
    RateLimitFields fields = rate.fields();
    assertThat(fields.policy()).hasToString("\"ip\";q=20;w=1");
    assertThat(fields.state(7)).hasToString("\"ip\";r=7;t=1");
    assertThat(fields.state(-5)).hasToString("\"ip\";r=0;t=1");
  }
}
