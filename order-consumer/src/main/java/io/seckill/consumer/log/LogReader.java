package io.seckill.consumer.log;

import io.seckill.common.id.EntryId;
import io.seckill.consumer.store.Letter;
import io.seckill.consumer.store.Received;
import io.seckill.lua.RedisCallException;
import io.seckill.lua.RedisKeys;
import io.seckill.lua.RedisLink;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Speaks the stream commands of one shard's log. Reading changes nothing but what the group
 * remembers, so all of it is safe to repeat.
 */
public final class LogReader {

  private final RedisKeys keys;
  private final String consumer;

  /**
   * Makes the reader.
   *
   * @param keys the shard's keys
   * @param consumer this node's name in the group
   */
  public LogReader(RedisKeys keys, String consumer) {
    this.keys = keys;
    this.consumer = consumer;
  }

  /**
   * What a take-over found.
   *
   * @param entries entries that are this consumer's now; those that were deleted meanwhile stand as
   *     letters
   * @param unnamed whether the server hid deleted entries (Redis 6.2): they are among this
   *     consumer's own pending ones now
   */
  record Claimed(List<Received> entries, boolean unnamed) {}

  /** Makes the group, at the start of the log; that it exists is success too. */
  Future<Boolean> makeGroup(RedisLink link, long timeoutMs) {
    Request create =
        Request.cmd(Command.XGROUP)
            .arg("CREATE")
            .arg(keys.log())
            .arg(RedisKeys.GROUP)
            .arg("0")
            .arg("MKSTREAM");
    return link.send(create, timeoutMs)
        .map(true)
        .recover(
            failure ->
                failure instanceof RedisCallException e && e.code().equals("BUSYGROUP")
                    ? Future.succeededFuture(false)
                    : Future.failedFuture(failure));
  }

  /**
   * Entries that were delivered to this consumer before and are not acknowledged, oldest first.
   *
   * @param after the last id of the read before, {@code 0} for the first
   */
  Future<List<Received>> readPending(RedisLink link, String after, int count, long timeoutMs) {
    return link.send(readGroup(count, -1, after), timeoutMs).map(LogReader::entriesOfRead);
  }

  /** New entries; waits for the first one for at most {@code blockMs}. Empty when none came. */
  Future<List<Received>> readNew(RedisLink link, int count, long blockMs, long timeoutMs) {
    return link.send(readGroup(count, blockMs, ">"), blockMs + timeoutMs)
        .map(LogReader::entriesOfRead);
  }

  /** Takes over entries that some consumer, or this one, has held for too long. */
  Future<Claimed> claim(RedisLink link, int count, long idleMs, long timeoutMs) {
    Request claim =
        Request.cmd(Command.XAUTOCLAIM)
            .arg(keys.log())
            .arg(RedisKeys.GROUP)
            .arg(consumer)
            .arg(idleMs)
            .arg("0-0")
            .arg("COUNT")
            .arg(count);
    return link.send(claim, timeoutMs).map(LogReader::claimedOf);
  }

  /** Entries of the log in a range of places, both inclusive, as they stand there now. */
  public Future<List<Received>> range(
      RedisLink link, EntryId from, EntryId to, int count, long timeoutMs) {
    Request range =
        Request.cmd(Command.XRANGE)
            .arg(keys.log())
            .arg(from.toString())
            .arg(to.toString())
            .arg("COUNT")
            .arg(count);
    return link.send(range, timeoutMs).map(LogReader::entriesOf);
  }

  /** Acknowledges one entry by its stream id, whatever its form. */
  Future<Void> acknowledge(RedisLink link, String streamId, long timeoutMs) {
    return link.send(
            Request.cmd(Command.XACK).arg(keys.log()).arg(RedisKeys.GROUP).arg(streamId), timeoutMs)
        .mapEmpty();
  }

  /** Entries that the log has now. */
  Future<Long> length(RedisLink link, long timeoutMs) {
    return link.send(Request.cmd(Command.XLEN).arg(keys.log()), timeoutMs).map(Response::toLong);
  }

  private Request readGroup(int count, long blockMs, String from) {
    Request read =
        Request.cmd(Command.XREADGROUP)
            .arg("GROUP")
            .arg(RedisKeys.GROUP)
            .arg(consumer)
            .arg("COUNT")
            .arg(count);
    if (blockMs >= 0) {
      read.arg("BLOCK").arg(blockMs);
    }
    return read.arg("STREAMS").arg(keys.log()).arg(from);
  }

  private static List<Received> entriesOfRead(Response reply) {
    // Null when the time to wait was over.
    return reply == null || reply.size() == 0 ? List.of() : entriesOf(reply.get(0).get(1));
  }

  private static List<Received> entriesOf(Response entries) {
    List<Received> read = new ArrayList<>(entries.size());
    for (Response entry : entries) {
      read.add(entryOf(entry));
    }
    return read;
  }

  private static Received entryOf(Response entry) {
    String id = entry.get(0).toString();
    Response fields = entry.get(1);
    // A pending entry that was deleted has its id and nothing else.
    return fields == null ? Received.lost(id, Letter.DELETED) : Received.read(id, fieldsOf(fields));
  }

  private static Map<String, String> fieldsOf(Response fields) {
    Map<String, String> read = new HashMap<>(fields.size());
    for (int i = 0; i + 1 < fields.size(); i += 2) {
      read.put(fields.get(i).toString(), fields.get(i + 1).toString());
    }
    return read;
  }

  private static Claimed claimedOf(Response reply) {
    List<Received> entries = new ArrayList<>();
    boolean unnamed = false;
    for (Response entry : reply.get(1)) {
      if (entry == null || entry.size() == 0) {
        unnamed = true;
      } else {
        entries.add(entryOf(entry));
      }
    }
    if (reply.size() > 2) {
      for (Response deleted : reply.get(2)) {
        entries.add(Received.lost(deleted.toString(), Letter.DELETED));
      }
    }
    return new Claimed(entries, unnamed);
  }
}
