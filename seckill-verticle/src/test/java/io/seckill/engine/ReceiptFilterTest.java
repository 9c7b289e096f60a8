package io.seckill.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.bus.ItemView.ShardMark;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.engine.ReceiptFilters.Place;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReceiptFilterTest {

  private static final ShardMark MARK = new ShardMark(3, 7);

  /** As storefronts name their users. */
  private static final List<IntFunction<String>> NAMES =
      List.of(
          n -> "b1-" + n,
          n -> "user." + n + "@example.com",
          n -> "%08x".formatted(n * 0x9E3779B1),
          n -> Integer.toString(100_000_000 + n),
          n -> "%s-%06d".formatted(Character.toString('A' + n % 26), n / 26));

  private static ReceiptFilter of(int users, IntFunction<String> name) {
    ReceiptFilter.Builder builder = new ReceiptFilter.Builder(MARK, users);
    IntStream.range(0, users).mapToObj(name).forEach(builder::add);
    return builder.build();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 31, 32, 33, 5_000, 200_000})
  void filterShouldKnowEverybodyWhoWasAdded(int users) {
    for (IntFunction<String> name : NAMES) {
      ReceiptFilter filter = of(users, name);

      assertThat(IntStream.range(0, users).mapToObj(name).map(UserId::new))
          .allMatch(filter::mayHold);
    }
  }

  @Test
  void filterShouldTakeFewOthersForThem() {
    int users = 100_000;
    for (IntFunction<String> name : NAMES) {
      ReceiptFilter filter = of(users, name);

      long taken =
          IntStream.range(users, 2 * users)
              .mapToObj(name)
              .map(UserId::new)
              .filter(filter::mayHold)
              .count();

      assertThat(taken).as("%s", name.apply(0)).isLessThan(users / 100);
    }
  }

  @Test
  void emptyFilterShouldKnowNobody() {
    ReceiptFilter filter = new ReceiptFilter.Builder(MARK, 0).build();

    assertThat(filter.mayHold(new UserId("anybody"))).isFalse();
    assertThat(filter.mark()).isEqualTo(MARK);
    assertThat(filter.users()).isZero();
  }

  @Test
  void aFilterThatTookAnothersPlaceShouldStayWhenTheOtherIsDropped() {
    ReceiptFilters filters = new ReceiptFilters();
    Place place = new Place(2, new ItemId(1));
    ReceiptFilter old = of(10, NAMES.get(0));
    ReceiptFilter young = of(20, NAMES.get(0));
    filters.put(place, old);
    filters.put(place, young);

    filters.drop(place, old);

    assertThat(filters.of(place)).isSameAs(young);
    assertThat(filters.users()).isEqualTo(20);
    filters.keepOnly((its, filter) -> its.shard() != 2);
    assertThat(filters.isEmpty()).isTrue();
  }
}
