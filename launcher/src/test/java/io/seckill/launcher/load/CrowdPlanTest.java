package io.seckill.launcher.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CrowdPlanTest {

  private static final CrowdSize SIZE = new CrowdSize(500, 2_000, 3);

  @Test
  void drawShouldGiveTheSamePlanForTheSameSeed() {
    assertThat(clicks(CrowdPlan.draw("b", SIZE, 7)))
        .isEqualTo(clicks(CrowdPlan.draw("b", SIZE, 7)));
    assertThat(clicks(CrowdPlan.draw("b", SIZE, 7)))
        .isNotEqualTo(clicks(CrowdPlan.draw("b", SIZE, 8)));
  }

  @Test
  void paysShouldBeTheSameEachTimeForAboutThatShare() {
    CrowdPlan plan = CrowdPlan.draw("b", new CrowdSize(10_000, 10_000, 1), 1);
    long paying = IntStream.range(0, 10_000).filter(buyer -> plan.pays(buyer, 0.6)).count();
    assertThat(paying).isBetween(5_800L, 6_200L);
    assertThat(IntStream.range(0, 10_000).filter(buyer -> plan.pays(buyer, 0.6)).count())
        .isEqualTo(paying);
    assertThat(IntStream.range(0, 10_000).anyMatch(buyer -> plan.pays(buyer, 0))).isFalse();
    assertThat(IntStream.range(0, 10_000).allMatch(buyer -> plan.pays(buyer, 1))).isTrue();
  }

  @Test
  void drawShouldLetEverybodyClick() {
    CrowdPlan plan = CrowdPlan.draw("b", SIZE, 1);
    Set<Integer> buyers = new HashSet<>();
    for (int i = 0; i < SIZE.requests(); i++) {
      buyers.add(plan.buyer(i));
    }
    assertThat(buyers).hasSize(SIZE.users());
  }

  @Test
  void drawShouldMixKeysAndQuantities() {
    CrowdPlan plan = CrowdPlan.draw("b", SIZE, 1);
    Map<Integer, Set<Integer>> keysOf = new HashMap<>();
    Set<Integer> quantities = new HashSet<>();
    int keyless = 0;
    for (int i = 0; i < SIZE.requests(); i++) {
      int key = plan.key(i);
      keyless += key == CrowdPlan.NO_KEY ? 1 : 0;
      keysOf.computeIfAbsent(plan.buyer(i), b -> new HashSet<>()).add(key);
      int quantity = plan.quantity(plan.buyer(i), key);
      quantities.add(quantity);
      assertThat(plan.quantity(plan.buyer(i), key)).isEqualTo(quantity);
    }
    assertThat(keyless).isBetween(400, 800);
    assertThat(keysOf.values()).anyMatch(keys -> keys.size() > 1);
    assertThat(quantities).containsExactlyInAnyOrder(1, 2, 3);
  }

  @Test
  void peopleShouldHaveAddressesOfTheirOwn() {
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < 200_000; i++) {
      seen.add(CrowdPeople.address(i));
    }
    assertThat(seen).hasSize(200_000).contains("2001:db8:0:0::1", "2001:db8:1:0::1");
  }

  @Test
  void sizeShouldNameWhatIsOutOfRange() {
    assertThatThrownBy(() -> new CrowdSize(0, 1, 1)).hasMessageContaining("users");
    assertThatThrownBy(() -> new CrowdSize(1, 0, 1)).hasMessageContaining("requests");
    assertThatThrownBy(() -> new CrowdSize(1, 1, 101)).hasMessageContaining("limit");
  }

  private static String clicks(CrowdPlan plan) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < plan.size().requests(); i++) {
      text.append(plan.buyer(i)).append(':').append(plan.key(i)).append(' ');
    }
    return text.toString();
  }
}
