package io.seckill.lua;

import static io.seckill.lua.TestShard.TIMEOUT_MS;
import static io.seckill.lua.TestShard.buy;
import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemState;
import io.seckill.lua.DecidePurchases.Purchase;
import io.seckill.lua.ScanReceipts.Page;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@EnumSource(TestServer.class)
class ScanReceiptsScriptIT {

  @Parameter TestServer server;

  private TestShard shard;

  @BeforeEach
  void open() {
    shard = TestShard.open(server.address());
  }

  @AfterEach
  void close() {
    if (shard != null) {
      shard.close();
    }
  }

  private ItemId sellOut(int users) {
    ItemId item = shard.sell(1, users);
    for (int from = 0; from < users; from += 500) {
      shard.decide(
          IntStream.range(from, Math.min(from + 500, users))
              .mapToObj(i -> buy("u" + i, null, item, 1))
              .toArray(Purchase[]::new));
    }
    return item;
  }

  private List<Page> pages(ItemId item) {
    List<Page> pages = new ArrayList<>();
    String cursor = ScanReceipts.START;
    do {
      Page page = shard.scan(item, cursor).orElseThrow();
      pages.add(page);
      cursor = page.next();
    } while (!cursor.equals(ScanReceipts.START));
    return pages;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100, 5_000})
  void scanShouldNameEverybodyWithAReceipt(int users) {
    ItemId item = sellOut(users);

    List<Page> pages = pages(item);

    Set<String> named = new HashSet<>();
    pages.forEach(page -> named.addAll(page.users()));
    assertThat(named).hasSize(users).contains("u0", "u" + (users - 1));
    assertThat(pages)
        .allMatch(page -> page.adds() == 1 && page.stock() == 0 && page.receipts() == users);
    assertThat(pages.get(pages.size() - 1).isLast()).isTrue();
  }

  @Test
  void scanShouldTellOfUnitsThatCameMeanwhile() {
    ItemId item = sellOut(2_000);
    Page first = shard.scan(item, ScanReceipts.START).orElseThrow();

    shard.move(item, 2, 5);
    Page second = shard.scan(item, first.next()).orElseThrow();

    assertThat(first.adds()).isEqualTo(1);
    assertThat(second.adds()).isEqualTo(2);
    assertThat(second.stock()).isEqualTo(5);
  }

  @Test
  void aReleasedWinShouldStayNamed() {
    ItemId item = shard.sell(1, 1);
    EntryId win = shard.win(buy("alice", null, item, 1));
    shard.release("alice", win, item);

    Page page = shard.scan(item, ScanReceipts.START).orElseThrow();

    assertThat(page).isEqualTo(new Page(2, 1, 1, ScanReceipts.START, List.of("alice")));
  }

  @Test
  void anItemThatNobodyHasShouldBeAnEmptyPage() {
    ItemId item = shard.sell(1, 0);

    assertThat(shard.scan(item, ScanReceipts.START))
        .contains(new Page(1, 0, 0, ScanReceipts.START, List.of()));
  }

  @Test
  void whatTheShardCannotSellShouldHaveNoPage() {
    ItemId item = shard.sell(1, 10);
    var created = shard.define(1);
    shard.put(created, 1, ItemState.PREPARED);
    ItemId lost = shard.sell(1, 10);
    shard.redis("DEL", shard.keys.stock(lost));
    ItemId spoilt = shard.sell(1, 10);
    shard.redis("SET", shard.keys.receipts(spoilt), "spoilt");
    String before = shard.everything(item, lost);

    assertThat(shard.scan(TestShard.newItemId(), ScanReceipts.START)).isEmpty();
    assertThat(shard.scan(created.id(), ScanReceipts.START)).isEmpty();
    assertThat(shard.scan(lost, ScanReceipts.START)).isEmpty();
    assertThat(shard.scan(spoilt, ScanReceipts.START)).isEmpty();
    assertThat(shard.everything(item, lost)).isEqualTo(before);
  }

  @Test
  void anotherEpochAndAFrozenShardShouldBeFenced() {
    ItemId item = sellOut(10);
    Fence old = shard.fence();

    long frozen = shard.freezeNext();
    assertThat(scan(old, item)).isEmpty();
    assertThat(shard.scan(item, ScanReceipts.START)).isEmpty();
    shard.openFrozen(frozen);

    assertThat(scan(old, item)).isEmpty();
    assertThat(shard.scan(item, ScanReceipts.START)).isPresent();
  }

  private Optional<Page> scan(Fence fence, ItemId item) {
    return shard.run(
        () ->
            ScanReceipts.run(shard.link, fence, shard.keys, item, ScanReceipts.START, TIMEOUT_MS));
  }
}
