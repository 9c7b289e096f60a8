package io.seckill.common.order;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.IdempotencyKey;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.Quantity;
import java.util.List;
import org.junit.jupiter.api.Test;

class PurchaseDigestsTest {

  private final PurchaseDigests digests = new PurchaseDigests();

  /**
   * Receipts keep these: if one changes, buyers lose their replays. Computed by another SHA-256.
   */
  @Test
  void digestsShouldNeverChange() {
    assertThat(digests.ofKey(new IdempotencyKey("k1"))).isEqualTo("arnx6499M4g");
    assertThat(digests.ofBody(List.of(line(5, 1), line(9_007_199_254_740_993L, 2))))
        .isEqualTo("cka37YnB");
  }

  @Test
  void noKeyShouldBeADash() {
    assertThat(digests.ofKey(IdempotencyKey.NONE)).isEqualTo("-");
  }

  @Test
  void oneLineShouldNeedNoDigest() {
    assertThat(digests.ofBody(List.of(line(5, 1)))).isEmpty();
  }

  @Test
  void otherLinesShouldHaveOtherDigests() {
    assertThat(digests.ofBody(List.of(line(1, 1), line(2, 1))))
        .isNotEqualTo(digests.ofBody(List.of(line(1, 1), line(2, 2))))
        .isNotEqualTo(digests.ofBody(List.of(line(1, 1), line(3, 1))));
  }

  private static PurchaseLine line(long item, int quantity) {
    return new PurchaseLine(new ItemId(item), new Quantity(quantity));
  }
}
