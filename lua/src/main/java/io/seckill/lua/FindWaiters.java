package io.seckill.lua;

import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.vertx.core.Future;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * {@code find_waiters.lua}: the scores of users in a shard's line for an item, and how many of the
 * shard come before given scores. A waiter's place over all shards is 1 + the waiters with a lower
 * score in any of them.
 */
public final class FindWaiters {

  /** Users in one call, and scores. */
  public static final int MAX_ASKED = 500;

  private static final Script SCRIPT = Script.load("find_waiters");
  private static final int FIRST = 2;

  private FindWaiters() {}

  /**
   * What to look for.
   *
   * @param item what they wait for
   * @param users whose score is wanted, at most {@value #MAX_ASKED}
   * @param scores scores of waiters of any shard, at most {@value #MAX_ASKED}
   */
  public record Args(ItemId item, List<UserId> users, List<Long> scores) {

    /** Copies the lists. */
    public Args {
      users = List.copyOf(users);
      scores = List.copyOf(scores);
    }
  }

  /** What became of the call. */
  public sealed interface Result {}

  /**
   * The line at one instant.
   *
   * @param waiters users who wait in this shard
   * @param users the score of each user asked for, in their order; empty for who does not wait here
   * @param before for each score asked for how many wait here with a lower one
   */
  public record Found(long waiters, List<OptionalLong> users, List<Long> before)
      implements Result {}

  /** The shard cannot tell. */
  public record NotFound(Reason reason) implements Result {}

  /** Why a shard cannot tell. */
  public enum Reason {
    /** The item is not known here, or its keys are spoilt. */
    NOT_READY,
    /** See {@link FenceStatus#FENCED}. */
    FENCED,
    /** See {@link FenceStatus#FROZEN}. */
    FROZEN,
    /** See {@link FenceStatus#EXPIRED}. */
    EXPIRED
  }

  /** Looks. Fails with {@link RedisCallException}. */
  public static Future<Result> run(
      RedisLink link, Fence fence, RedisKeys keys, Args wanted, long timeoutMs) {
    if (wanted.users().size() > MAX_ASKED || wanted.scores().size() > MAX_ASKED) {
      throw new IllegalArgumentException("at most " + MAX_ASKED + " users and scores");
    }
    List<String> args = new ArrayList<>(1 + wanted.users().size() + wanted.scores().size());
    args.add(Integer.toString(wanted.users().size()));
    wanted.users().forEach(user -> args.add(user.value()));
    wanted.scores().forEach(score -> args.add(Long.toString(score)));
    return SCRIPT
        .run(
            link,
            fence,
            List.of(keys.head(), keys.item(wanted.item()), keys.waitlist(wanted.item())),
            args,
            timeoutMs)
        .map(reply -> resultOf(reply, wanted.users().size()));
  }

  private static Result resultOf(Response reply, int userCount) {
    String word = reply.get(0).toString();
    if (!word.equals("OK")) {
      return new NotFound(Reason.valueOf(word));
    }
    List<OptionalLong> users = new ArrayList<>(userCount);
    int at = FIRST;
    for (; at < FIRST + userCount; at++) {
      users.add(scoreOf(reply.get(at)));
    }
    List<Long> before = new ArrayList<>(reply.size() - at);
    for (; at < reply.size(); at++) {
      before.add(reply.get(at).toLong());
    }
    return new Found(reply.get(1).toLong(), users, before);
  }

  /** A score as scripts tell it: empty when there is none. */
  static OptionalLong scoreOf(Response text) {
    return text.toString().isEmpty() ? OptionalLong.empty() : OptionalLong.of(text.toLong());
  }
}
