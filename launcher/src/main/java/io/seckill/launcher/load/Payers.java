package io.seckill.launcher.load;

import io.seckill.common.order.OrderStatus;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.SocketAddress;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;

/**
 * Those of a crowd who pay what they win, over HTTP as a browser does: begin to pay, press "pay" on
 * the provider's page, and look until the order says that it is paid, or that it is too late. A
 * refusal for now is followed a bounded number of times.
 *
 * <p>A verticle; {@link #open} deploys it, and {@link #close} ends it. The public methods may be
 * called from any thread.
 */
public final class Payers extends VerticleBase {

  /** What the form of the provider's page sends. */
  private static final String PRESS_PAY = "outcome=pay";

  private static final int MAX_TRIES = 300;
  private static final long LOOK_EVERY_MS = 100;
  private static final long MAX_WAIT_MS = 1_000;

  private final CrowdPeople people;
  private final CrowdRules rules;
  private final IntPredicate pays;
  private final ArrayDeque<Payer> atTheShop = new ArrayDeque<>();
  private final ArrayDeque<Payer> atTheProvider = new ArrayDeque<>();
  private final List<String> samples = new ArrayList<>();
  private final AtomicLong open = new AtomicLong();
  private final AtomicLong paidOrders = new AtomicLong();
  private final AtomicLong paidUnits = new AtomicLong();
  private final AtomicLong errors = new AtomicLong();
  private NetClient client;
  private LoadLane shop;

  /** Null until the first redirect has told where the provider is. */
  private LoadLane provider;

  private SocketAddress providerAddress;

  /** Why nobody can pay there; null while they can. */
  private String providerAway;

  private Payers(CrowdPeople people, CrowdRules rules, IntPredicate pays) {
    this.people = people;
    this.rules = rules;
    this.pays = pays;
  }

  /**
   * Lets them wait for wins.
   *
   * @param vertx made with {@link LoadOptions#vertx}
   * @param people the buyers
   * @param rules where, and over how many connections to the shop and to the provider
   * @param pays who of them pays
   */
  public static Future<Payers> open(
      Vertx vertx, CrowdPeople people, CrowdRules rules, IntPredicate pays) {
    Payers payers = new Payers(people, rules, pays);
    return vertx.deployVerticle(payers).map(payers);
  }

  @Override
  public Future<?> start() {
    client = vertx.createNetClient(LoadOptions.sockets());
    shop = new LoadLane(vertx, client, rules.server(), atTheShop::poll);
    return shop.open(rules.connections()).onSuccess(opened -> shop.start());
  }

  @Override
  public Future<?> stop() {
    return provider == null ? shop.close() : Future.join(shop.close(), provider.close());
  }

  /** A buyer has won: pays if he is one who does. */
  public void won(AnsweredWin win) {
    if (pays.test(win.buyer())) {
      open.incrementAndGet();
      context.runOnContext(v -> new Payer(win).goTo(atTheShop, shop, LOOK_EVERY_MS));
    }
  }

  /** Whether a buyer is one who pays. */
  public boolean pays(int buyer) {
    return pays.test(buyer);
  }

  /** Wins whose payment is on its way. */
  public long open() {
    return open.get();
  }

  /** Orders that their buyers have seen paid. */
  public long paidOrders() {
    return paidOrders.get();
  }

  /** Units of those. */
  public long paidUnits() {
    return paidUnits.get();
  }

  /**
   * Ends it.
   *
   * @return what went wrong; payments that are still on their way count as unanswered
   */
  public Future<CrowdErrors> close() {
    return vertx
        .undeploy(context.deploymentID())
        .map(ended -> new CrowdErrors(0, 0, errors.get(), 0, open.get(), samples));
  }

  private void toProvider(Payer payer, URI page) {
    SocketAddress address = SocketAddress.inetSocketAddress(page.getPort(), page.getHost());
    if (provider == null) {
      providerAddress = address;
      provider = new LoadLane(vertx, client, address, atTheProvider::poll);
      provider
          .open(rules.connections())
          .onSuccess(opened -> provider.start())
          .onFailure(e -> giveUp("the provider cannot be reached: " + e.getMessage()));
    }
    if (address.equals(providerAddress)) {
      payer.goTo(atTheProvider, provider, 1);
    } else {
      payer.failed("a second provider: " + page);
    }
  }

  /** Whoever waits at the provider, or comes to it later, has failed: nobody would serve him. */
  private void giveUp(String why) {
    providerAway = why;
    while (!atTheProvider.isEmpty()) {
      atTheProvider.poll().failed(why);
    }
  }

  private void error(String what) {
    errors.incrementAndGet();
    if (samples.size() < CrowdErrors.MAX_SAMPLES) {
      samples.add("paying: " + what);
    }
  }

  /** One order on its way to be paid. */
  private final class Payer implements LoadRequest {

    private final AnsweredWin win;
    private URI page;
    private boolean pressed;
    private int tries;

    Payer(AnsweredWin win) {
      this.win = win;
    }

    void goTo(ArrayDeque<Payer> queue, LoadLane lane, long afterMs) {
      vertx.setTimer(
          afterMs,
          id -> {
            if (queue == atTheProvider && providerAway != null) {
              failed(providerAway);
            } else {
              queue.add(this);
              lane.wake();
            }
          });
    }

    @Override
    public Buffer render() {
      if (page == null) {
        return shopRequest("POST", "/payment", "Content-Length: 0\r\n");
      }
      return pressed
          ? shopRequest("GET", "", "")
          : Buffer.buffer(
              "POST "
                  + page.getRawPath()
                  + " HTTP/1.1\r\nHost: "
                  + page.getRawAuthority()
                  + "\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: "
                  + PRESS_PAY.length()
                  + "\r\n\r\n"
                  + PRESS_PAY);
    }

    private Buffer shopRequest(String method, String rest, String headers) {
      return Buffer.buffer()
          .appendString(method + " /api/v1/orders/" + win.orderId() + rest + " HTTP/1.1\r\nHost: ")
          .appendString(rules.server().host() + ":" + rules.server().port() + "\r\n" + headers)
          .appendBytes(people.headersOf(win.buyer()))
          .appendString("\r\n");
    }

    @Override
    public void answered(HttpAnswer answer, long sentNs, long nowNs) {
      int status = answer.status();
      if (status == 429 || status == 503) {
        again(status + " " + answer.body(), answer.retryAfterMs());
      } else if (page == null && status == 409) {
        done(); // His time ran out before he came to it.
      } else if (page != null && !pressed && status == 303) {
        pressed = true;
        tries = 0;
        goTo(atTheShop, shop, LOOK_EVERY_MS / 10);
      } else if (status == 200 || status == 201) {
        read(answer.body());
      } else {
        failed(status + " " + answer.body());
      }
    }

    @Override
    public void broken(String why) {
      again(why, LOOK_EVERY_MS);
    }

    private void read(Buffer body) {
      try {
        JsonObject told = body.toJsonObject();
        if (page == null) {
          page = URI.create(told.getString("redirectUrl"));
          tries = 0;
          toProvider(this, page);
        } else {
          look(OrderStatus.valueOf(told.getString("status")));
        }
      } catch (DecodeException
          | ClassCastException
          | IllegalArgumentException
          | NullPointerException e) {
        failed("not understood: " + body);
      }
    }

    private void look(OrderStatus status) {
      switch (status) {
        case PENDING_PAYMENT -> again("pressed, but not paid", LOOK_EVERY_MS);
        case PAID -> {
          paidOrders.incrementAndGet();
          paidUnits.addAndGet(win.quantity());
          done();
        }
        case CANCELLED -> done(); // Too late: his money comes back.
        default -> failed("pressed, and then " + status);
      }
    }

    private void again(String why, long waitMs) {
      if (++tries == MAX_TRIES) {
        failed(why);
        return;
      }
      boolean isAtProvider = page != null && !pressed;
      goTo(
          isAtProvider ? atTheProvider : atTheShop,
          isAtProvider ? provider : shop,
          Math.max(1, Math.min(waitMs, MAX_WAIT_MS)));
    }

    private void failed(String why) {
      error("order " + win.orderId() + ": " + why);
      done();
    }

    private void done() {
      open.decrementAndGet();
    }
  }
}
