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
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Speaks the stream commands of one shard's log, and tells the changes in its stream entries apart.
 * Reading changes nothing but what the group remembers, so all of it is safe to repeat.
 */
public final class LogReader {

  private static final EntryId BEFORE_ALL = new EntryId(0, 0);

  private static final int MAX_BEHIND = 50;

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
   * What a read brought.
   *
   * @param changes those of whole stream entries, in the order of the log
   * @param isFull whether it brought as many entries as it asked for: there may be more
   */
  record Read(List<Received> changes, boolean isFull) {}

  /**
   * What a take-over found.
   *
   * @param read entries that are this consumer's now; of those that were deleted meanwhile the ids
   *     stand there as letters
   * @param unnamed whether the server hid deleted entries (Redis 6.2): they are among this
   *     consumer's own pending ones now
   */
  record Claimed(Read read, boolean unnamed) {}

  /**
   * A part of a range of the log.
   *
   * @param changes those in the range, by number
   * @param next where the next part begins; null when the range is over
   */
  public record Page(List<Received> changes, String next) {}

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
   * @param after the last stream id of the read before, {@code 0} for the first
   */
  Future<Read> readPending(RedisLink link, String after, ReadSize size, long timeoutMs) {
    int asked = size.entries();
    return link.send(readGroup(asked, -1, after), timeoutMs)
        .map(reply -> readOf(entriesOfRead(reply), size, asked));
  }

  /** New entries; waits for the first one for at most {@code blockMs}. Empty when none came. */
  Future<Read> readNew(RedisLink link, ReadSize size, long blockMs, long timeoutMs) {
    int asked = size.entries();
    return link.send(readGroup(asked, blockMs, ">"), blockMs + timeoutMs)
        .map(reply -> readOf(entriesOfRead(reply), size, asked));
  }

  /** Takes over entries that some consumer, or this one, has held for too long. */
  Future<Claimed> claim(RedisLink link, ReadSize size, long idleMs, long timeoutMs) {
    int asked = size.entries();
    Request claim =
        Request.cmd(Command.XAUTOCLAIM)
            .arg(keys.log())
            .arg(RedisKeys.GROUP)
            .arg(consumer)
            .arg(idleMs)
            .arg("0-0")
            .arg("COUNT")
            .arg(asked);
    return link.send(claim, timeoutMs).map(reply -> claimedOf(reply, size, asked));
  }

  /**
   * Reads a range of numbers as they stand in the log now, a part at a time.
   *
   * @param from the first number as text, or what the part before calls {@code next}
   * @param to the last number; the entry that has it may go on behind it
   */
  public Future<Page> range(
      RedisLink link, String from, EntryId to, ReadSize size, long timeoutMs) {
    int asked = size.entries();
    EntryId first = from.startsWith("(") ? BEFORE_ALL : EntryId.parse(from);
    return link.send(rangeFrom(from, asked), timeoutMs)
        .map(
            entries -> {
              Read read = readOf(entries, size, asked);
              List<Received> changes =
                  read.changes().stream()
                      .filter(change -> isWithin(first, change.place(), to))
                      .toList();
              if (!read.isFull()) {
                return new Page(changes, null);
              }
              Received last = read.changes().get(read.changes().size() - 1);
              boolean isOver = last.place() != null && last.place().compareTo(to) >= 0;
              return new Page(changes, isOver ? null : "(" + last.id());
            });
  }

  private static boolean isWithin(EntryId first, EntryId place, EntryId last) {
    return place != null && place.compareTo(first) >= 0 && place.compareTo(last) <= 0;
  }

  /** The change with a number, as it stands in the log now; empty when the log does not have it. */
  public Future<Optional<Received>> find(RedisLink link, EntryId place, long timeoutMs) {
    // An entry has the number of its last change, so the first that is not below has this one.
    return link.send(rangeFrom(place.toString(), 1), timeoutMs)
        .map(
            entries ->
                entries.size() == 0
                    ? List.<Received>of()
                    : changesOf(entries.get(0), place::equals))
        .map(
            changes -> changes.stream().filter(change -> place.equals(change.place())).findFirst());
  }

  /** Acknowledges one entry by its stream id, whatever its form. */
  Future<Void> acknowledge(RedisLink link, String streamId, long timeoutMs) {
    return link.send(
            Request.cmd(Command.XACK).arg(keys.log()).arg(RedisKeys.GROUP).arg(streamId), timeoutMs)
        .mapEmpty();
  }

  /**
   * Takes an entry once more, which Redis counts.
   *
   * @param place the number of a change in it
   * @return how often it was given out by now, to whomever. Fails when the log does not have it any
   *     more: read again it is known to be gone
   */
  Future<Long> takeAgain(RedisLink link, EntryId place, long timeoutMs) {
    return link.send(rangeFrom(place.toString(), 1), timeoutMs)
        .compose(
            entries ->
                entries.size() > 0 && !changesOf(entries.get(0), place::equals).isEmpty()
                    ? takeAgain(link, entries.get(0).get(0).toString(), timeoutMs)
                    : Future.failedFuture("the log does not have " + place + " any more"));
  }

  /** Some of the changes behind a place that can be read, as they stand in the log now. */
  Future<List<Received>> behind(RedisLink link, EntryId place, long timeoutMs) {
    return link.send(rangeFrom(place.toString(), MAX_BEHIND), timeoutMs)
        .map(
            entries -> {
              List<Received> behind = new ArrayList<>();
              for (Response entry : entries) {
                changesOf(entry, other -> other.compareTo(place) > 0).stream()
                    .filter(change -> change.entry() != null)
                    .forEach(behind::add);
              }
              return behind;
            });
  }

  private Future<Long> takeAgain(RedisLink link, String streamId, long timeoutMs) {
    Request pending =
        Request.cmd(Command.XPENDING)
            .arg(keys.log())
            .arg(RedisKeys.GROUP)
            .arg(streamId)
            .arg(streamId)
            .arg(1);
    Request claim =
        Request.cmd(Command.XCLAIM)
            .arg(keys.log())
            .arg(RedisKeys.GROUP)
            .arg(consumer)
            .arg(0)
            .arg(streamId)
            // Also when the group was made anew and has not given it out yet.
            .arg("FORCE");
    return link.send(claim, timeoutMs)
        .compose(claimed -> link.send(pending, timeoutMs))
        .map(found -> found.size() == 0 ? 0L : found.get(0).get(3).toLong());
  }

  private Request rangeFrom(String from, int count) {
    return Request.cmd(Command.XRANGE).arg(keys.log()).arg(from).arg("+").arg("COUNT").arg(count);
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

  /** Null when the time to wait was over. */
  private static Response entriesOfRead(Response reply) {
    return reply == null || reply.size() == 0 ? null : reply.get(0).get(1);
  }

  private static Read readOf(Response entries, ReadSize size, int asked) {
    if (entries == null) {
      return new Read(List.of(), false);
    }
    List<Received> changes = new ArrayList<>();
    for (Response entry : entries) {
      changes.addAll(changesOf(entry, place -> true));
    }
    return new Read(changes, size.done(asked, entries.size(), changes.size()));
  }

  private static List<Received> changesOf(Response entry, Predicate<EntryId> wanted) {
    String id = entry.get(0).toString();
    Response fields = entry.get(1);
    // A pending entry that was deleted has its id and nothing else.
    return fields == null
        ? List.of(Received.lost(id, Letter.DELETED))
        : Received.read(id, fieldsOf(fields), wanted);
  }

  private static Map<String, String> fieldsOf(Response fields) {
    Map<String, String> read = new HashMap<>(fields.size());
    for (int i = 0; i + 1 < fields.size(); i += 2) {
      read.put(fields.get(i).toString(), fields.get(i + 1).toString());
    }
    return read;
  }

  private static Claimed claimedOf(Response reply, ReadSize size, int asked) {
    List<Received> changes = new ArrayList<>();
    int entries = 0;
    boolean unnamed = false;
    for (Response entry : reply.get(1)) {
      if (entry == null || entry.size() == 0) {
        unnamed = true;
      } else {
        changes.addAll(changesOf(entry, place -> true));
        entries++;
      }
    }
    if (reply.size() > 2) {
      for (Response deleted : reply.get(2)) {
        changes.add(Received.lost(deleted.toString(), Letter.DELETED));
        entries++;
      }
    }
    return new Claimed(new Read(changes, size.done(asked, entries, changes.size())), unnamed);
  }
}
