package io.seckill.launcher.load;

import io.seckill.common.id.ItemId;
import io.seckill.common.id.OrderId;
import io.seckill.common.order.OrderStatus;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetClient;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads orders back as their buyers would, one by one over HTTP. A refusal for now is followed a
 * bounded number of times.
 *
 * <p>A verticle that does its work once; use {@link #readAll}.
 */
public final class OrderReader extends VerticleBase {

  private static final int MAX_TRIES = 20;
  private static final int MAX_SAMPLES = 10;
  private static final long WAIT_MS = 1_000;

  private final CrowdPeople people;
  private final CrowdRules rules;
  private final ArrayDeque<LookUp> waiting = new ArrayDeque<>();
  private final Map<OrderId, StoredOrder> found = new HashMap<>();
  private final List<String> samples = new ArrayList<>();
  private final Promise<StoredOrders> end = Promise.promise();
  private LoadLane lane;
  private long errors;
  private int open;

  private OrderReader(CrowdPeople people, CrowdRules rules, List<AnsweredWin> wins) {
    this.people = people;
    this.rules = rules;
    wins.forEach(win -> waiting.add(new LookUp(win)));
    open = waiting.size();
  }

  /**
   * Looks for every win.
   *
   * @param vertx made with {@link LoadOptions#vertx}
   * @param people the buyers
   * @param rules where, over how many connections, and for how long at most
   * @param wins what they were told
   * @return what they found; look-ups without an answer at the end count as errors
   */
  public static Future<StoredOrders> readAll(
      Vertx vertx, CrowdPeople people, CrowdRules rules, List<AnsweredWin> wins) {
    OrderReader reader = new OrderReader(people, rules, wins);
    return vertx
        .deployVerticle(reader)
        .compose(id -> reader.end.future().eventually(() -> vertx.undeploy(id)));
  }

  @Override
  public Future<?> start() {
    NetClient client = vertx.createNetClient(LoadOptions.sockets());
    lane = new LoadLane(vertx, client, rules.server(), waiting::poll);
    return lane.open(rules.connections()).onSuccess(opened -> run());
  }

  @Override
  public Future<?> stop() {
    return lane.close();
  }

  private void run() {
    vertx.setTimer(rules.endAfter().toMillis(), id -> finish());
    if (open == 0) {
      finish();
    } else {
      lane.start();
    }
  }

  private void finish() {
    end.tryComplete(new StoredOrders(found, errors + open, samples));
  }

  private final class LookUp implements LoadRequest {

    private final AnsweredWin win;
    private int tries;

    LookUp(AnsweredWin win) {
      this.win = win;
    }

    @Override
    public Buffer render() {
      return Buffer.buffer()
          .appendString("GET /api/v1/orders/" + win.orderId() + " HTTP/1.1\r\nHost: ")
          .appendString(rules.server().host() + ":" + rules.server().port() + "\r\n")
          .appendBytes(people.headersOf(win.buyer()))
          .appendString("\r\n");
    }

    @Override
    public void answered(HttpAnswer answer, long sentNs, long nowNs) {
      switch (answer.status()) {
        case 200 -> {
          read(answer.body());
          done();
        }
        case 404 -> done();
        case 429, 503 -> again(answer.status() + " " + answer.body(), answer.retryAfterMs());
        default -> {
          error(answer.status() + " " + answer.body());
          done();
        }
      }
    }

    @Override
    public void broken(String why) {
      again(why, 0);
    }

    private void read(Buffer body) {
      try {
        JsonObject order = body.toJsonObject();
        OrderStatus status = OrderStatus.valueOf(order.getString("status", ""));
        if (!win.orderId().value().equals(order.getString("orderId"))) {
          error("another order: " + body);
          return;
        }
        found.put(win.orderId(), withLine(status, order));
      } catch (DecodeException
          | ClassCastException
          | IllegalArgumentException
          | NullPointerException e) {
        error("no order: " + body);
      }
    }

    private StoredOrder withLine(OrderStatus status, JsonObject order) {
      if (order.getJsonArray("lines") == null || order.getJsonArray("lines").size() != 1) {
        return new StoredOrder(win.orderId(), status, null, 0);
      }
      JsonObject line = order.getJsonArray("lines").getJsonObject(0);
      return new StoredOrder(
          win.orderId(),
          status,
          ItemId.parse(line.getString("itemId")),
          line.getInteger("quantity"));
    }

    private void again(String why, long retryAfterMs) {
      if (++tries == MAX_TRIES) {
        error(why);
        done();
        return;
      }
      vertx.setTimer(
          Math.max(1, Math.min(retryAfterMs, WAIT_MS)),
          id -> {
            waiting.add(this);
            lane.wake();
          });
    }

    private void error(String what) {
      errors++;
      if (samples.size() < MAX_SAMPLES) {
        samples.add("reading order " + win.orderId() + ": " + what);
      }
    }

    private void done() {
      open--;
      if (open == 0) {
        finish();
      }
    }
  }
}
