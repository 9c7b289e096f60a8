package io.seckill.engine.sim;

import io.seckill.common.id.EntryId;
import io.seckill.common.item.ItemState;
import io.seckill.common.item.Move;
import io.seckill.engine.sim.SimLedger.WinName;
import io.seckill.engine.sim.SimRedis.Fence;
import io.seckill.engine.sim.SimRedis.HeadState;
import io.seckill.engine.sim.SimRedis.Reply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * One random history: nodes, consumers and operators who may stall or die between any two steps,
 * servers that lose what they held, and the promises, looked at after every step.
 */
final class SimWorld {

  private static final int USERS_PER_SHARD = 4;
  private static final int LIMIT = 3;

  /** Far above what healing takes; beyond it a shard is stuck. */
  private static final int MAX_ROUNDS = 200;

  private final Random random;
  private final Set<Guard> guards;
  private final SimLedger ledger;
  private final SimRedis[] masters;
  private final List<SimRedis> isolated = new ArrayList<>();
  private final Node[] nodes;
  private final List<Task> tasks = new ArrayList<>();
  private final Map<WinName, SimEntry.Win> told = new HashMap<>();
  private long nextRunId = 1;
  private int faultsLeft;
  private boolean healing;

  /** What goes on step by step, and may stop anywhere. */
  private interface Task {
    /** Takes one step; true when there is none left. */
    boolean step();
  }

  /** A connection; it ends when its server does. */
  private record Link(SimRedis server, long runId) {
    boolean isUp() {
      return server.alive && server.runId == runId;
    }
  }

  /** An engine's view of the shards. */
  private static final class Node {
    final Link[] links;
    final long[] epochs;

    Node(int shards) {
      links = new Link[shards];
      epochs = new long[shards];
    }

    boolean isUp(int shard) {
      return links[shard] != null && links[shard].isUp();
    }

    boolean canCall(int shard) {
      return isUp(shard) && epochs[shard] > 0;
    }

    SimRedis server(int shard) {
      return links[shard].server();
    }

    Fence fence(int shard) {
      return new Fence(epochs[shard], links[shard].runId());
    }

    /** Learns from a refusal by the fence. */
    Reply hear(int shard, Reply reply) {
      if (reply.is("FENCED") || reply.is("FROZEN") || reply.is("LOST")) {
        epochs[shard] = 0;
      }
      return reply;
    }
  }

  SimWorld(Random random, Set<Guard> guards) {
    this.random = random;
    this.guards = guards;
    int shards = 1 + random.nextInt(3);
    ledger = new SimLedger(guards, LIMIT, shards);
    masters = new SimRedis[shards];
    for (int shard = 0; shard < shards; shard++) {
      masters[shard] = new SimRedis(shard, guards, nextRunId++, new SimRedis.Data());
      ledger.bringIn(shard, Move.Kind.PREHEAT, 1 + random.nextInt(6));
    }
    nodes = new Node[1 + random.nextInt(3)];
    for (int i = 0; i < nodes.length; i++) {
      nodes[i] = new Node(shards);
    }
    faultsLeft = random.nextInt(6);
  }

  /** Lives through a history and its end. */
  void run(int steps) {
    for (int i = 0; i < steps; i++) {
      step();
      check();
    }
    heal();
    sellOut();
    checkEnd();
  }

  private void step() {
    int roll = random.nextInt(100);
    if (roll < 16) {
      buy(anyNode(), anyShard());
    } else if (roll < 22) {
      wait(anyNode(), anyShard());
    } else if (roll < 34) {
      read();
    } else if (roll < 60) {
      stepTask();
    } else if (roll < 72) {
      refresh(anyNode(), anyShard());
    } else if (roll < 82) {
      reconcile(anyNode(), anyShard());
    } else if (roll < 88) {
      transfer();
    } else if (roll < 91) {
      cancel();
    } else if (roll < 95) {
      release(anyNode());
    } else if (roll < 97) {
      change();
    } else {
      fault();
    }
  }

  private Node anyNode() {
    return nodes[random.nextInt(nodes.length)];
  }

  private int anyShard() {
    return random.nextInt(masters.length);
  }

  private void stepTask() {
    if (!tasks.isEmpty()) {
      Task task = tasks.get(random.nextInt(tasks.size()));
      if (task.step()) {
        tasks.remove(task);
      }
    }
  }

  // What buyers, operators and nodes do.

  private void buy(Node node, int shard) {
    int user = shard * 1_000 + 1 + random.nextInt(USERS_PER_SHARD);
    buy(node, shard, user, random.nextInt(3), 1 + random.nextInt(2), random.nextInt(10) > 0);
  }

  /** Somebody joins the line, or leaves it. */
  private void wait(Node node, int shard) {
    int user = shard * 1_000 + 1 + random.nextInt(USERS_PER_SHARD);
    if (node.canCall(shard)) {
      SimRedis server = node.server(shard);
      Fence fence = node.fence(shard);
      node.hear(
          shard,
          random.nextInt(5) > 0 ? server.join(fence, user, LIMIT) : server.leave(fence, user));
    }
  }

  private void promote(Node node, int shard) {
    if (node.canCall(shard) && guards.contains(Guard.PROMOTE_LATER)) {
      node.hear(shard, node.server(shard).promote(node.fence(shard), LIMIT));
    }
  }

  /** With a lost reply the buyer is told nothing. */
  private Reply buy(Node node, int shard, int user, int key, int units, boolean heard) {
    if (!node.canCall(shard)) {
      return Reply.of("DOWN");
    }
    Reply reply =
        node.hear(shard, node.server(shard).decide(node.fence(shard), user, key, units, LIMIT));
    if (reply.entry() != null && heard) {
      SimEntry.Win win = new SimEntry.Win(reply.entry(), user, key, units);
      SimEntry.Win before = told.put(new WinName(shard, reply.entry()), win);
      if (before != null && !before.equals(win)) {
        throw new Violation("I3: one name for two wins: " + before + " and " + win);
      }
    }
    return reply;
  }

  private void cancel() {
    List<WinName> held = new ArrayList<>();
    ledger.orders.forEach(
        (name, order) -> {
          if (order.held > 0) {
            held.add(name);
          }
        });
    if (!held.isEmpty()) {
      ledger.outbox.add(held.get(random.nextInt(held.size())));
    }
  }

  private void release(Node node) {
    if (!ledger.outbox.isEmpty()) {
      List<WinName> waiting = List.copyOf(ledger.outbox);
      release(node, waiting.get(random.nextInt(waiting.size())));
    }
  }

  private void release(Node node, WinName win) {
    if (node.canCall(win.shard())) {
      int user = ledger.orders.get(win).user;
      node.hear(
          win.shard(),
          node.server(win.shard()).release(node.fence(win.shard()), user, win.place(), LIMIT));
    }
  }

  private void change() {
    if (ledger.state == ItemState.ENDED) {
      return;
    }
    int shard = anyShard();
    switch (random.nextInt(8)) {
      case 0 -> {
        ledger.state = ItemState.ENDED;
        ledger.generation++;
      }
      case 1, 2, 3 -> ledger.shards[shard].addMove(Move.Kind.WITHDRAW, 1 + random.nextInt(3));
      default -> ledger.bringIn(shard, Move.Kind.RESTOCK, 1 + random.nextInt(4));
    }
  }

  /** Brings a shard to the ledger, as far as it gets. */
  private void reconcile(Node node, int shard) {
    if (!node.canCall(shard)) {
      return;
    }
    SimRedis server = node.server(shard);
    node.hear(shard, server.putItem(node.fence(shard), 1, ItemState.PREPARED));
    for (Map.Entry<Long, SimLedger.MoveRow> row : ledger.shards[shard].moves.entrySet()) {
      SimLedger.MoveRow move = row.getValue();
      if (move.applied) {
        continue;
      }
      if (random.nextInt(8) == 0) {
        return;
      }
      Reply reply = node.hear(shard, apply(server, node.fence(shard), row.getKey(), move));
      if (!reply.is("OK") && !reply.is("ALREADY")) {
        return;
      }
    }
    node.hear(shard, server.putItem(node.fence(shard), ledger.generation, ledger.state));
    promote(node, shard);
  }

  private static Reply apply(SimRedis server, Fence fence, long number, SimLedger.MoveRow move) {
    return move.kind.isIn()
        ? server.applyMove(fence, number, move.units, move.kind == Move.Kind.TRANSFER, LIMIT)
        : server.takeUnits(fence, number, move.units);
  }

  private void transfer() {
    int from = anyShard();
    int to = anyShard();
    Node node = anyNode();
    if (from == to || !node.canCall(from)) {
      return;
    }
    int wanted = 1 + random.nextInt(3);
    Reply sent = node.hear(from, node.server(from).sendUnits(node.fence(from), wanted, to));
    if (sent.is("OK")) {
      tasks.add(new TransferTask(node, from, new SimEntry.Send(sent.entry(), sent.number(), to)));
    }
  }

  /** Units have left one shard: the ledger has to hear of it, then the other shard. */
  private final class TransferTask implements Task {
    private final Node node;
    private final int from;
    private final SimEntry.Send send;
    private SimLedger.Transfer stored;

    TransferTask(Node node, int from, SimEntry.Send send) {
      this.node = node;
      this.from = from;
      this.send = send;
    }

    @Override
    public boolean step() {
      if (stored == null) {
        stored = ledger.storeTransfer(from, send);
        return stored == null;
      }
      int to = send.toShard();
      if (node.canCall(to)) {
        node.hear(
            to,
            node.server(to).applyMove(node.fence(to), stored.move(), stored.units(), true, LIMIT));
      }
      return true;
    }
  }

  // Consumers.

  private void read() {
    SimRedis server = masters[anyShard()];
    if (!isolated.isEmpty() && random.nextInt(4) == 0) {
      server = isolated.get(random.nextInt(isolated.size()));
    }
    if (!server.alive) {
      return;
    }
    List<SimEntry> log = server.data.log;
    int first = firstNotStored(server);
    if (random.nextInt(8) == 0 && !log.isEmpty()) {
      first = random.nextInt(log.size());
    }
    int last = Math.min(log.size(), first + 1 + random.nextInt(5));
    if (first < last) {
      tasks.add(new StoreTask(server.shard, List.copyOf(log.subList(first, last))));
    }
  }

  private int firstNotStored(SimRedis server) {
    int first = 0;
    for (SimEntry entry : server.data.log) {
      if (!ledger.shards[server.shard].stored.containsKey(entry.id())) {
        break;
      }
      first++;
    }
    return first;
  }

  /** A batch in a consumer's hands. */
  private final class StoreTask implements Task {
    private final int shard;
    private final List<SimEntry> batch;
    private int next;

    StoreTask(int shard, List<SimEntry> batch) {
      this.shard = shard;
      this.batch = batch;
    }

    @Override
    public boolean step() {
      return !ledger.store(shard, batch.get(next++)) || next == batch.size();
    }
  }

  // Opening.

  private void refresh(Node node, int shard) {
    if (!node.isUp(shard)) {
      SimRedis master = masters[shard];
      node.links[shard] = new Link(master, master.runId);
      if (random.nextInt(3) == 0) {
        return; // Calls may go out before the head is looked at.
      }
    }
    Link link = node.links[shard];
    SimRedis.Data head = link.server().data;
    boolean open =
        guards.contains(Guard.FENCE_ON_RUN_ID)
            ? head.isOpenOn(link.runId())
            : head.headFound && head.state == HeadState.OPEN;
    if (open) {
      node.epochs[shard] = head.epoch;
      if (!guards.contains(Guard.CONFIRM) || ledger.open(shard, head.epoch)) {
        return;
      }
      node.epochs[shard] = 0;
    }
    boolean another =
        head.headFound && head.state == HeadState.REPAIRING && head.runId == link.runId();
    if (!another || (healing ? !isBeingOpened(shard) : random.nextInt(3) == 0)) {
      tasks.add(new OpenTask(node, shard, link));
    }
  }

  /** With faults over, nobody takes an opening for dead that goes on. */
  private boolean isBeingOpened(int shard) {
    return tasks.stream().anyMatch(task -> task instanceof OpenTask open && open.shard == shard);
  }

  private enum Step {
    CLAIM,
    FREEZE,
    CLOSE,
    SNAPSHOT,
    ITEM,
    RECEIPTS,
    LINE,
    OPEN,
    TELL
  }

  /** The one way to open a shard, as ShardOpener and ShardRebuilder go it. */
  private final class OpenTask implements Task {
    private final Node node;
    private final int shard;
    private final Link link;
    private Step next = Step.CLAIM;
    private Fence fence;
    private SimRedis.Frozen frozen;
    private SimLedger.ItemInShard item;
    private int afterUser;

    OpenTask(Node node, int shard, Link link) {
      this.node = node;
      this.shard = shard;
      this.link = link;
    }

    @Override
    public boolean step() {
      if (!link.isUp()) {
        return true;
      }
      SimRedis server = link.server();
      switch (next) {
        case CLAIM -> {
          fence = new Fence(ledger.claim(shard, server.data.epoch), link.runId());
          next = Step.FREEZE;
        }
        case FREEZE -> {
          frozen = server.freeze(fence);
          next = Step.CLOSE;
          return frozen == null;
        }
        case CLOSE -> {
          SimLedger.Closed closed =
              ledger.close(shard, fence.epoch(), frozen.lastEpoch(), frozen.lastSeq());
          if (closed == null) {
            return true;
          }
          next = isWhole(closed, server.data) ? Step.OPEN : Step.SNAPSHOT;
        }
        case SNAPSHOT -> {
          boolean wait = guards.contains(Guard.WAIT_FOR_STORED);
          if (!wait || ledger.missing(shard, frozen.lastEpoch()) == 0) {
            item = ledger.snapshot(shard);
            next = Step.ITEM;
          }
        }
        case ITEM -> {
          next = item == null ? Step.OPEN : Step.RECEIPTS;
          return !(item == null ? server.forgetItem(fence) : server.restoreItem(fence, item))
              .is("OK");
        }
        case RECEIPTS -> {
          Map<Integer, List<SimRedis.Held>> page = ledger.receipts(shard, afterUser, 2);
          if (page.isEmpty()) {
            next = guards.contains(Guard.LINE_IN_REPAIR) ? Step.LINE : Step.OPEN;
            return false;
          }
          afterUser = page.keySet().stream().max(Integer::compare).orElseThrow();
          return !server.restoreReceipts(fence, page).is("OK");
        }
        case LINE -> {
          next = Step.OPEN;
          return !server.restoreLine(fence, ledger.shards[shard].line).is("OK");
        }
        case OPEN -> {
          next = Step.TELL;
          return !server.open(fence).is("OK");
        }
        case TELL -> {
          if (ledger.open(shard, fence.epoch()) && link.equals(node.links[shard])) {
            node.epochs[shard] = fence.epoch();
          }
          return true;
        }
      }
      return false;
    }

    private boolean isWhole(SimLedger.Closed closed, SimRedis.Data data) {
      boolean forgot = closed.forgot() || (!frozen.headFound() && closed.everStored());
      boolean hasItsKeys =
          data.item == null || data.stock != null || data.item == ItemState.PREPARED;
      return !forgot && !closed.surplus() && !frozen.damaged() && hasItsKeys;
    }
  }

  // Faults.

  private void fault() {
    if (faultsLeft == 0) {
      return;
    }
    faultsLeft--;
    int shard = anyShard();
    SimRedis master = masters[shard];
    switch (random.nextInt(9)) {
      case 0 -> master.restart(new SimRedis.Data(), nextRunId++);
      case 1, 2 -> master.restart(master.ago(random.nextInt(9)), nextRunId++);
      case 3, 4 -> promote(master, random.nextInt(9));
      case 5 -> comeBack();
      case 6 -> master.data.stock = null;
      case 7 -> die(random.nextInt(nodes.length));
      default -> tasks.removeIf(task -> random.nextBoolean());
    }
  }

  /** A replica without the latest writes takes over; the old master ends, or goes on alone. */
  private void promote(SimRedis master, int lostWrites) {
    masters[master.shard] = new SimRedis(master.shard, guards, nextRunId++, master.ago(lostWrites));
    leave(master);
  }

  private void leave(SimRedis master) {
    if (random.nextBoolean()) {
      master.alive = false;
    } else {
      isolated.add(master);
    }
  }

  /** An old master leads again with what it holds, under the name it had or a new one. */
  private void comeBack() {
    if (!isolated.isEmpty()) {
      SimRedis old = isolated.remove(random.nextInt(isolated.size()));
      if (random.nextBoolean()) {
        old.restart(old.data, nextRunId++);
      }
      SimRedis present = masters[old.shard];
      masters[old.shard] = old;
      leave(present);
    }
  }

  private void die(int node) {
    nodes[node] = new Node(masters.length);
    tasks.removeIf(task -> random.nextInt(4) == 0 || (isOfANode(task) && random.nextBoolean()));
  }

  private static boolean isOfANode(Task task) {
    return task instanceof OpenTask || task instanceof TransferTask;
  }

  // The promises.

  private void check() {
    for (int shard = 0; shard < masters.length; shard++) {
      check(masters[shard]);
    }
    for (SimRedis server : isolated) {
      check(server);
    }
  }

  /** A shard that may sell holds exactly what its log and the ledger say together. */
  private void check(SimRedis server) {
    SimLedger.Shard row = ledger.shards[server.shard];
    SimRedis.Data data = server.data;
    if (!server.alive || !data.isOpenOn(server.runId) || data.epoch != row.epoch) {
      return;
    }
    Sums sums = new Sums();
    row.stored.values().stream()
        .filter(SimLedger.Stored::effective)
        .forEach(stored -> sums.add(stored.entry()));
    for (SimEntry entry : data.log) {
      EntryId place = entry.id();
      boolean counts = place.epoch() == data.epoch || place.seq() <= row.endOf(place.epoch());
      if (counts && !row.stored.containsKey(place)) {
        sums.add(entry);
      }
    }
    row.transfers.forEach((place, transfer) -> sums.sends.put(place, transfer.units()));
    long sent = sums.sends.values().stream().mapToLong(Long::longValue).sum();
    long stock = sums.granted + sums.received - sent - sums.held;
    if (data.item == null) {
      if (stock != 0 || sums.held != 0 || sent != 0) {
        throw new Violation("I1: shard " + server.shard + " opened without its item");
      }
      return;
    }
    if (data.stock != null ? data.stock != stock : stock != 0 && data.item != ItemState.PREPARED) {
      if (data.stock != null) {
        throw new Violation(
            "I1: shard " + server.shard + " has " + data.stock + " units, " + stock + " are right");
      }
      return; // A key was lost: the next call finds it.
    }
    if (data.adds != sums.adds) {
      throw new Violation("shard " + server.shard + " counts its additions wrongly");
    }
    if (!data.line.equals(sums.line)) {
      throw new Violation(
          "shard " + server.shard + " has the line " + data.line + ", right is " + sums.line);
    }
    if (data.granted != sums.granted || data.received != sums.received || data.sent != sent) {
      throw new Violation("I1: shard " + server.shard + " counts its units wrongly");
    }
    Map<EntryId, Integer> receipts = new HashMap<>();
    data.receipts.forEach(
        (user, receipt) ->
            receipt.stream()
                .filter(SimRedis.Held::held)
                .forEach(held -> receipts.put(held.win(), user)));
    if (!receipts.equals(sums.holders)) {
      throw new Violation(
          "I2: shard " + server.shard + " knows " + receipts + ", right is " + sums.holders);
    }
  }

  /** What entries add up to. */
  private static final class Sums {
    private long granted;
    private long received;
    private long held;
    private long adds;
    private final List<Integer> line = new ArrayList<>();
    private final Map<EntryId, Long> sends = new HashMap<>();
    private final Map<EntryId, Integer> holders = new HashMap<>();

    void add(SimEntry entry) {
      if (entry instanceof SimEntry.Win win) {
        held += win.units();
        holders.put(win.id(), win.user());
      } else if (entry instanceof SimEntry.Promo promo) {
        held++;
        adds++;
        line.remove((Integer) promo.user());
        holders.put(promo.id(), promo.user());
      } else if (entry instanceof SimEntry.Join join) {
        line.add(join.user());
      } else if (entry instanceof SimEntry.Leave leave) {
        line.remove((Integer) leave.user());
      } else if (entry instanceof SimEntry.Release release) {
        held -= release.units();
        granted -= release.toStock() ? 0 : release.units();
        adds += release.toStock() ? 1 : 0;
        holders.remove(release.win());
      } else if (entry instanceof SimEntry.In in) {
        received += in.transfer() ? in.units() : 0;
        granted += in.transfer() ? 0 : in.units();
        adds++;
      } else if (entry instanceof SimEntry.Out out) {
        granted -= out.units();
      } else if (entry instanceof SimEntry.Send send) {
        sends.put(send.id(), send.units());
      }
    }
  }

  // The end.

  /** All faults are over: what is left of tasks ends, everybody does his work. */
  private void heal() {
    isolated.forEach(server -> server.alive = false);
    isolated.clear();
    healing = true;
    for (int round = 0; round < MAX_ROUNDS; round++) {
      for (Task task : List.copyOf(tasks)) {
        if (task.step()) {
          tasks.remove(task);
        }
        check();
      }
      for (int shard = 0; shard < masters.length; shard++) {
        for (Node node : nodes) {
          refresh(node, shard);
          reconcile(node, shard);
          // A newcomer, because who only replays never sees that the stock is gone.
          buy(node, shard, shard * 1_000 + 500 + round, 1, 1, true);
          check();
        }
        storeAll(shard);
      }
      List.copyOf(ledger.outbox).forEach(win -> release(anyNode(), win));
      check();
      if (tasks.isEmpty() && isQuiet()) {
        return;
      }
    }
    throw new Violation("I6: it does not heal");
  }

  private void storeAll(int shard) {
    for (SimEntry entry : List.copyOf(masters[shard].data.log)) {
      if (!ledger.store(shard, entry)) {
        return;
      }
    }
  }

  private boolean isQuiet() {
    for (int shard = 0; shard < masters.length; shard++) {
      SimRedis master = masters[shard];
      SimLedger.Shard row = ledger.shards[shard];
      for (Node node : nodes) {
        if (!node.canCall(shard) || node.epochs[shard] != row.epoch) {
          return false;
        }
      }
      boolean behind =
          master.data.generation != ledger.generation
              || firstNotStored(master) < master.data.log.size()
              || row.moves.values().stream().anyMatch(move -> !move.applied);
      if (behind) {
        return false;
      }
    }
    return ledger.outbox.isEmpty();
  }

  /** Enough new buyers come to every shard. */
  private void sellOut() {
    for (int shard = 0; shard < masters.length; shard++) {
      String answer = "WIN";
      for (int buyer = 0; answer.equals("WIN"); buyer++) {
        answer = buy(nodes[0], shard, shard * 1_000 + 100 + buyer, 1, 1, true).status();
        check();
      }
      boolean someWait = !masters[shard].data.line.isEmpty();
      String expected = ledger.state == ItemState.ENDED ? "ENDED" : someWait ? "LINE" : "DRY";
      if (!answer.equals(expected)) {
        throw new Violation("I4: the last buyer of shard " + shard + " is told " + answer);
      }
      storeAll(shard);
    }
  }

  private void checkEnd() {
    long stock = 0;
    for (int shard = 0; shard < masters.length; shard++) {
      stock += masters[shard].data.stock;
      if (firstNotStored(masters[shard]) < masters[shard].data.log.size()) {
        throw new Violation("I3: shard " + shard + " has wins that cannot be stored");
      }
    }
    if (stock + ledger.held != ledger.unitsIn - ledger.unitsOut) {
      throw new Violation("I1: " + stock + " units and " + ledger.held + " held at the end");
    }
    if (stock != 0 && ledger.state == ItemState.OPEN) {
      throw new Violation("I4: " + stock + " units are left");
    }
    told.forEach(this::checkTold);
  }

  private void checkTold(WinName name, SimEntry.Win win) {
    SimLedger.Order order = ledger.orders.get(name);
    if (order == null) {
      SimLedger.Shard row = ledger.shards[name.shard()];
      if (name.place().seq() <= row.endOf(name.place().epoch())) {
        throw new Violation("I3: " + win + " was told and is nowhere");
      }
    } else if (order.user != win.user() || order.key != win.key() || order.units != win.units()) {
      throw new Violation("I3: " + win + " was told and is another's");
    }
  }
}
