package io.seckill.consumer;

import static io.seckill.consumer.ConsumerBed.REGION;
import static io.seckill.consumer.ConsumerBed.await;

import io.seckill.common.bus.EpochClose;
import io.seckill.common.bus.EpochClosed;
import io.seckill.common.bus.ShardClaim;
import io.seckill.common.bus.ShardOpen;
import io.seckill.common.bus.TransferStore;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.Quantity;
import io.seckill.common.id.UserId;
import io.seckill.common.id.UserShards;
import io.seckill.common.item.ItemRecord;
import io.seckill.common.item.ItemState;
import io.seckill.common.item.Move;
import io.seckill.common.order.PurchaseLine;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.RawRedis;
import io.seckill.lua.ApplyMove;
import io.seckill.lua.DecidePurchases;
import io.seckill.lua.FreezeShard;
import io.seckill.lua.ItemGroups;
import io.seckill.lua.JoinWaitlist;
import io.seckill.lua.LeaveWaitlist;
import io.seckill.lua.OpenShard;
import io.seckill.lua.PurchaseStatus;
import io.seckill.lua.PutItem;
import io.seckill.lua.RedisEndpoint;
import io.seckill.lua.RedisKeys;
import io.seckill.lua.RedisLink;
import io.seckill.lua.ReleaseWin;
import io.seckill.lua.RemoveItem;
import io.seckill.lua.SendUnits;
import io.seckill.lua.StepResult;
import io.seckill.lua.TakeUnits;
import io.seckill.lua.Topology;
import io.seckill.testkit.Await;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;

/** Sells through the real scripts on a private Redis: what the engine does, without the engine. */
public final class Shop implements AutoCloseable {

  private static final long CALL_MS = 20_000;

  private final ConsumerBed bed;
  private final EmbeddedRedis redis;
  private final RedisKeys[] keys;
  private final long[] epochs;
  private final List<RedisLink> links = new ArrayList<>();
  private final UserShards shards;
  private final Context context;
  private final RawRedis raw;

  /** Connects; the shards are not open. */
  public Shop(ConsumerBed bed, EmbeddedRedis redis) {
    this.bed = bed;
    this.redis = redis;
    int count = bed.config().redis().shards();
    this.keys = RedisKeys.forShards(count);
    this.epochs = new long[count];
    this.shards = new UserShards(count);
    this.context = bed.vertx().getOrCreateContext();
    try {
      this.raw = new RawRedis(redis.host(), redis.port(), ConsumerBed.BOUND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    for (int shard = 0; shard < count; shard++) {
      Promise<Void> up = Promise.promise();
      RedisLink link =
          new RedisLink(
              bed.vertx(),
              Topology.standalone(new RedisEndpoint(redis.host(), redis.port(), "")),
              shard,
              new RedisLink.Options(3_000, false));
      context.runOnContext(go -> link.open(up::tryComplete));
      await(up.future());
      links.add(link);
    }
  }

  /** Runs on the event loop of the links and waits. */
  private <T> T onLoop(Supplier<Future<T>> work) {
    Promise<T> promise = Promise.promise();
    context.runOnContext(go -> work.get().onComplete(promise));
    return await(promise.future());
  }

  /** Opens every shard by the one procedure. */
  public Shop open() throws InterruptedException {
    for (int shard = 0; shard < keys.length; shard++) {
      open(shard);
    }
    return this;
  }

  /** Opens one shard by the one procedure. */
  public void open(int shard) throws InterruptedException {
    RedisLink link = links.get(shard);
    Await.until(ConsumerBed.BOUND, "the link is up", link::isUp);
    long epoch =
        await(bed.shards().claim(new ShardClaim(REGION, shard, epochs[shard], "test"))).epoch();
    FreezeShard.Result frozen =
        onLoop(
            () ->
                FreezeShard.run(
                    link, link.fence(epoch, CALL_MS), keys[shard], keys.length, CALL_MS));
    if (!(frozen instanceof FreezeShard.Frozen result)) {
      throw new IllegalStateException("freeze said " + frozen);
    }
    EpochClosed closed =
        await(
            bed.shards()
                .close(new EpochClose(REGION, shard, epoch, result.lastEpoch(), result.lastSeq())));
    done(
        onLoop(
            () ->
                OpenShard.run(
                    link, link.fence(epoch, CALL_MS), keys[shard], closed.sales(), CALL_MS)));
    await(bed.shards().open(new ShardOpen(REGION, shard, epoch)));
    epochs[shard] = epoch;
  }

  /** Creates, preheats and opens an item in every shard. */
  public void sell(long item, int limit, long stock) {
    ItemRecord record = bed.preheat(item, limit, stock);
    for (int shard = 0; shard < keys.length; shard++) {
      put(shard, record, 1, ItemState.PREPARED);
      for (Move move : record.outstanding()) {
        if (move.shard() == shard) {
          apply(move);
        }
      }
      put(shard, record, record.generation(), record.state());
    }
  }

  /** Brings an item's state to a shard. */
  public void put(int shard, ItemRecord record, long generation, ItemState state) {
    RedisLink link = links.get(shard);
    done(
        onLoop(
            () ->
                PutItem.run(
                    link,
                    link.fence(epochs[shard], CALL_MS),
                    keys[shard],
                    record.definition(),
                    new PutItem.ItemVersion(generation, state),
                    CALL_MS)));
  }

  /** Applies a move. */
  public void apply(Move move) {
    int shard = move.shard();
    RedisLink link = links.get(shard);
    done(
        onLoop(
            () ->
                ApplyMove.run(
                    link,
                    link.fence(epochs[shard], CALL_MS),
                    keys[shard],
                    new ApplyMove.Args(move, ""),
                    CALL_MS)));
  }

  /** Takes units out by a move. */
  public void take(Move move) {
    RedisLink link = links.get(move.shard());
    done(
        onLoop(
            () ->
                TakeUnits.run(
                    link,
                    link.fence(epochs[move.shard()], CALL_MS),
                    keys[move.shard()],
                    move,
                    CALL_MS)));
  }

  /** Sends units; the ledger has not heard of it. */
  public TransferStore send(int from, long item, long units, int to) {
    RedisLink link = links.get(from);
    SendUnits.Result result =
        onLoop(
            () ->
                SendUnits.run(
                    link,
                    link.fence(epochs[from], CALL_MS),
                    keys[from],
                    new SendUnits.Args(new ItemId(item), units, to, OptionalLong.empty()),
                    CALL_MS));
    if (result instanceof SendUnits.Sent sent) {
      return new TransferStore(
          REGION,
          from,
          sent.entry().epoch(),
          sent.entry().seq(),
          sent.atMs(),
          new ItemId(item),
          sent.units(),
          to);
    }
    throw new IllegalStateException("the script said " + result);
  }

  /** Makes a shard forget an archived item. */
  public void remove(int shard, ItemRecord record) {
    RedisLink link = links.get(shard);
    done(
        onLoop(
            () ->
                RemoveItem.run(
                    link,
                    link.fence(epochs[shard], CALL_MS),
                    keys[shard],
                    new RemoveItem.Args(record.definition().id(), record.generation(), ""),
                    CALL_MS)));
  }

  private static void done(StepResult result) {
    if (!result.isDone()) {
      throw new IllegalStateException("a script said " + result);
    }
  }

  /** Buys; the decision of the script. */
  public DecidePurchases.Decision buy(String user, long item, int quantity) {
    return buyAll(shards.shardOf(new UserId(user)), List.of(user), item, quantity).get(0);
  }

  /** Buys and must win. */
  public EntryId win(String user, long item, int quantity) {
    DecidePurchases.Decision decision = buy(user, item, quantity);
    if (decision.status() != PurchaseStatus.WIN) {
      throw new IllegalStateException("the script said " + decision);
    }
    return decision.entry();
  }

  /** Buys under an idempotency key of its own: not a replay of what the user has. */
  public DecidePurchases.Decision buyMore(String user, long item, int quantity, String key) {
    return buyAll(shards.shardOf(new UserId(user)), List.of(user), item, quantity, key).get(0);
  }

  /** Many users of one shard buy in one call. */
  public List<DecidePurchases.Decision> buyAll(
      int shard, List<String> users, long item, int quantity) {
    return buyAll(shard, users, item, quantity, "-");
  }

  private List<DecidePurchases.Decision> buyAll(
      int shard, List<String> users, long item, int quantity, String key) {
    RedisLink link = links.get(shard);
    List<DecidePurchases.Purchase> purchases = new ArrayList<>(users.size());
    for (String user : users) {
      purchases.add(
          new DecidePurchases.Purchase(
              new UserId(user),
              key,
              "",
              List.of(new PurchaseLine(new ItemId(item), new Quantity(quantity)))));
    }
    DecidePurchases.Result result =
        onLoop(
            () ->
                DecidePurchases.run(
                    link,
                    link.fence(epochs[shard], CALL_MS),
                    keys[shard],
                    new DecidePurchases.Batch(
                        new DecidePurchases.Limits(10_000_000, 0, 1_000),
                        0,
                        ItemGroups.NONE,
                        purchases),
                    CALL_MS));
    if (result instanceof DecidePurchases.Decided decided) {
      return decided.decisions();
    }
    throw new IllegalStateException("the script said " + result);
  }

  /** A record of a batch entry: one unit of an item for a user. */
  public static String record(String user, long item) {
    return user + "|-||" + item + ":1:9900:CNY:1:3:900000";
  }

  /**
   * Writes the wins of a batch into a shard's log as the script does, and nothing else: stock and
   * receipts know nothing of them.
   *
   * @return the number of the last
   */
  public EntryId writeWins(int shard, List<String> records) {
    long seq = Long.parseLong(redis("HGET", keys[shard].head(), "seq").strip()) + records.size();
    EntryId last = new EntryId(epochs[shard], seq);
    redis(
        "XADD",
        keys[shard].log(),
        last.toString(),
        "t",
        "1764430000000",
        "wins",
        String.join(";", records));
    redis("HSET", keys[shard].head(), "seq", Long.toString(seq));
    return last;
  }

  /** Writes an entry into a shard's log by hand; nothing else of the shard knows of it. */
  public EntryId writeEntry(int shard, String... fields) {
    long seq = Long.parseLong(redis("HGET", keys[shard].head(), "seq").strip()) + 1;
    EntryId entry = new EntryId(epochs[shard], seq);
    List<String> add = new ArrayList<>(List.of("XADD", keys[shard].log(), entry.toString()));
    add.addAll(List.of(fields));
    redis(add.toArray(String[]::new));
    redis("HSET", keys[shard].head(), "seq", Long.toString(seq));
    return entry;
  }

  /** Stands in line; {@code true} when he was not there before. */
  public boolean join(String user, long item) {
    int shard = shards.shardOf(new UserId(user));
    RedisLink link = links.get(shard);
    JoinWaitlist.Result result =
        onLoop(
            () ->
                JoinWaitlist.run(
                    link,
                    link.fence(epochs[shard], CALL_MS),
                    keys[shard],
                    new JoinWaitlist.Args(
                        new UserId(user), new ItemId(item), "", 100_000, 10_000_000),
                    CALL_MS));
    if (result instanceof JoinWaitlist.InLine line) {
      return line.joined();
    }
    throw new IllegalStateException("the script said " + result);
  }

  /** Leaves the line, if he stands in it. */
  public void leave(String user, long item) {
    int shard = shards.shardOf(new UserId(user));
    RedisLink link = links.get(shard);
    onLoop(
        () ->
            LeaveWaitlist.run(
                link,
                link.fence(epochs[shard], CALL_MS),
                keys[shard],
                new LeaveWaitlist.Args(new UserId(user), new ItemId(item)),
                CALL_MS));
  }

  /** Gives a win back. */
  public StepResult release(String user, long item, EntryId win) {
    int shard = shards.shardOf(new UserId(user));
    RedisLink link = links.get(shard);
    return onLoop(
        () ->
            ReleaseWin.run(
                link,
                link.fence(epochs[shard], CALL_MS),
                keys[shard],
                new ReleaseWin.Args(
                    new UserId(user), win, "timeout", List.of(new ItemId(item)), ItemGroups.NONE),
                CALL_MS));
  }

  /** The keys of a shard. */
  public RedisKeys keys(int shard) {
    return keys[shard];
  }

  /** The epoch that a shard is open under. */
  public long epoch(int shard) {
    return epochs[shard];
  }

  /** The server. */
  public EmbeddedRedis redis() {
    return redis;
  }

  /** Runs a command by hand. */
  public String redis(String... command) {
    try {
      return raw.call(command);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Makes the group when it is not there, and reads as a consumer that then dies. */
  public void readAs(int shard, String consumer) {
    redis(
        "EVAL",
        "redis.pcall('XGROUP', 'CREATE', KEYS[1], 'orders', '0') "
            + "redis.call('XREADGROUP', 'GROUP', 'orders', ARGV[1], 'COUNT', '200', 'STREAMS',"
            + " KEYS[1], '>') return 1",
        "1",
        keys[shard].log(),
        consumer);
  }

  /** How many stream entries the log of a shard has; the wins of a batch are one. */
  public long logLength(int shard) {
    return Long.parseLong(redis("XLEN", keys[shard].log()).strip());
  }

  @Override
  public void close() {
    for (RedisLink link : links) {
      Promise<Void> closed = Promise.promise();
      context.runOnContext(go -> link.close().onComplete(closed));
      await(closed.future());
    }
    try {
      raw.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
