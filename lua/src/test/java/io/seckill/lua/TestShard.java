package io.seckill.lua;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.bus.SalesRecord;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.IdempotencyKey;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.Quantity;
import io.seckill.common.id.UserId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemGroup;
import io.seckill.common.item.ItemState;
import io.seckill.common.item.Move;
import io.seckill.common.log.LogEntries;
import io.seckill.common.log.LogEntry;
import io.seckill.common.order.PurchaseDigests;
import io.seckill.common.order.PurchaseLine;
import io.seckill.lua.DecidePurchases.Batch;
import io.seckill.lua.DecidePurchases.Decided;
import io.seckill.lua.DecidePurchases.Decision;
import io.seckill.lua.DecidePurchases.Limits;
import io.seckill.lua.DecidePurchases.OtherLead;
import io.seckill.lua.DecidePurchases.Purchase;
import io.seckill.testkit.RedisAddress;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** A fresh shard on a real server, open, with a link of its own and what tests do with it. */
final class TestShard implements AutoCloseable {

  static final long TIMEOUT_MS = 20_000;
  static final Limits NO_LIMITS = new Limits(1_000_000, 0, 60_000);

  private static final RedisKeys[] SHARDS = RedisKeys.forShards(1023);
  private static final AtomicInteger NEXT_SHARD = new AtomicInteger();
  private static final AtomicLong NEXT_ITEM = new AtomicLong(System.currentTimeMillis() * 1_000);
  private static final int S = SHARDS.length;

  final TestLoop loop;
  final RedisLink link;
  final RedisKeys keys = SHARDS[NEXT_SHARD.getAndIncrement() % S];
  private final boolean ownsLink;
  private final long ownNumber = NEXT_ITEM.incrementAndGet();
  private final Map<ItemId, String> groups = new HashMap<>();
  private long epoch;

  private TestShard(RedisEndpoint endpoint) {
    loop = new TestLoop();
    link =
        new RedisLink(
            TestLoop.VERTX, Topology.standalone(endpoint), 0, new RedisLink.Options(2_000, false));
    ownsLink = true;
  }

  private TestShard(TestShard other) {
    loop = other.loop;
    link = other.link;
    ownsLink = false;
  }

  /** Opens a shard that nobody else uses. */
  static TestShard open(RedisAddress address) {
    TestShard shard = connect(TestLoop.endpoint(address));
    shard.openFresh();
    return shard;
  }

  /** Opens one more shard on the same server; it lives as long as this one's link. */
  TestShard openAnother() {
    TestShard shard = new TestShard(this);
    shard.openFresh();
    return shard;
  }

  private void openFresh() {
    // Shards are used again after a thousand tests, some of which spoil their log or stop sales.
    redis("DEL", keys.head(), keys.log());
    reopen();
  }

  /** Connects only. */
  static TestShard connect(RedisEndpoint endpoint) {
    TestShard shard = new TestShard(endpoint);
    shard.loop.get(
        () -> {
          shard.link.open(() -> {});
          return true;
        });
    shard.loop.until("the link is up", shard.link::isUp);
    return shard;
  }

  /** Opens the shard under the next epoch. */
  void reopen() {
    openFrozen(freezeNext());
  }

  /** Freezes the shard under the next epoch, which it tells. */
  long freezeNext() {
    long last =
        run(() -> ReadHead.run(link, keys, TIMEOUT_MS)).map(ReadHead.Head::epoch).orElse(0L);
    epoch = last + 1;
    assertThat(run(() -> FreezeShard.run(link, fence(), keys, S, TIMEOUT_MS)))
        .isInstanceOf(FreezeShard.Frozen.class);
    return epoch;
  }

  void openFrozen(long frozenEpoch) {
    openFrozen(frozenEpoch, SalesRecord.UNTOUCHED);
  }

  void openFrozen(long frozenEpoch, SalesRecord sales) {
    Fence fence = link.fence(frozenEpoch, TIMEOUT_MS);
    assertThat(step(() -> OpenShard.run(link, fence, keys, sales, TIMEOUT_MS)))
        .isEqualTo(StepResult.Status.OK);
  }

  void restore(ItemDefinition item, PutItem.ItemVersion version, RestoreItem.Counters counters) {
    assertThat(
            step(() -> RestoreItem.run(link, fence(), keys, item, version, counters, TIMEOUT_MS)))
        .isEqualTo(StepResult.Status.OK);
  }

  long epoch() {
    return epoch;
  }

  Fence fence() {
    return link.fence(epoch, TIMEOUT_MS);
  }

  <T> T run(Supplier<Future<T>> call) {
    return loop.await(call);
  }

  StepResult.Status step(Supplier<Future<StepResult>> call) {
    return run(call).status();
  }

  /** Any command, as a reply. */
  Response redis(String... words) {
    Request request = Request.cmd(Command.create(words[0]));
    Arrays.stream(words, 1, words.length).forEach(request::arg);
    return run(() -> link.send(request, TIMEOUT_MS));
  }

  /** Any command, as text; null for nil. */
  String text(String... words) {
    Response reply = redis(words);
    return reply == null ? null : reply.toString();
  }

  // Items

  static ItemId newItemId() {
    return new ItemId(NEXT_ITEM.incrementAndGet());
  }

  /** An item that is on sale for a day. */
  ItemDefinition define(int limit) {
    return define(newItemId(), limit);
  }

  /**
   * An item of one of the groups that only this test has.
   *
   * @param group the group's number; its limit is one above. 0 for no group
   */
  ItemDefinition define(int limit, int group) {
    return group == 0
        ? define(limit)
        : define(limit, new ItemGroup("g-" + ownNumber + "-" + group, group + 1));
  }

  ItemDefinition define(int limit, ItemGroup group) {
    ItemDefinition plain = define(limit);
    return new ItemDefinition(
        plain.id(),
        plain.name(),
        plain.priceMinor(),
        plain.currency(),
        plain.picture(),
        plain.limitPerUser(),
        plain.startsAtMs(),
        plain.endsAtMs(),
        plain.payWithinMs(),
        group);
  }

  ItemDefinition define(ItemId id, int limit) {
    long now = loop.get(link::serverTimeMs);
    return define(id, limit, now - 1_000, now + 86_400_000);
  }

  static ItemDefinition define(ItemId id, int limit, long startsAtMs, long endsAtMs) {
    return new ItemDefinition(
        id, "杯子 \"cup\"", 1999, "CNY", "/cup.png", limit, startsAtMs, endsAtMs, 900_000);
  }

  /** Makes an item with this limit and sells this many units of it. */
  ItemId sell(int limit, long stock) {
    return sell(define(limit), stock);
  }

  ItemId sell(ItemDefinition item, long stock) {
    assertThat(put(item, 1, ItemState.PREPARED).status()).isEqualTo(StepResult.Status.OK);
    assertThat(move(item.id(), 1, stock).status()).isEqualTo(StepResult.Status.OK);
    assertThat(put(item, 2, ItemState.OPEN).status()).isEqualTo(StepResult.Status.OK);
    return item.id();
  }

  StepResult put(ItemDefinition item, long generation, ItemState state) {
    if (item.group() != null) {
      groups.put(item.id(), item.group().id());
    }
    return run(
        () ->
            PutItem.run(
                link, fence(), keys, item, new PutItem.ItemVersion(generation, state), TIMEOUT_MS));
  }

  private String groupOf(ItemId item) {
    return groups.getOrDefault(item, "");
  }

  StepResult move(ItemId item, long number, long units) {
    return move(new Move(item, 0, number, Move.Kind.RESTOCK, units));
  }

  StepResult move(Move move) {
    return run(
        () ->
            move.kind().isIn()
                ? ApplyMove.run(
                    link, fence(), keys, new ApplyMove.Args(move, groupOf(move.item())), TIMEOUT_MS)
                : TakeUnits.run(link, fence(), keys, move, TIMEOUT_MS));
  }

  StepResult take(ItemId item, long number, long units) {
    return move(new Move(item, 0, number, Move.Kind.WITHDRAW, units));
  }

  SendUnits.Result send(ItemId item, long units, int toShard, OptionalLong seenSent) {
    SendUnits.Args args = new SendUnits.Args(item, units, toShard, seenSent);
    return run(() -> SendUnits.run(link, fence(), keys, args, TIMEOUT_MS));
  }

  StepResult switchSales(boolean stopped, long generation) {
    SalesRecord sales = new SalesRecord(stopped, generation);
    return run(() -> SwitchSales.run(link, fence(), keys, sales, TIMEOUT_MS));
  }

  StepResult remove(ItemId item, long generation) {
    RemoveItem.Args args = new RemoveItem.Args(item, generation, groupOf(item));
    return run(() -> RemoveItem.run(link, fence(), keys, args, TIMEOUT_MS));
  }

  /** What a user holds of a group; null for nothing. */
  String held(String group, String user) {
    return text("HGET", keys.held(group), user);
  }

  StepResult release(String user, EntryId win, ItemId... items) {
    ReleaseWin.Args args =
        new ReleaseWin.Args(new UserId(user), win, "timeout", List.of(items), this::groupOf);
    return run(() -> ReleaseWin.run(link, fence(), keys, args, TIMEOUT_MS));
  }

  // Waiting

  JoinWaitlist.Result join(String user, ItemId item, long maxWaiters) {
    JoinWaitlist.Args args =
        new JoinWaitlist.Args(
            new UserId(user), item, groupOf(item), maxWaiters, NO_LIMITS.maxLogEntries());
    return run(() -> JoinWaitlist.run(link, fence(), keys, args, TIMEOUT_MS));
  }

  JoinWaitlist.Result join(String user, ItemId item) {
    return join(user, item, 1_000_000);
  }

  StepResult leave(String user, ItemId item) {
    LeaveWaitlist.Args args = new LeaveWaitlist.Args(new UserId(user), item);
    return run(() -> LeaveWaitlist.run(link, fence(), keys, args, TIMEOUT_MS));
  }

  PromoteWaiters.Result promote(ItemId item, int most) {
    PromoteWaiters.Args args =
        new PromoteWaiters.Args(item, groupOf(item), most, NO_LIMITS.maxLogEntries());
    return run(() -> PromoteWaiters.run(link, fence(), keys, args, TIMEOUT_MS));
  }

  FindWaiters.Result find(ItemId item, List<String> users, List<Long> scores) {
    FindWaiters.Args args =
        new FindWaiters.Args(item, users.stream().map(UserId::new).toList(), scores);
    return run(() -> FindWaiters.run(link, fence(), keys, args, TIMEOUT_MS));
  }

  /** Those who wait, in their order. */
  List<String> line(ItemId item) {
    List<String> users = new ArrayList<>();
    redis("ZRANGE", keys.waitlist(item), "0", "-1").forEach(user -> users.add(user.toString()));
    return users;
  }

  ReadItems.ShardItem read(ItemId item) {
    return run(() -> ReadItems.run(link, keys, List.of(item), TIMEOUT_MS))
        .orElseThrow()
        .items()
        .get(0)
        .orElseThrow();
  }

  Optional<ScanReceipts.Page> scan(ItemId item, String cursor) {
    return run(() -> ScanReceipts.run(link, fence(), keys, item, cursor, TIMEOUT_MS));
  }

  String stock(ItemId item) {
    return text("GET", keys.stock(item));
  }

  String receipt(ItemId item, String user) {
    return text("HGET", keys.receipts(item), user);
  }

  // Purchases

  /** A purchase of one line; a null key is no key. */
  static Purchase buy(String user, String key, ItemId item, int quantity) {
    return basket(user, key, Map.of(item, quantity));
  }

  static Purchase basket(String user, String key, Map<ItemId, Integer> wanted) {
    List<PurchaseLine> lines =
        wanted.entrySet().stream()
            .map(line -> new PurchaseLine(line.getKey(), new Quantity(line.getValue())))
            .sorted(Comparator.comparing(PurchaseLine::item))
            .toList();
    IdempotencyKey idempotencyKey = key == null ? IdempotencyKey.NONE : new IdempotencyKey(key);
    return new Purchase(
        new UserId(user),
        new PurchaseDigests().ofKey(idempotencyKey),
        new PurchaseDigests().ofBody(lines),
        lines);
  }

  List<Decision> decide(Purchase... purchases) {
    return decide(NO_LIMITS, purchases);
  }

  List<Decision> decide(Limits limits, Purchase... purchases) {
    DecidePurchases.Result result = call(fence(), limits, purchases);
    assertThat(result).isInstanceOf(Decided.class);
    return ((Decided) result).decisions();
  }

  DecidePurchases.Result call(Fence fence, Limits limits, Purchase... purchases) {
    Batch batch = new Batch(limits, 0, this::groupOf, List.of(purchases));
    return call(fence, batch);
  }

  /** Calls again with the right lead where the batch names another. */
  DecidePurchases.Result call(Fence fence, Batch batch) {
    DecidePurchases.Result result =
        run(() -> DecidePurchases.run(link, fence, keys, batch, TIMEOUT_MS));
    return result instanceof OtherLead other
        ? call(
            fence,
            new Batch(
                batch.limits(),
                batch.seenSeq(),
                batch.groups(),
                batch.waitedFor(),
                other.lead(),
                batch.purchases()))
        : result;
  }

  /** Purchases of items without a group and without limits on the batch. */
  static Batch batch(List<Purchase> purchases) {
    return new Batch(NO_LIMITS, 0, ItemGroups.NONE, purchases);
  }

  Decision decideOne(Purchase purchase) {
    return decide(purchase).get(0);
  }

  EntryId win(Purchase purchase) {
    Decision decision = decideOne(purchase);
    assertThat(decision.status()).isEqualTo(PurchaseStatus.WIN);
    return decision.entry();
  }

  // The log

  long seq() {
    return Long.parseLong(text("HGET", keys.head(), "seq"));
  }

  /** All entries of the present epoch, parsed; checks that their numbers have no gap. */
  List<LogEntry> log() {
    List<LogEntry> entries = new ArrayList<>();
    for (Response entry : redis("XRANGE", keys.log(), epoch + "-0", "+")) {
      Map<String, String> fields = new LinkedHashMap<>();
      Response told = entry.get(1);
      for (int i = 0; i < told.size(); i += 2) {
        fields.put(told.get(i).toString(), told.get(i + 1).toString());
      }
      entries.addAll(LogEntries.parseAll(entry.get(0).toString(), fields));
    }
    for (int i = 0; i < entries.size(); i++) {
      assertThat(entries.get(i).id()).isEqualTo(new EntryId(epoch, i + 1));
    }
    assertThat(seq()).isEqualTo(entries.size());
    return entries;
  }

  List<LogEntry.Win> wins() {
    return log().stream()
        .filter(LogEntry.Win.class::isInstance)
        .map(LogEntry.Win.class::cast)
        .toList();
  }

  /** The wins with higher numbers. */
  List<LogEntry.Win> winsAfter(long seq) {
    return wins().stream().filter(win -> win.id().seq() > seq).toList();
  }

  /** Everything that a refused call must leave as it was. */
  String everything(ItemId... items) {
    StringBuilder all = new StringBuilder();
    all.append(redis("HGETALL", keys.head())).append(redis("XRANGE", keys.log(), "-", "+"));
    for (ItemId item : items) {
      all.append(redis("HGETALL", keys.item(item)))
          .append(stock(item))
          .append(redis("HGETALL", keys.receipts(item)))
          .append(redis("ZRANGE", keys.waitlist(item), "0", "-1", "WITHSCORES"));
    }
    return all.toString();
  }

  @Override
  public void close() {
    if (ownsLink) {
      loop.await(link::close);
    }
  }
}
