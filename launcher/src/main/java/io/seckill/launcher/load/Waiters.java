package io.seckill.launcher.load;

import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.OrderId;
import io.seckill.common.order.OrderStatus;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Buyers who went away for lack of units and stand in line for what comes back, over HTTP alone: an
 * own place is looked at now and then, more often the nearer it is; whoever is no longer in line
 * looks for the order that he got. Who is told that units are left buys one instead.
 *
 * <p>A verticle; {@link #open} deploys it, and {@link #close} ends it. The public methods may be
 * called from any thread.
 */
public final class Waiters extends VerticleBase {

  private static final int MAX_TRIES = 300;
  private static final long TRY_EVERY_MS = 100;

  /** How often somebody looks whose turn cannot come soon. */
  private static final long FAR_MS = 10_000;

  private static final long NEAR_MS = 300;
  private static final long MS_PER_PLACE = 5;

  private final CrowdPeople people;
  private final CrowdRules rules;
  private final Line line;
  private final PurchaseText purchases;
  private final Map<Integer, Set<OrderId>> known = new HashMap<>();
  private final ArrayDeque<Waiter> ready = new ArrayDeque<>();
  private final Set<Waiter> asleep = new HashSet<>();
  private final List<AnsweredWin> wins = new ArrayList<>();
  private final List<CrowdRecord.Shortage> stillWanting = new ArrayList<>();
  private final List<String> samples = new ArrayList<>();
  private final AtomicLong open = new AtomicLong();
  private final Promise<Void> allGone = Promise.promise();
  private long joined;
  private long promoted;
  private long errors;
  private boolean ending;
  private LoadLane lane;

  /**
   * What they wait for.
   *
   * @param item of which they want one unit each
   * @param units of it: nobody whose place is beyond them has his turn at the next time-out
   * @param near how often one looks at least whose turn may come then
   */
  public record Line(ItemId item, long units, Duration near) {}

  /**
   * What became of them.
   *
   * @param joined how many stood in line
   * @param promoted orders that they got there
   * @param wins those, and orders that were bought instead
   * @param stillWanting who was in line at the end
   * @param errors what must not be
   */
  public record Outcome(
      long joined,
      long promoted,
      List<AnsweredWin> wins,
      List<CrowdRecord.Shortage> stillWanting,
      CrowdErrors errors) {

    /** Copies the lists. */
    public Outcome {
      wins = List.copyOf(wins);
      stillWanting = List.copyOf(stillWanting);
    }
  }

  private Waiters(CrowdPeople people, CrowdRules rules, Line line) {
    this.people = people;
    this.rules = rules;
    this.line = line;
    this.purchases = new PurchaseText(rules.server(), line.item(), people, 1);
  }

  /**
   * Lets people stand in line.
   *
   * @param vertx made with {@link LoadOptions#vertx}
   * @param people all buyers
   * @param rules where, over how many connections, and who hears of orders that wait for payment
   * @param line what for
   * @param before orders that buyers know of already
   * @param who come: each asks for one unit
   */
  public static Future<Waiters> open(
      Vertx vertx,
      CrowdPeople people,
      CrowdRules rules,
      Line line,
      Collection<AnsweredWin> before,
      Collection<CrowdRecord.Shortage> who) {
    Waiters waiters = new Waiters(people, rules, line);
    before.forEach(
        win -> waiters.known.computeIfAbsent(win.buyer(), b -> new HashSet<>()).add(win.orderId()));
    who.forEach(shortage -> waiters.ready.add(waiters.new Waiter(shortage.buyer())));
    waiters.open.set(who.size());
    return vertx.deployVerticle(waiters).map(waiters);
  }

  @Override
  public Future<?> start() {
    lane =
        new LoadLane(
            vertx, vertx.createNetClient(LoadOptions.sockets()), rules.server(), ready::poll);
    return lane.open(rules.connections()).onSuccess(opened -> lane.start());
  }

  @Override
  public Future<?> stop() {
    return lane.close();
  }

  /** Who is still in line, or on his way into it or out of it. */
  public long open() {
    return open.get();
  }

  /**
   * Nobody waits any longer: everybody looks once more, and leaves the line.
   *
   * @return what became of all; who has no answer within the bound counts as an error
   */
  public Future<Outcome> close(Duration bound) {
    context.runOnContext(
        go -> {
          ending = true;
          List.copyOf(asleep).forEach(Waiter::wake);
          vertx.setTimer(bound.toMillis(), late -> allGone.tryComplete());
          if (open.get() == 0) {
            allGone.tryComplete();
          }
        });
    return allGone
        .future()
        .compose(
            gone -> {
              Outcome outcome =
                  new Outcome(
                      joined,
                      promoted,
                      wins,
                      stillWanting,
                      new CrowdErrors(0, 0, errors, 0, open.get(), samples));
              return vertx.undeploy(context.deploymentID()).map(outcome);
            });
  }

  /** What somebody does next. */
  private enum Step {
    JOIN,
    BUY,
    LOOK,
    FIND_ORDER,
    LEAVE
  }

  /** One buyer. */
  private final class Waiter implements LoadRequest {

    private final int buyer;
    private Step step = Step.JOIN;
    private boolean inLine;
    private int tries;
    private long timer;

    Waiter(int buyer) {
      this.buyer = buyer;
    }

    @Override
    public Buffer render() {
      return switch (step) {
        case JOIN -> onWaitlist("POST", "Content-Length: 0\r\n");
        case LOOK -> onWaitlist("GET", "");
        case LEAVE -> onWaitlist("DELETE", "");
        case FIND_ORDER -> request("GET", "/api/v1/orders", "");
        // One key for all tries: whatever became of them, it is one order.
        case BUY -> purchases.render(buyer, "instead-of-waiting", 1);
      };
    }

    private Buffer onWaitlist(String method, String headers) {
      return request(method, "/api/v1/items/" + line.item() + "/waitlist", headers);
    }

    private Buffer request(String method, String path, String headers) {
      return Buffer.buffer()
          .appendString(method + " " + path + " HTTP/1.1\r\nHost: ")
          .appendString(rules.server().host() + ":" + rules.server().port() + "\r\n" + headers)
          .appendBytes(people.headersOf(buyer))
          .appendString("\r\n");
    }

    @Override
    public void answered(HttpAnswer answer, long sentNs, long nowNs) {
      int status = answer.status();
      if (status == 429 || status == 503) {
        again(status + " " + answer.body(), answer.retryAfterMs());
        return;
      }
      try {
        switch (step) {
          case JOIN, LOOK -> heardOfPlace(status, answer.body());
          case BUY -> bought(status, answer.body());
          case FIND_ORDER -> lookedForOrder(status, answer.body());
          case LEAVE -> left(status, answer.body());
        }
      } catch (DecodeException
          | ClassCastException
          | IllegalArgumentException
          | NullPointerException e) {
        failed("not understood: " + answer.body());
      }
    }

    @Override
    public void broken(String why) {
      again(why, TRY_EVERY_MS);
    }

    private void heardOfPlace(int status, Buffer body) {
      if (status == 200 || status == 201) {
        if (!inLine) {
          inLine = true;
          joined++;
        }
        long place = body.toJsonObject().getLong("place");
        if (ending) {
          next(Step.LEAVE, 1);
        } else {
          next(Step.LOOK, untilNextLook(place));
        }
      } else if (status == 404 && step == Step.LOOK) {
        next(Step.FIND_ORDER, 1);
      } else if (isRefusal(status, body, ErrorCode.NOT_SOLD_OUT)) {
        next(Step.BUY, 1);
      } else if (isRefusal(status, body, ErrorCode.LIMIT_REACHED)) {
        // He got it while nobody told him so: an answer was lost.
        next(Step.FIND_ORDER, 1);
      } else {
        failed(step + ": " + status + " " + body);
      }
    }

    private long untilNextLook(long place) {
      if (place > line.units()) {
        return FAR_MS;
      }
      return Math.max(NEAR_MS, Math.min(place * MS_PER_PLACE, line.near().toMillis()));
    }

    private void bought(int status, Buffer body) {
      if (status == 200 || status == 202) {
        has(new OrderId(body.toJsonObject().getString("orderId")), true);
        gone();
      } else if (isRefusal(status, body, ErrorCode.SOLD_OUT)) {
        next(Step.JOIN, 1);
      } else if (isRefusal(status, body, ErrorCode.LIMIT_REACHED)) {
        next(Step.FIND_ORDER, 1);
      } else {
        failed(status + " " + body);
      }
    }

    /** An order is in the list once it is stored, which may be a moment later. */
    private void lookedForOrder(int status, Buffer body) {
      if (status != 200) {
        failed(status + " " + body);
        return;
      }
      boolean found = false;
      JsonArray orders = body.toJsonObject().getJsonArray("orders");
      for (int i = 0; i < orders.size(); i++) {
        JsonObject order = orders.getJsonObject(i);
        OrderId id = new OrderId(order.getString("orderId"));
        if (isOfThisItem(order) && !isKnown(id)) {
          found = true;
          promoted += order.getBoolean("promoted", false) ? 1 : 0;
          has(id, OrderStatus.valueOf(order.getString("status")) == OrderStatus.PENDING_PAYMENT);
        }
      }
      if (found) {
        gone();
      } else {
        again("neither in line nor has he an order", TRY_EVERY_MS);
      }
    }

    private boolean isOfThisItem(JsonObject order) {
      JsonArray lines = order.getJsonArray("lines", new JsonArray());
      return lines.size() == 1
          && line.item().toString().equals(lines.getJsonObject(0).getString("itemId"));
    }

    private boolean isKnown(OrderId id) {
      return known.getOrDefault(buyer, Set.of()).contains(id);
    }

    private void has(OrderId id, boolean toPay) {
      AnsweredWin win = new AnsweredWin(buyer, 1, id);
      known.computeIfAbsent(buyer, b -> new HashSet<>()).add(id);
      wins.add(win);
      if (toPay) {
        rules.winners().ifPresent((Consumer<AnsweredWin> hears) -> hears.accept(win));
      }
    }

    private void left(int status, Buffer body) {
      if (status == 204) {
        stillWanting.add(new CrowdRecord.Shortage(buyer, 1));
        gone();
      } else {
        failed(status + " " + body);
      }
    }

    private boolean isRefusal(int status, Buffer body, ErrorCode code) {
      return status == code.httpStatus()
          && code.name().equals(body.toJsonObject().getString("code"));
    }

    private void next(Step then, long afterMs) {
      step = then;
      tries = 0;
      sleep(afterMs);
    }

    private void again(String why, long waitMs) {
      if (++tries == MAX_TRIES) {
        failed(step + ": " + why);
      } else {
        sleep(Math.max(1, Math.min(waitMs, LoadOptions.MAX_RETRY_AFTER_MS)));
      }
    }

    private void sleep(long ms) {
      asleep.add(this);
      timer = vertx.setTimer(Math.max(1, ms), id -> wake());
    }

    void wake() {
      if (asleep.remove(this)) {
        vertx.cancelTimer(timer);
        ready.add(this);
        lane.wake();
      }
    }

    private void failed(String why) {
      errors++;
      if (samples.size() < CrowdErrors.MAX_SAMPLES) {
        samples.add("waiting, buyer " + buyer + ": " + why);
      }
      gone();
    }

    private void gone() {
      if (open.decrementAndGet() == 0 && ending) {
        allGone.tryComplete();
      }
    }
  }
}
