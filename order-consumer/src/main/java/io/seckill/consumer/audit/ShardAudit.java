package io.seckill.consumer.audit;

import io.seckill.common.audit.Finding;
import io.seckill.common.audit.Invariants;
import io.seckill.common.audit.ReceiptFacts;
import io.seckill.common.audit.ShardItemFacts;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.ShardRef;
import io.seckill.common.id.UserId;
import io.seckill.common.log.LogEntry;
import io.seckill.consumer.RegionLog;
import io.seckill.consumer.Repeat;
import io.seckill.consumer.log.ReadSize;
import io.seckill.consumer.store.Received;
import io.seckill.lua.ReadHead;
import io.seckill.lua.ReadItems;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Audits one shard. Exact under load: one script call reads the stock of all items together with
 * the place in the log that it belongs to; everything else is summed up to that place. What looks
 * wrong only because two things were read one after the other is looked at again before it is said.
 *
 * <p>Belongs to one event loop; serves one audit.
 */
final class ShardAudit {

  private static final long POLL_MS = 50;
  private static final int PAGE = 500;

  /** Changes in the log beyond which an audit says that it is too early. */
  private static final int MAX_IN_LOG = 150_000;

  /** Users that are looked at again together. */
  private static final int SUSPECTS_AT_ONCE = 200;

  private static final int MAX_LOOKS = 3;

  /** Engines finish a transfer within seconds; this is the bound of self-healing (I6). */
  private static final long MAX_TRANSFER_MS = 30_000;

  private final Vertx vertx;
  private final RegionLog log;
  private final AuditQueries queries;
  private final ShardRef shard;
  private final long deadlineMs;
  private final Findings findings;
  private final boolean judgesLog;
  private final WaitlistAudit waitlistAudit;

  /** When the reading was asked for. */
  private long readAtMs;

  private EntryId point;
  private ReadItems.Reading reading;
  private List<ItemId> items = List.of();
  private final Map<EntryId, Received> inLog = new TreeMap<>();
  private final Map<EntryId, LogEntry> inFlight = new TreeMap<>();
  private List<AuditQueries.Letter> letters = List.of();

  /** Entries of letters that hold what they won: their wins have no order. */
  private final Set<EntryId> dead = new HashSet<>();

  private Map<ItemId, AuditQueries.Sums> sums = Map.of();
  private List<AuditQueries.Arrival> arrivals = List.of();

  /** How long after the reading they were asked for. */
  private long sinceReadMs;

  /** What entries that are not stored yet say. */
  private Map<ItemId, AuditQueries.Sums> unstored = Map.of();

  /**
   * What an audit works with.
   *
   * @param deadlineMs until when it waits for the consumer, by {@link System#nanoTime} in ms
   * @param judgesLog whether it judges what belongs to no item, too: once for a shard
   */
  record Tools(
      Vertx vertx, RegionLog log, AuditQueries queries, long deadlineMs, boolean judgesLog) {}

  ShardAudit(Tools tools, ShardRef shard, Findings findings) {
    this.vertx = tools.vertx();
    this.log = tools.log();
    this.queries = tools.queries();
    this.deadlineMs = tools.deadlineMs();
    this.judgesLog = tools.judgesLog();
    this.shard = shard;
    this.findings = findings;
    this.waitlistAudit =
        new WaitlistAudit(
            tools,
            shard,
            findings,
            upTo -> awaitStored(upTo, Math.max(deadlineMs, nowMs() + POLL_MS)));
  }

  /**
   * One item's part of the totals.
   *
   * @param facts stock and log
   * @param inFlight units won and not stored
   * @param wins stored wins
   */
  record Part(ShardItemFacts facts, long inFlight, long wins) {}

  Future<List<Part>> run(List<ItemId> wanted) {
    items = wanted;
    return read()
        .compose(done -> awaitStored(point, deadlineMs))
        .compose(stored -> sumUp(stored, 0))
        .compose(done -> receipts())
        .compose(done -> waitlists())
        .map(done -> parts());
  }

  private Future<Void> read() {
    readAtMs = nowMs();
    return ReadItems.run(log.link(at()), log.keys(at()), items, log.callTimeoutMs())
        .compose(
            found -> {
              boolean open = found.isPresent() && found.get().state() == ReadHead.HeadState.OPEN;
              if (!open) {
                return unavailable("shard " + shard + " is not open");
              }
              reading = found.get();
              point = new EntryId(reading.epoch(), reading.seq());
              return Future.<Void>succeededFuture();
            })
        .recover(
            failure ->
                failure instanceof SeckillException
                    ? Future.failedFuture(failure)
                    : unavailable("shard " + shard + " cannot be read"));
  }

  private int at() {
    return shard.shard();
  }

  private static <T> Future<T> unavailable(String detail) {
    return Future.failedFuture(new SeckillException(ErrorCode.UNAVAILABLE, detail));
  }

  /** Whether everything up to a place was stored in time: entries are stored in their order. */
  private Future<Boolean> awaitStored(EntryId upTo, long untilMs) {
    if (upTo.seq() == 0) {
      // A new epoch: what has to be stored before is the end of the one before.
      return queries
          .endBefore(shard, upTo.epoch())
          .compose(
              end ->
                  end.isPresent() ? awaitStored(end.get(), untilMs) : Future.succeededFuture(true));
    }
    boolean[] stored = new boolean[1];
    return Repeat.untilDone(
            vertx,
            () ->
                queries
                    .isStored(shard, upTo)
                    .compose(
                        is -> {
                          stored[0] = is;
                          boolean end = is || nowMs() >= untilMs;
                          return end
                              ? Future.succeededFuture(true)
                              : vertx.timer(POLL_MS).map(false);
                        }))
        .map(done -> stored[0]);
  }

  /**
   * Counts and sums up to the point. While the consumer goes on, what is stored and what is in the
   * log changes hands: then it is all summed again.
   */
  private Future<Void> sumUp(boolean stored, int look) {
    inLog.clear();
    inFlight.clear();
    // The log first: what has left it by then is stored by the time that MySQL is asked.
    return (stored ? Future.<Void>succeededFuture() : readLog())
        .compose(done -> queries.epochs(shard, point))
        .compose(
            before ->
                findInFlight(before)
                    .compose(done -> queries.letters(shard))
                    .compose(
                        found -> {
                          letters = found;
                          dead.clear();
                          letters.stream()
                              .filter(AuditQueries.Letter::holds)
                              .forEach(letter -> dead.add(letter.entry()));
                          return queries.arrivals(shard);
                        })
                    .compose(
                        found -> {
                          arrivals = found;
                          sinceReadMs = nowMs() - readAtMs;
                          unstored = sumUnstored();
                          return queries.sums(shard, point, sentInLog());
                        })
                    .compose(
                        found -> {
                          sums = found;
                          return queries.epochs(shard, point);
                        })
                    .compose(
                        after ->
                            queries
                                .letters(shard)
                                .compose(
                                    now -> {
                                      // A letter that ends moves its win into another sum.
                                      if (before.equals(after) && now.equals(letters)) {
                                        return judgeEpochs(after);
                                      }
                                      return look < MAX_LOOKS
                                          ? awaitStored(point, nowMs() + POLL_MS * 10)
                                              .compose(is -> sumUp(is, look + 1))
                                          : unavailable("shard " + shard + " is storing a backlog");
                                    })));
  }

  private List<EntryId> sentInLog() {
    return inFlight.values().stream()
        .filter(LogEntry.UnitsSent.class::isInstance)
        .map(LogEntry::id)
        .toList();
  }

  private Future<Void> readLog() {
    return eachInLog(point, change -> inLog.put(change.place(), change));
  }

  /** Reads the log from its beginning up to a place. */
  private Future<Void> eachInLog(EntryId upTo, Consumer<Received> take) {
    String[] from = {new EntryId(0, 0).toString()};
    int[] read = {0};
    ReadSize size = new ReadSize(PAGE);
    return Repeat.untilDone(
        vertx,
        () ->
            log.reader(at())
                .range(log.link(at()), from[0], upTo, size, log.callTimeoutMs())
                .recover(failure -> unavailable("shard " + shard + " cannot be read"))
                .compose(
                    page -> {
                      page.changes().forEach(take);
                      read[0] += page.changes().size();
                      from[0] = page.next();
                      return read[0] > MAX_IN_LOG
                          ? unavailable("the consumer is too far behind")
                          : Future.succeededFuture(from[0] == null);
                    }));
  }

  /** Entries of the log that are not stored, and count: not beyond the end of their epoch. */
  private Future<Void> findInFlight(List<AuditQueries.EpochCount> epochs) {
    Map<Long, Long> ends = new HashMap<>();
    epochs.forEach(epoch -> ends.put(epoch.epoch(), epoch.given()));
    List<EntryId> places =
        inLog.keySet().stream()
            .filter(place -> place.seq() <= ends.getOrDefault(place.epoch(), 0L))
            .toList();
    int[] next = {0};
    return Repeat.untilDone(
        vertx,
        () -> {
          if (next[0] >= places.size()) {
            inLog.clear();
            return Future.succeededFuture(true);
          }
          EntryId first = places.get(next[0]);
          int end = next[0];
          while (end < places.size()
              && end - next[0] < PAGE
              && places.get(end).epoch() == first.epoch()) {
            end++;
          }
          List<EntryId> page = places.subList(next[0], end);
          next[0] = end;
          return queries
              .storedIn(shard, first.epoch(), first.seq(), page.get(page.size() - 1).seq())
              .map(
                  stored -> {
                    for (EntryId place : page) {
                      if (!stored.contains(place.seq())) {
                        inFlight.put(place, inLog.get(place).entry());
                      }
                    }
                    return false;
                  });
        });
  }

  private Future<Void> judgeEpochs(List<AuditQueries.EpochCount> epochs) {
    if (!judgesLog) {
      judgeStock();
      return Future.succeededFuture();
    }
    Future<Void> chain = judgeOrders();
    Map<Long, Long> inLogHere =
        inFlight.keySet().stream()
            .collect(Collectors.groupingBy(EntryId::epoch, Collectors.counting()));
    for (AuditQueries.EpochCount epoch : epochs) {
      long known = epoch.stored() + inLogHere.getOrDefault(epoch.epoch(), 0L);
      if (known != epoch.given()) {
        chain =
            chain
                .compose(done -> queries.firstGap(shard, epoch))
                .map(
                    gap -> {
                      long missing = afterInFlight(epoch.epoch(), gap);
                      findings.add(
                          Invariants.hasNoGap(shard, epoch.epoch(), epoch.given(), known, missing));
                      return null;
                    });
      }
    }
    return chain.map(
        done -> {
          for (AuditQueries.Letter letter : letters) {
            if (letter.open()) {
              findings.add(
                  Invariants.letterIsOpen(shard, letter.entry().toString(), letter.reason()));
            }
          }
          judgeStock();
          return null;
        });
  }

  /** The first number from here on that is not in the log either. */
  private long afterInFlight(long epoch, long seq) {
    long first = seq;
    while (inFlight.containsKey(new EntryId(epoch, first))) {
      first++;
    }
    return first;
  }

  private Future<Void> judgeOrders() {
    return queries
        .brokenOrders(shard)
        .map(
            broken -> {
              for (AuditQueries.BrokenOrder order : broken) {
                findings.add(
                    Invariants.orderIsWhole(
                        order.win(), order.held(), order.quantity(), order.summed()));
              }
              return null;
            })
        .compose(done -> queries.wrongEnds(shard))
        .map(
            wrong -> {
              for (AuditQueries.EndedOrder order : wrong) {
                findings.add(Invariants.endIsWrong(order.win(), order.held(), order.waits()));
              }
              return null;
            });
  }

  private void judgeStock() {
    for (int i = 0; i < items.size(); i++) {
      findings.add(Invariants.stockIsExplained(factsOf(i)));
      judgeArrivals(i);
    }
  }

  /**
   * Units that the shard had not let in when it was read, long after they were sent. What has
   * passed since the reading does not count: they may have arrived, and wait to be stored.
   */
  private void judgeArrivals(int index) {
    ItemId item = items.get(index);
    long last = reading.items().get(index).map(ReadItems.ShardItem::lastMove).orElse(0L);
    for (AuditQueries.Arrival arrival : arrivals) {
      if (arrival.item().equals(item) && arrival.number() > last) {
        findings.add(
            Invariants.hasArrived(
                shard,
                item,
                arrival.number(),
                arrival.units(),
                arrival.ageMs() - sinceReadMs,
                MAX_TRANSFER_MS));
      }
    }
  }

  private ShardItemFacts factsOf(int index) {
    ItemId item = items.get(index);
    AuditQueries.Sums all =
        sums.getOrDefault(item, AuditQueries.Sums.NONE)
            .plus(unstored.getOrDefault(item, AuditQueries.Sums.NONE))
            .plus(AuditQueries.Sums.ofWins(letterUnits(item), 0));
    // A shard that was never told of an item has no stock key and needs none.
    Long stock =
        reading
            .items()
            .get(index)
            .map(known -> known.stock().orElse(neverHad(all) ? 0L : null))
            .orElse(all.equals(AuditQueries.Sums.NONE) ? 0L : null);
    return new ShardItemFacts(
        shard,
        item,
        all.in(),
        all.out(),
        all.sent(),
        all.received(),
        all.won(),
        all.toStock(),
        all.offGrant(),
        stock);
  }

  private static boolean neverHad(AuditQueries.Sums all) {
    return all.in() == 0 && all.received() == 0 && all.sent() == 0;
  }

  private long letterUnits(ItemId item) {
    return letters.stream()
        .filter(letter -> letter.win() != null && letter.entry().compareTo(point) <= 0)
        .mapToLong(letter -> unitsOf(letter.win(), item))
        .sum();
  }

  private static long unitsOf(LogEntry.Win win, ItemId item) {
    return win.lines().stream()
        .filter(line -> line.item().equals(item))
        .mapToLong(LogEntry.WinLine::quantity)
        .sum();
  }

  /** One pass for all items: the log may be long. */
  private Map<ItemId, AuditQueries.Sums> sumUnstored() {
    Map<ItemId, AuditQueries.Sums> all = new HashMap<>();
    Set<MoveName> comeFromShards = new HashSet<>();
    arrivals.forEach(arrival -> comeFromShards.add(new MoveName(arrival.item(), arrival.number())));
    for (LogEntry entry : inFlight.values()) {
      if (entry == null) {
        continue;
      }
      if (entry.taken().isPresent()) {
        for (LogEntry.WinLine line : entry.taken().get().lines()) {
          add(all, line.item(), AuditQueries.Sums.ofWins(line.quantity(), 0));
        }
      } else if (entry instanceof LogEntry.UnitsIn in) {
        // The log does not say where units come from, the ledger does.
        boolean fromShard = comeFromShards.contains(new MoveName(in.item(), in.move()));
        long received = fromShard ? in.units() : 0;
        add(all, in.item(), AuditQueries.Sums.ofMoves(in.units() - received, 0, received));
      } else if (entry instanceof LogEntry.UnitsOut out) {
        add(all, out.item(), AuditQueries.Sums.ofMoves(0, out.units(), 0));
      } else if (entry instanceof LogEntry.UnitsSent sent) {
        add(all, sent.item(), AuditQueries.Sums.ofSent(sent.units()));
      } else if (entry instanceof LogEntry.Release release) {
        for (LogEntry.ReleasedLine line : release.lines()) {
          long toStock = line.toStock() ? line.units() : 0;
          add(all, line.item(), AuditQueries.Sums.ofReleases(toStock, line.units() - toStock));
        }
      }
    }
    return all;
  }

  /** A move of this shard. */
  private record MoveName(ItemId item, long number) {}

  private static void add(Map<ItemId, AuditQueries.Sums> all, ItemId item, AuditQueries.Sums more) {
    all.merge(item, more, AuditQueries.Sums::plus);
  }

  private List<Part> parts() {
    List<Part> parts = new ArrayList<>(items.size());
    for (int i = 0; i < items.size(); i++) {
      ItemId item = items.get(i);
      long flying = unstored.getOrDefault(item, AuditQueries.Sums.NONE).won();
      parts.add(
          new Part(factsOf(i), flying, sums.getOrDefault(item, AuditQueries.Sums.NONE).wins()));
    }
    return parts;
  }

  private Future<Void> waitlists() {
    Future<Void> chain = Future.succeededFuture();
    for (ItemId item : items) {
      chain = chain.compose(done -> waitlistAudit.run(item, unwritten(item)));
    }
    return chain;
  }

  private Set<UserId> unwritten(ItemId item) {
    return letters.stream()
        .map(AuditQueries.Letter::joined)
        .filter(joined -> joined != null && joined.item().equals(item))
        .map(LogEntry.Joined::user)
        .collect(Collectors.toSet());
  }

  private Future<Void> receipts() {
    Future<Void> chain = Future.succeededFuture();
    for (ItemId item : items) {
      Set<UserId> suspects = new TreeSet<>();
      chain =
          chain
              .compose(done -> fromReceipts(item, suspects))
              .compose(done -> fromOrders(item, suspects))
              .compose(done -> lookAgain(item, suspects));
    }
    return chain;
  }

  /** Every receipt beside its user's orders. */
  private Future<Void> fromReceipts(ItemId item, Set<UserId> suspects) {
    String[] cursor = {"0"};
    return Repeat.untilDone(
        vertx,
        () ->
            send(Request.cmd(Command.HSCAN)
                    .arg(log.keys(at()).receipts(item))
                    .arg(cursor[0])
                    .arg("COUNT")
                    .arg(PAGE))
                .compose(
                    reply -> {
                      cursor[0] = reply.get(0).toString();
                      Map<UserId, Receipt> page = new HashMap<>();
                      Response pairs = reply.get(1);
                      for (int i = 0; i + 1 < pairs.size(); i += 2) {
                        String user = pairs.get(i).toString();
                        if (UserId.isValid(user)) {
                          page.put(new UserId(user), Receipt.parse(pairs.get(i + 1).toString()));
                        } else {
                          findings.add(
                              new Finding(
                                  "I2",
                                  "item " + item + " shard " + shard,
                                  0,
                                  "a receipt belongs to nobody"));
                        }
                      }
                      return compare(item, page, suspects);
                    })
                .map(done -> cursor[0].equals("0")));
  }

  /** Every user with a held order beside his receipt. */
  private Future<Void> fromOrders(ItemId item, Set<UserId> suspects) {
    String[] after = {""};
    return Repeat.untilDone(
        vertx,
        () ->
            queries
                .heldUsers(shard, item, after[0], point)
                .compose(
                    users -> {
                      if (users.isEmpty()) {
                        return Future.succeededFuture(true);
                      }
                      after[0] = users.get(users.size() - 1).value();
                      return receiptsOf(item, users)
                          .map(
                              receipts -> {
                                receipts.forEach(
                                    (user, receipt) -> {
                                      if (receipt.equals(Receipt.NONE)) {
                                        suspects.add(user);
                                      }
                                    });
                                return false;
                              });
                    }));
  }

  private Future<Map<UserId, Receipt>> receiptsOf(ItemId item, Collection<UserId> users) {
    List<UserId> asked = List.copyOf(users);
    Request get = Request.cmd(Command.HMGET).arg(log.keys(at()).receipts(item));
    asked.forEach(user -> get.arg(user.value()));
    return send(get)
        .map(
            reply -> {
              Map<UserId, Receipt> receipts = new HashMap<>();
              for (int i = 0; i < asked.size(); i++) {
                Response text = reply.get(i);
                receipts.put(asked.get(i), Receipt.parse(text == null ? null : text.toString()));
              }
              return receipts;
            });
  }

  private Future<Response> send(Request request) {
    return log.link(at())
        .send(request, log.callTimeoutMs())
        .recover(failure -> unavailable("shard " + shard + " cannot be read"));
  }

  private Future<Void> compare(ItemId item, Map<UserId, Receipt> receipts, Set<UserId> suspects) {
    if (receipts.isEmpty()) {
      return Future.succeededFuture();
    }
    return queries
        .heldOrders(shard, item, receipts.keySet())
        .map(
            orders -> {
              receipts.forEach(
                  (user, receipt) -> {
                    ReceiptFacts facts =
                        facts(item, user, receipt, orders.getOrDefault(user, Map.of()), point);
                    if (!Invariants.receiptAgrees(facts).isEmpty()) {
                      suspects.add(user);
                    }
                  });
              return null;
            });
  }

  /** Leaves out what happened after the place that is judged. */
  private ReceiptFacts facts(
      ItemId item, UserId user, Receipt receipt, Map<EntryId, Long> orders, EntryId upTo) {
    Map<EntryId, Long> held = new HashMap<>(receipt.held());
    long later =
        held.entrySet().stream()
            .filter(record -> record.getKey().compareTo(upTo) > 0)
            .mapToLong(Map.Entry::getValue)
            .sum();
    held.keySet().removeIf(place -> place.compareTo(upTo) > 0);
    Map<EntryId, Long> ordered = new HashMap<>(orders);
    ordered.keySet().removeIf(place -> place.compareTo(upTo) > 0);
    Set<EntryId> excused = new HashSet<>(held.keySet());
    excused.removeIf(place -> !inFlight.containsKey(place) && !dead.contains(place));
    return new ReceiptFacts(shard, item, user, receipt.units() - later, held, ordered, excused);
  }

  /** All of them, until a report is full of findings. */
  private Future<Void> lookAgain(ItemId item, Set<UserId> suspects) {
    List<UserId> list = List.copyOf(suspects);
    int[] next = {0};
    return Repeat.untilDone(
        vertx,
        () -> {
          if (next[0] >= list.size() || findings.isFull()) {
            return Future.succeededFuture(true);
          }
          int end = Math.min(list.size(), next[0] + SUSPECTS_AT_ONCE);
          List<UserId> some = list.subList(next[0], end);
          next[0] = end;
          return lookAt(item, some, 1).map(false);
        });
  }

  /**
   * Reads receipts, then waits until all that they can know of is stored, then reads the orders.
   * What the consumer has not stored in time is read from the log. What differs now, look after
   * look, is really different.
   */
  private Future<Void> lookAt(ItemId item, List<UserId> users, int look) {
    return receiptsOf(item, users)
        .compose(
            receipts ->
                ReadHead.run(log.link(at()), log.keys(at()), log.callTimeoutMs())
                    .recover(failure -> unavailable("shard " + shard + " cannot be read"))
                    .compose(
                        head -> {
                          EntryId now =
                              head.map(it -> new EntryId(it.epoch(), it.seq())).orElse(point);
                          EntryId upTo = now.compareTo(point) < 0 ? point : now;
                          return awaitStored(upTo, Math.max(deadlineMs, nowMs() + POLL_MS))
                              .compose(
                                  stored ->
                                      stored
                                          ? Future.succeededFuture(Set.<EntryId>of())
                                          : releasedInLog(upTo))
                              .compose(released -> judge(item, receipts, upTo, released));
                        }))
        .compose(
            wrong -> {
              if (wrong.isEmpty()) {
                return Future.succeededFuture();
              }
              if (look < MAX_LOOKS) {
                return vertx
                    .timer(POLL_MS)
                    .compose(done -> lookAt(item, List.copyOf(wrong.keySet()), look + 1));
              }
              wrong.values().forEach(found -> found.forEach(findings::add));
              return Future.succeededFuture();
            });
  }

  /**
   * Wins whose release is in the log up to a place, stored or not: their orders may say "held"
   * after their receipts have given the units back.
   */
  private Future<Set<EntryId>> releasedInLog(EntryId upTo) {
    Set<EntryId> released = new HashSet<>();
    return eachInLog(
            upTo,
            change -> {
              if (change.entry() instanceof LogEntry.Release release) {
                released.add(release.win());
              }
            })
        .map(released);
  }

  /** The findings of each user whose receipt and orders differ. */
  private Future<Map<UserId, List<Finding>>> judge(
      ItemId item, Map<UserId, Receipt> receipts, EntryId upTo, Set<EntryId> released) {
    Map<UserId, List<Finding>> wrong = new TreeMap<>();
    return queries
        .heldOrders(shard, item, receipts.keySet())
        .compose(
            orders -> {
              Future<Void> chain = Future.succeededFuture();
              for (Map.Entry<UserId, Receipt> receipt : receipts.entrySet()) {
                UserId user = receipt.getKey();
                Map<EntryId, Long> held = new HashMap<>(orders.getOrDefault(user, Map.of()));
                held.keySet()
                    .removeIf(
                        win ->
                            released.contains(win) && !receipt.getValue().held().containsKey(win));
                ReceiptFacts facts = facts(item, user, receipt.getValue(), held, upTo);
                if (!Invariants.receiptAgrees(facts).isEmpty()) {
                  chain =
                      chain
                          .compose(done -> excuse(facts))
                          .map(
                              excused -> {
                                List<Finding> found = Invariants.receiptAgrees(excused);
                                if (!found.isEmpty()) {
                                  wrong.put(user, found);
                                }
                                return null;
                              });
                }
              }
              return chain.map(wrong);
            });
  }

  /** Wins without an order that are still in the log are only late. */
  private Future<ReceiptFacts> excuse(ReceiptFacts facts) {
    List<EntryId> missing =
        facts.receiptHeld().keySet().stream()
            .filter(place -> !facts.orderHeld().containsKey(place))
            .toList();
    Set<EntryId> excused = new HashSet<>(facts.excused());
    Future<Void> chain = Future.succeededFuture();
    for (EntryId place : missing) {
      chain =
          chain
              .compose(done -> queries.isStored(shard, place))
              .compose(
                  stored ->
                      stored
                          ? Future.succeededFuture(Optional.<Received>empty())
                          : log.reader(at()).find(log.link(at()), place, log.callTimeoutMs()))
              .map(
                  found -> {
                    found.ifPresent(late -> excused.add(place));
                    return null;
                  });
    }
    return chain.map(
        done ->
            new ReceiptFacts(
                facts.shard(),
                facts.item(),
                facts.user(),
                facts.receiptUnits(),
                facts.receiptHeld(),
                facts.orderHeld(),
                excused));
  }

  private static long nowMs() {
    return System.nanoTime() / 1_000_000;
  }
}
