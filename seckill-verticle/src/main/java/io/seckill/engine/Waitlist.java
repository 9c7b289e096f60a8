package io.seckill.engine;

import io.seckill.common.bus.Done;
import io.seckill.common.bus.ItemView;
import io.seckill.common.bus.Places;
import io.seckill.common.bus.PlacesQuery;
import io.seckill.common.bus.WaitlistJoin;
import io.seckill.common.bus.WaitlistLeave;
import io.seckill.common.bus.WaitlistPlace;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.id.UserShards;
import io.seckill.common.item.ItemState;
import io.seckill.lua.Fence;
import io.seckill.lua.FenceStatus;
import io.seckill.lua.FindWaiters;
import io.seckill.lua.FindWaiters.Found;
import io.seckill.lua.FindWaiters.NotFound;
import io.seckill.lua.JoinWaitlist;
import io.seckill.lua.JoinWaitlist.InLine;
import io.seckill.lua.JoinWaitlist.NotInLine;
import io.seckill.lua.LeaveWaitlist;
import io.seckill.lua.ReadItems;
import io.seckill.lua.RedisCallException;
import io.seckill.lua.RedisKeys;
import io.seckill.lua.RedisLink;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Serves those who wait in line: lets them join and leave, and tells where they stand over all
 * shards. A user waits in his own shard; his score says who of all shards comes first (ADR 0020).
 * Belongs to one event loop.
 */
final class Waitlist {

  /** Requests of this process at a time; further ones are BUSY. */
  private static final int MAX_REQUESTS = 10_000;

  /** Script calls of a shard at a time: enough to keep a round trip filled. */
  private static final int IN_FLIGHT = 64;

  /** What has waited so long for its call is BUSY instead: whoever asked gives up soon. */
  private static final long QUEUE_MS = 1_000;

  /** Between the beginnings of two looks, so that a crowd of joins leaves time for passes. */
  private static final long LOOK_EVERY_MS = 10;

  /** A sale that begins later than this after the latest board has not begun. */
  private static final long BOARD_AGE_MS = 1_000;

  private final Vertx vertx;
  private final EngineContext engine;
  private final BoardKeeper keeper;
  private final UserShards shards;
  private final List<Lane> changes;

  /** Apart from the changes, so that who has just joined hears his place in any crowd. */
  private final List<Lane> looks;

  private final Map<ItemId, Readings> readings = new HashMap<>();

  private int requests;
  private Set<ItemId> toLookAt = new LinkedHashSet<>();
  private Future<Void> nextLook;
  private long lookNotBeforeNanos = System.nanoTime();

  /** What happens to those who wait, or would like to. */
  enum Event {
    /** Stands in line now. */
    JOINED,
    /** Asked again and keeps his place. */
    JOINED_BEFORE,
    /** May not wait, or not now. */
    REFUSED,
    /** He was not told whether he stands in line, or where. */
    UNKNOWN,
    /** Left the line because he wanted to. */
    LEFT,
    /** Got a unit. */
    PROMOTED,
    /** Was next and is at his limit, so he left the line without a unit. */
    SKIPPED
  }

  /** A waiter whose place is asked for: his shard, and his score there. */
  private record Spot(int shard, long score) {}

  /**
   * The line for an item over all shards.
   *
   * @param waiting how many wait
   * @param places one for each spot asked for
   */
  private record Line(long waiting, List<Long> places) {}

  /** A script call under the shard's epoch. */
  @FunctionalInterface
  private interface Call<T> {
    Future<T> make(RedisLink link, Fence fence, RedisKeys keys, long timeoutMs);
  }

  Waitlist(Vertx vertx, EngineContext engine, List<ShardSession> sessions, BoardKeeper keeper) {
    this.vertx = vertx;
    this.engine = engine;
    this.keeper = keeper;
    this.shards = new UserShards(sessions.size());
    this.changes = sessions.stream().map(Lane::new).toList();
    this.looks = sessions.stream().map(Lane::new).toList();
  }

  /**
   * Puts a user into line, or finds him there. Fails with {@code SeckillException}; with
   * OUTCOME_UNKNOWN he may stand in line, and a repetition tells: also when he does and only his
   * place cannot be told, because another shard is away.
   */
  Future<WaitlistPlace> join(WaitlistJoin join) {
    return admitted(
            () ->
                known(join.item())
                    .compose(this::mayJoin)
                    .compose(allowed -> enter(join, true))
                    .compose(inLine -> placeOf(join, inLine)))
        .onSuccess(
            place -> engine.metrics().waitlist(place.joined() ? Event.JOINED : Event.JOINED_BEFORE))
        .onFailure(
            failure ->
                engine.metrics().waitlist(isUnknown(failure) ? Event.UNKNOWN : Event.REFUSED));
  }

  /** Takes a user out of the line; succeeds also when he does not wait. Fails as {@link #join}. */
  Future<Done> leave(WaitlistLeave leave) {
    return admitted(
        () -> {
          Lane lane = changes.get(shards.shardOf(leave.user()));
          return lane.call(
                  (link, fence, keys, timeoutMs) ->
                      LeaveWaitlist.run(
                          link,
                          fence,
                          keys,
                          new LeaveWaitlist.Args(leave.user(), leave.item()),
                          timeoutMs),
                  ErrorCode.OUTCOME_UNKNOWN)
              .compose(
                  result ->
                      switch (result.status()) {
                        case OK -> {
                          left(leave.item());
                          yield Future.succeededFuture(new Done());
                        }
                        case ALREADY -> Future.succeededFuture(new Done());
                        case FENCED, FROZEN, EXPIRED ->
                            lane.refused(FenceStatus.valueOf(result.status().name()));
                        case LOST -> lane.refused(FenceStatus.FROZEN);
                        default -> refusal(ErrorCode.UNAVAILABLE);
                      });
        });
  }

  private void left(ItemId item) {
    engine.metrics().waitlist(Event.LEFT);
    ItemView view = viewOf(item);
    if (view != null && view.waiting() == 1) {
      // Perhaps the last one: then it is on sale again.
      look(item);
    }
  }

  /** Tells where users stand. Fails with {@code SeckillException}. */
  Future<Places> places(PlacesQuery query) {
    return admitted(
        () ->
            known(query.item())
                .compose(
                    view -> {
                      if (view.state() == ItemState.CREATED) {
                        return refusal(ErrorCode.NOT_READY);
                      }
                      return isOver(view)
                          ? refusal(ErrorCode.ENDED)
                          : spotsOf(query).compose(spots -> places(query.item(), spots));
                    }));
  }

  private <T> Future<T> admitted(Supplier<Future<T>> request) {
    if (requests >= MAX_REQUESTS) {
      return refusal(ErrorCode.BUSY);
    }
    requests++;
    return request.get().onComplete(done -> requests--);
  }

  private Future<ItemView> known(ItemId item) {
    ItemView view = viewOf(item);
    if (view != null) {
      return Future.succeededFuture(view);
    }
    return look(item)
        .compose(
            looked -> {
              ItemView found = viewOf(item);
              return found == null ? refusal(ErrorCode.NOT_FOUND) : Future.succeededFuture(found);
            });
  }

  private ItemView viewOf(ItemId item) {
    return engine.soldOut().views().get(item);
  }

  /** One look for all who ask before it begins; BUSY when they ask about too many items. */
  private Future<Void> look(ItemId item) {
    if (toLookAt.size() >= ReadItems.MAX_ITEMS && !toLookAt.contains(item)) {
      return refusal(ErrorCode.BUSY);
    }
    toLookAt.add(item);
    if (nextLook != null) {
      return nextLook;
    }
    Promise<Void> done = Promise.promise();
    nextLook = done.future();
    long waitNanos = lookNotBeforeNanos - System.nanoTime();
    if (waitNanos <= 0) {
      lookNow(done);
    } else {
      vertx.setTimer(1 + waitNanos / 1_000_000, id -> lookNow(done));
    }
    return done.future();
  }

  private void lookNow(Promise<Void> done) {
    keeper
        .look(
            () -> {
              Set<ItemId> items = toLookAt;
              toLookAt = new LinkedHashSet<>();
              nextLook = null;
              lookNotBeforeNanos = System.nanoTime() + LOOK_EVERY_MS * 1_000_000;
              return items;
            })
        .onComplete(done);
  }

  /** Redis' time decides in the script; this spares a question whose answer is known. */
  private boolean isOver(ItemView view) {
    return view.state() == ItemState.ENDED
        || (keeper.latest() != null && keeper.latest().atMs() >= view.definition().endsAtMs());
  }

  private boolean hasNotBegun(ItemView view) {
    boolean isEarly =
        keeper.latest() != null
            && keeper.latest().atMs() + BOARD_AGE_MS < view.definition().startsAtMs();
    return isEarly || view.state() == ItemState.CREATED || view.state() == ItemState.PREPARED;
  }

  /**
   * Whether no unit is seen that he could buy. A script sees its own shard only, so with several of
   * them the board has to tell; when it does not, the shards are looked at once more. Of an item
   * that is not on sale no unit can be bought: the script says why.
   */
  private Future<Void> mayJoin(ItemView view) {
    if (shards.count() == 1 || view.soldOut() || isOver(view) || hasNotBegun(view)) {
      return Future.succeededFuture();
    }
    ItemId item = view.definition().id();
    return look(item)
        .compose(
            looked -> {
              ItemStocks stocks = keeper.stocks(item);
              if (stocks == null || !stocks.selling() || viewOf(item).soldOut()) {
                // The script knows best why it sells nothing.
                return Future.succeededFuture();
              }
              if (stocks.unsold() > 0) {
                return refusal(ErrorCode.NOT_SOLD_OUT);
              }
              return stocks.everywhere()
                  ? Future.succeededFuture()
                  : refusal(ErrorCode.UNAVAILABLE);
            });
  }

  private Future<InLine> enter(WaitlistJoin join, boolean isFirst) {
    Lane lane = changes.get(shards.shardOf(join.user()));
    ItemId item = join.item();
    return lane.call(
            (link, fence, keys, timeoutMs) ->
                JoinWaitlist.run(
                    link,
                    fence,
                    keys,
                    new JoinWaitlist.Args(
                        join.user(),
                        item,
                        engine.groups().idOf(item),
                        engine.config().engine().maxWaiters(),
                        engine.config().engine().maxLogEntries()),
                    timeoutMs),
            ErrorCode.OUTCOME_UNKNOWN)
        .compose(
            result -> {
              if (result instanceof InLine inLine) {
                return Future.succeededFuture(inLine);
              }
              JoinWaitlist.Reason reason = ((NotInLine) result).reason();
              if (reason == JoinWaitlist.Reason.GROUP && isFirst) {
                // The shard knows another group than this node: a new item, or a new group of it.
                return look(item).compose(looked -> enter(join, false));
              }
              return notInLine(lane, item, reason);
            });
  }

  private Future<InLine> notInLine(Lane lane, ItemId item, JoinWaitlist.Reason reason) {
    return switch (reason) {
      case NOT_READY -> refusal(ErrorCode.NOT_READY);
      case NOT_STARTED -> refusal(ErrorCode.NOT_STARTED);
      case ENDED -> refusal(ErrorCode.ENDED);
      case PAUSED -> refusal(ErrorCode.PAUSED);
      case LIMIT -> refusal(ErrorCode.LIMIT_REACHED);
      case FULL -> refusal(ErrorCode.WAITLIST_FULL);
      // Units that somebody waits for elsewhere are about to be sent there.
      case STOCK ->
          refusal(engine.soldOut().isWaitedFor(item) ? ErrorCode.BUSY : ErrorCode.NOT_SOLD_OUT);
      case GROUP -> refusal(ErrorCode.BUSY);
      case LOG_FULL, NOT_WRITTEN -> refusal(ErrorCode.UNAVAILABLE);
      case LOST -> lane.refused(FenceStatus.FROZEN);
      case FENCED, FROZEN, EXPIRED -> lane.refused(FenceStatus.valueOf(reason.name()));
    };
  }

  private Future<WaitlistPlace> placeOf(WaitlistJoin join, InLine inLine) {
    ItemId item = join.item();
    if (!engine.soldOut().isWaitedFor(item)) {
      // From now on nobody who comes is served before him, in any shard.
      look(item);
    }
    return readings
        .computeIfAbsent(item, Readings::new)
        .ask(new Spot(shards.shardOf(join.user()), inLine.score()))
        .map(
            standing ->
                new WaitlistPlace(
                    join.user(), item, standing.place(), standing.waiting(), inLine.joined()))
        // He stands in line, and whoever repeats this hears where.
        .recover(failure -> refusal(ErrorCode.OUTCOME_UNKNOWN));
  }

  private Future<Places> places(ItemId item, Map<UserId, Spot> spots) {
    List<UserId> users = List.copyOf(spots.keySet());
    return line(item, users.stream().map(spots::get).toList())
        .map(
            line -> {
              List<WaitlistPlace> places = new ArrayList<>(users.size());
              for (int i = 0; i < users.size(); i++) {
                places.add(
                    new WaitlistPlace(
                        users.get(i), item, line.places().get(i), line.waiting(), false));
              }
              return new Places(item, line.waiting(), places);
            });
  }

  /** Those of the users who wait. */
  private Future<Map<UserId, Spot>> spotsOf(PlacesQuery query) {
    Map<Integer, List<UserId>> byShard =
        query.users().stream()
            .distinct()
            .collect(Collectors.groupingBy(shards::shardOf, TreeMap::new, Collectors.toList()));
    Map<UserId, Spot> spots = new HashMap<>();
    List<Future<Found>> inShards = new ArrayList<>();
    byShard.forEach(
        (shard, users) ->
            inShards.add(
                find(shard, new FindWaiters.Args(query.item(), users, List.of()))
                    .onSuccess(
                        found -> {
                          for (int i = 0; i < users.size(); i++) {
                            UserId user = users.get(i);
                            OptionalLong score = found.users().get(i);
                            score.ifPresent(where -> spots.put(user, new Spot(shard, where)));
                          }
                        })));
    return Future.join(inShards).map(spots);
  }

  /**
   * Counts who comes before each spot, in every shard. Of equal scores the one of the lower shard
   * comes first.
   */
  private Future<Line> line(ItemId item, List<Spot> spots) {
    List<Future<Found>> inShards = new ArrayList<>(shards.count());
    for (int shard = 0; shard < shards.count(); shard++) {
      int here = shard;
      List<Long> scores =
          spots.stream()
              .map(spot -> here < spot.shard() ? spot.score() + 1 : spot.score())
              .toList();
      inShards.add(find(shard, new FindWaiters.Args(item, List.of(), scores)));
    }
    return Future.join(inShards)
        .map(
            all -> {
              long waiting = 0;
              long[] places = new long[spots.size()];
              for (Future<Found> shard : inShards) {
                waiting += shard.result().waiters();
                for (int i = 0; i < places.length; i++) {
                  places[i] += shard.result().before().get(i);
                }
              }
              List<Long> counted = new ArrayList<>(places.length);
              for (long before : places) {
                counted.add(before + 1);
              }
              return new Line(waiting, counted);
            });
  }

  private Future<Found> find(int shard, FindWaiters.Args wanted) {
    Lane lane = looks.get(shard);
    return lane.call(
            (link, fence, keys, timeoutMs) -> FindWaiters.run(link, fence, keys, wanted, timeoutMs),
            ErrorCode.UNAVAILABLE)
        .compose(
            result -> {
              if (result instanceof Found found) {
                return Future.succeededFuture(found);
              }
              FindWaiters.Reason reason = ((NotFound) result).reason();
              return switch (reason) {
                case NOT_READY -> refusal(ErrorCode.UNAVAILABLE);
                case FENCED, FROZEN, EXPIRED -> lane.refused(FenceStatus.valueOf(reason.name()));
              };
            });
  }

  private static <T> Future<T> refusal(ErrorCode code) {
    return Future.failedFuture(new SeckillException(code, code.title()));
  }

  private static boolean isUnknown(Throwable failure) {
    return failure instanceof SeckillException e && !e.code().outcomeKnown();
  }

  /** The places of those who have just joined: while one reading is under way others gather. */
  private final class Readings {

    private final ItemId item;
    private final Deque<Asked> asked = new ArrayDeque<>();
    private boolean reading;

    private record Standing(long place, long waiting) {}

    private record Asked(Spot spot, Promise<Standing> standing) {}

    Readings(ItemId item) {
      this.item = item;
    }

    Future<Standing> ask(Spot spot) {
      Asked one = new Asked(spot, Promise.promise());
      asked.add(one);
      if (!reading) {
        readNext();
      }
      return one.standing.future();
    }

    private void readNext() {
      reading = !asked.isEmpty();
      if (!reading) {
        readings.remove(item);
        return;
      }
      List<Asked> now = new ArrayList<>();
      while (!asked.isEmpty() && now.size() < FindWaiters.MAX_ASKED) {
        now.add(asked.poll());
      }
      line(item, now.stream().map(Asked::spot).toList())
          .onComplete(
              line -> {
                for (int i = 0; i < now.size(); i++) {
                  if (line.succeeded()) {
                    now.get(i)
                        .standing
                        .complete(
                            new Standing(line.result().places().get(i), line.result().waiting()));
                  } else {
                    now.get(i).standing.fail(line.cause());
                  }
                }
                readNext();
              });
    }
  }

  /** The calls to one shard: some at a time, the others in the order in which they came. */
  private final class Lane {

    private final ShardSession session;
    private final Deque<Runnable> queue = new ArrayDeque<>();
    private int inFlight;

    Lane(ShardSession session) {
      this.session = session;
    }

    /**
     * Makes a call when it is its turn.
     *
     * @param onUnknown what it means that nobody knows whether it was executed
     */
    <T> Future<T> call(Call<T> call, ErrorCode onUnknown) {
      Promise<T> answer = Promise.promise();
      long untilNanos = System.nanoTime() + QUEUE_MS * 1_000_000;
      queue.add(() -> make(call, onUnknown, untilNanos, answer));
      pump();
      return answer.future();
    }

    /** The shard has to be opened again; nothing was done. */
    <T> Future<T> refused(FenceStatus status) {
      session.refused(status);
      return refusal(ErrorCode.UNAVAILABLE);
    }

    private void pump() {
      while (inFlight < IN_FLIGHT && !queue.isEmpty()) {
        queue.poll().run();
      }
    }

    private <T> void make(Call<T> call, ErrorCode onUnknown, long untilNanos, Promise<T> answer) {
      RedisLink link = session.openLink().orElse(null);
      if (System.nanoTime() - untilNanos > 0 || link == null) {
        refusal(link == null ? ErrorCode.UNAVAILABLE : ErrorCode.BUSY).onFailure(answer::fail);
        return;
      }
      inFlight++;
      long timeoutMs = session.callTimeoutMs();
      call.make(link, link.fence(session.epoch(), timeoutMs), session.keys(), timeoutMs)
          .recover(
              failure -> {
                boolean never =
                    failure instanceof RedisCallException e
                        && e.kind() == RedisCallException.Kind.NOT_EXECUTED;
                return refusal(never ? ErrorCode.UNAVAILABLE : onUnknown);
              })
          .onComplete(
              done -> {
                inFlight--;
                answer.handle(done);
                pump();
              });
    }
  }
}
