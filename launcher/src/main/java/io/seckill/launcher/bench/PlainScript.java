package io.seckill.launcher.bench;

import io.seckill.embedded.RawRedis;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What the articles call a flash sale: one script that decides one purchase: is there such a sale,
 * does the buyer have a unit, is one left, take it, mark the buyer, queue the order. It knows no
 * window, no limit above one, no receipt, no fence and no order of its log.
 */
final class PlainScript {

  static final String TEXT =
      """
      local stock = redis.call('GET', KEYS[1])
      if not stock then return 3 end
      if redis.call('SISMEMBER', KEYS[2], ARGV[1]) == 1 then return 2 end
      if tonumber(stock) <= 0 then return 0 end
      redis.call('DECR', KEYS[1])
      redis.call('SADD', KEYS[2], ARGV[1])
      redis.call('XADD', KEYS[3], '*', 'user', ARGV[1], 'item', ARGV[2])
      return 1
      """;

  /** Its answer to a buyer who gets a unit. */
  static final int WON = 1;

  private PlainScript() {}

  /**
   * A sale of it.
   *
   * @param sha1 of the script, which the server has
   * @param stock key
   * @param users key
   * @param log key
   */
  record Sale(String sha1, String stock, String users, String log) {

    /** Opens a sale with this many units. */
    static Sale open(RawRedis redis, String name, long units) {
      String tag = "plain:{" + name + "}:";
      try {
        String sha1 = redis.call("SCRIPT", "LOAD", TEXT);
        redis.call("SET", tag + "stock", Long.toString(units));
        return new Sale(sha1, tag + "stock", tag + "users", tag + "log");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** The words of a call before the buyer, and the one after him. */
    List<byte[]> words() {
      return List.of(bytes(sha1), bytes("3"), bytes(stock), bytes(users), bytes(log));
    }

    /** Drops what it has left, without holding the server up. */
    void drop(RawRedis redis) {
      try {
        redis.call("UNLINK", stock, users, log);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** The item that every sale of it sells. */
  static final byte[] ITEM = bytes("1001");

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
