package io.seckill.consumer.audit;

import io.seckill.common.audit.Finding;
import io.seckill.common.audit.Invariants;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.ShardRef;
import io.seckill.common.id.UserId;
import io.seckill.consumer.Repeat;
import io.seckill.lua.ReadHead;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Compares the lines of a shard in Redis with what its stored log says. People join and leave
 * meanwhile: who differs is looked at again, each time after everything that Redis can know of is
 * stored. While the consumer is behind, nothing is said.
 *
 * <p>Belongs to one event loop; serves one audit.
 */
final class WaitlistAudit {

  private static final long POLL_MS = 50;
  private static final int PAGE = 500;
  private static final int MAX_LOOKS = 3;

  private final ShardAudit.Tools tools;
  private final ShardRef shard;
  private final Findings findings;
  private final Function<EntryId, Future<Boolean>> awaitStored;

  /**
   * Makes it.
   *
   * @param awaitStored whether everything up to a place was stored in time
   */
  WaitlistAudit(
      ShardAudit.Tools tools,
      ShardRef shard,
      Findings findings,
      Function<EntryId, Future<Boolean>> awaitStored) {
    this.tools = tools;
    this.shard = shard;
    this.findings = findings;
    this.awaitStored = awaitStored;
  }

  /**
   * Compares the lines of an item.
   *
   * @param unwritten who joined by an entry that could not be stored: of them no row tells
   */
  Future<Void> run(ItemId item, Set<UserId> unwritten) {
    Set<UserId> suspects = new TreeSet<>();
    return fromRedis(item, suspects)
        .compose(
            done -> {
              suspects.removeAll(unwritten);
              return fromRows(item, suspects);
            })
        .compose(done -> lookAgain(item, suspects));
  }

  /** Everybody in Redis' line beside the rows. */
  private Future<Void> fromRedis(ItemId item, Set<UserId> suspects) {
    String[] cursor = {"0"};
    return Repeat.untilDone(
        tools.vertx(),
        () ->
            send(Request.cmd(Command.ZSCAN).arg(line(item)).arg(cursor[0]).arg("COUNT").arg(PAGE))
                .compose(
                    reply -> {
                      cursor[0] = reply.get(0).toString();
                      Set<UserId> page = new HashSet<>();
                      Response pairs = reply.get(1);
                      for (int i = 0; i + 1 < pairs.size(); i += 2) {
                        take(item, pairs.get(i).toString(), page);
                      }
                      return stored(item, page)
                          .map(
                              stored -> {
                                page.removeAll(stored.keySet());
                                suspects.addAll(page);
                                return cursor[0].equals("0");
                              });
                    }));
  }

  private void take(ItemId item, String name, Set<UserId> page) {
    if (UserId.isValid(name)) {
      page.add(new UserId(name));
    } else {
      findings.add(
          new Finding("I4", "item " + item + " shard " + shard, 1, "somebody waits who is nobody"));
    }
  }

  /** Everybody in the rows beside Redis' line. */
  private Future<Void> fromRows(ItemId item, Set<UserId> suspects) {
    String[] after = {""};
    return Repeat.untilDone(
        tools.vertx(),
        () ->
            tools
                .queries()
                .waiters(shard, item, after[0])
                .compose(
                    users -> {
                      if (users.isEmpty()) {
                        return Future.succeededFuture(true);
                      }
                      after[0] = users.get(users.size() - 1).value();
                      return scores(item, users)
                          .map(
                              waiting -> {
                                users.stream()
                                    .filter(user -> !waiting.containsKey(user))
                                    .forEach(suspects::add);
                                return false;
                              });
                    }));
  }

  private Future<Void> lookAgain(ItemId item, Set<UserId> suspects) {
    List<UserId> list = List.copyOf(suspects);
    int[] next = {0};
    return Repeat.untilDone(
        tools.vertx(),
        () -> {
          if (next[0] >= list.size() || findings.isFull()) {
            return Future.succeededFuture(true);
          }
          int end = Math.min(list.size(), next[0] + PAGE);
          List<UserId> some = list.subList(next[0], end);
          next[0] = end;
          return lookAt(item, some, 1).map(false);
        });
  }

  /**
   * What a look saw.
   *
   * @param before the scores of those who waited in Redis before the rows were read
   * @param upTo the head after that; everything up to it is stored
   * @param rows the join entries of those who wait by the rows
   * @param after the scores once more
   */
  private record Look(
      Map<UserId, String> before,
      EntryId upTo,
      Map<UserId, EntryId> rows,
      Map<UserId, String> after) {

    /** Nothing happened to him meanwhile: a row is behind the head only of who came and went. */
    boolean isJudgeable(UserId user) {
      EntryId row = rows.get(user);
      return Objects.equals(before.get(user), after.get(user))
          && (row == null || row.compareTo(upTo) <= 0);
    }

    boolean agrees(UserId user) {
      return isJudgeable(user) && before.containsKey(user) == rows.containsKey(user);
    }
  }

  private Future<Void> lookAt(ItemId item, List<UserId> users, int look) {
    return scores(item, users)
        .compose(
            before ->
                storedUpToNow()
                    .compose(
                        upTo ->
                            upTo.isEmpty()
                                ? Future.succeededFuture()
                                : stored(item, users)
                                    .compose(
                                        rows ->
                                            scores(item, users)
                                                .map(
                                                    after ->
                                                        new Look(before, upTo.get(), rows, after)))
                                    .compose(seen -> judge(item, users, look, seen))));
  }

  /** The head as it is now, when everything up to it was stored in time. */
  private Future<Optional<EntryId>> storedUpToNow() {
    return ReadHead.run(
            tools.log().link(shard.shard()),
            tools.log().keys(shard.shard()),
            tools.log().callTimeoutMs())
        .recover(failure -> unavailable())
        .compose(
            head ->
                // A line that is being written again is not whole.
                head.filter(it -> it.state() == ReadHead.HeadState.OPEN)
                    .map(it -> new EntryId(it.epoch(), it.seq()))
                    .map(
                        upTo ->
                            awaitStored
                                .apply(upTo)
                                .map(is -> is ? Optional.of(upTo) : Optional.<EntryId>empty()))
                    .orElse(Future.succeededFuture(Optional.empty())));
  }

  private Future<Void> judge(ItemId item, List<UserId> users, int look, Look seen) {
    List<UserId> suspects = users.stream().filter(user -> !seen.agrees(user)).toList();
    if (suspects.isEmpty()) {
      return Future.succeededFuture();
    }
    if (look < MAX_LOOKS) {
      return tools.vertx().timer(POLL_MS).compose(done -> lookAt(item, suspects, look + 1));
    }
    for (UserId user : suspects) {
      // Whoever comes and goes all the time shows nothing.
      if (seen.isJudgeable(user)) {
        findings.add(
            Invariants.waiterAgrees(
                shard, item, user, seen.before().containsKey(user), seen.rows().containsKey(user)));
      }
    }
    return Future.succeededFuture();
  }

  /** The join entries of those of some users who wait by the rows. */
  private Future<Map<UserId, EntryId>> stored(ItemId item, Collection<UserId> users) {
    return users.isEmpty()
        ? Future.succeededFuture(Map.of())
        : tools.queries().waiting(shard, item, users);
  }

  /** The scores of those of some users who wait in Redis. */
  private Future<Map<UserId, String>> scores(ItemId item, List<UserId> users) {
    Request scores = Request.cmd(Command.ZMSCORE).arg(line(item));
    users.forEach(user -> scores.arg(user.value()));
    return send(scores)
        .map(
            reply -> {
              Map<UserId, String> waiting = new HashMap<>();
              for (int i = 0; i < users.size(); i++) {
                if (reply.get(i) != null) {
                  waiting.put(users.get(i), reply.get(i).toString());
                }
              }
              return waiting;
            });
  }

  private String line(ItemId item) {
    return tools.log().keys(shard.shard()).waitlist(item);
  }

  private Future<Response> send(Request request) {
    return tools
        .log()
        .link(shard.shard())
        .send(request, tools.log().callTimeoutMs())
        .recover(failure -> unavailable());
  }

  private <T> Future<T> unavailable() {
    return Future.failedFuture(
        new SeckillException(ErrorCode.UNAVAILABLE, "shard " + shard + " cannot be read"));
  }
}
