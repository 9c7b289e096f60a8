package io.seckill.gateway;

import io.micrometer.core.instrument.MeterRegistry;
import io.seckill.common.bus.DeadLetterChange;
import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.PurchaseSender;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.payment.CallbackSignature;
import io.seckill.common.role.RoleDeployment;
import io.seckill.gateway.admin.AnyOrderEndpoint;
import io.seckill.gateway.admin.AuditEndpoint;
import io.seckill.gateway.admin.ChangeDeadLetterEndpoint;
import io.seckill.gateway.admin.ChangeItemEndpoint;
import io.seckill.gateway.admin.ChangeOrderEndpoint;
import io.seckill.gateway.admin.CreateItemEndpoint;
import io.seckill.gateway.admin.DeadLetterEndpoint;
import io.seckill.gateway.admin.DeadLettersEndpoint;
import io.seckill.gateway.admin.ListItemsEndpoint;
import io.seckill.gateway.admin.NotificationsEndpoint;
import io.seckill.gateway.admin.RetryNotificationEndpoint;
import io.seckill.gateway.admin.SalesEndpoint;
import io.seckill.gateway.admin.SwitchSalesEndpoint;
import io.seckill.gateway.admission.AddressRate;
import io.seckill.gateway.admission.PollRate;
import io.seckill.gateway.admission.PurchaseAdmission;
import io.seckill.gateway.admission.TrustedProxies;
import io.seckill.gateway.api.CancelOrderEndpoint;
import io.seckill.gateway.api.DevSessionEndpoint;
import io.seckill.gateway.api.FileEndpoint;
import io.seckill.gateway.api.ItemEndpoint;
import io.seckill.gateway.api.ItemsEndpoint;
import io.seckill.gateway.api.JoinWaitlistEndpoint;
import io.seckill.gateway.api.LeaveWaitlistEndpoint;
import io.seckill.gateway.api.OrderEndpoint;
import io.seckill.gateway.api.OrdersEndpoint;
import io.seckill.gateway.api.PaymentCallbackEndpoint;
import io.seckill.gateway.api.PlaceEndpoint;
import io.seckill.gateway.api.Polls;
import io.seckill.gateway.api.PurchaseItemEndpoint;
import io.seckill.gateway.api.PurchaseLinesEndpoint;
import io.seckill.gateway.api.Purchases;
import io.seckill.gateway.api.StartPaymentEndpoint;
import io.seckill.gateway.api.Waitlist;
import io.seckill.gateway.board.BoardStore;
import io.seckill.gateway.board.BoardVerticle;
import io.seckill.gateway.events.EventClocks;
import io.seckill.gateway.events.EventDesk;
import io.seckill.gateway.events.EventVerticle;
import io.seckill.gateway.events.EventsEndpoint;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Guards;
import io.seckill.gateway.http.HttpLimits;
import io.seckill.gateway.http.HttpVerticle;
import io.seckill.gateway.token.TokenKeys;
import io.seckill.gateway.token.TokenSigner;
import io.seckill.gateway.token.TokenVerifier;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.EventBus;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The composition root of the gateway: makes everything that its verticles share, and gives the
 * verticles. One for each process.
 */
public final class GatewayRole {

  /** All public instances name this, so that they share one free port. */
  private static final int SHARED_FREE_PORT = -8_080;

  /** Operators are few. */
  private static final int MAX_ADMIN_CONNECTIONS = 256;

  /** How much longer than the budget a purchase waits, so that the engine's own "no" arrives. */
  private static final long ANSWER_GRACE_MS = 250;

  /** How much longer than a purchase an orderly stop waits for requests in flight. */
  private static final long SHUTDOWN_GRACE_MS = 1_000;

  private final SeckillConfig config;
  private final LongSupplier nanoTime = System::nanoTime;
  private final LongSupplier epochMs = System::currentTimeMillis;
  private final BoardStore board = new BoardStore(nanoTime);
  private final List<Endpoint> files = new ArrayList<>();
  private final TokenSigner signer;
  private final TokenVerifier verifier;
  private final TrustedProxies proxies;
  private final PurchaseAdmission admission;
  private final GatewayMetrics metrics;
  private final Polls polls;
  private final EventDesk desk;
  private final Promise<Integer> publicPort = Promise.promise();
  private final Promise<Integer> adminPort = Promise.promise();

  /**
   * Checks what the configuration alone cannot and makes what is shared. Reads the files that are
   * served from the class path, so it is not for an event loop.
   *
   * @param config the configuration
   * @param registry where meters live
   * @throws IllegalArgumentException naming the key and what to do: a missing or short secret, one
   *     port for two servers, a trusted proxy or an origin that is none
   */
  public GatewayRole(SeckillConfig config, MeterRegistry registry) {
    this.config = config;
    checkPorts();
    signer = new TokenSigner(config.jwt(), epochMs);
    verifier = new TokenVerifier(config.jwt(), TokenKeys.hs256(config.jwt().secret()), epochMs);
    proxies = new TrustedProxies(config.gateway().trustedProxies());
    admission = new PurchaseAdmission(board, config.admission(), nanoTime);
    files.add(FileEndpoint.openApi());
    files.addAll(FileEndpoint.storefront());
    metrics = new GatewayMetrics(registry, routes());
    polls = new Polls(new PollRate(config.admission(), nanoTime), metrics);
    desk = new EventDesk(config.gateway().maxEventStreams(), metrics, nanoTime);
    metrics.watchInFlight(admission::inFlight);
    metrics.watchBoardAge(() -> board.isKnown() ? board.ageMs() / 1_000.0 : Double.NaN);
  }

  /** The verticles, in the order in which they are to be deployed. */
  public List<RoleDeployment> deployments() {
    Guards publicGuards = guards(config.gateway().corsOrigins());
    Guards adminGuards = guards(List.of());
    return List.of(
        new RoleDeployment(
            "gateway-board", () -> new BoardVerticle(board, region()), new DeploymentOptions()),
        new RoleDeployment("gateway-events", this::eventVerticle, new DeploymentOptions()),
        new RoleDeployment(
            "gateway-admin", () -> adminVerticle(adminGuards), new DeploymentOptions()),
        new RoleDeployment(
            "gateway-public",
            () -> publicVerticle(publicGuards),
            new DeploymentOptions().setInstances(instances())));
  }

  /** The ports, as soon as all servers listen. */
  public Future<GatewayPorts> ports() {
    return publicPort
        .future()
        .compose(open -> adminPort.future().map(admin -> new GatewayPorts(open, admin)));
  }

  /** Whether buyers can be served: the ports are open and a board has come. Any thread. */
  public boolean isReady() {
    return publicPort.future().isComplete() && board.isKnown();
  }

  /** The endpoints of the public port, for one event loop. */
  List<Endpoint> publicEndpoints(EventBus bus, PurchaseSender engine) {
    Purchases purchases =
        new Purchases(engine, admission, metrics, nanoTime, config.gateway().purchaseBudgetMs());
    Waitlist waitlist = new Waitlist(bus, board, polls, admission.backlog());
    List<Endpoint> endpoints =
        new ArrayList<>(
            List.of(
                new ItemsEndpoint(board),
                new ItemEndpoint(board),
                new PurchaseItemEndpoint(purchases),
                new PurchaseLinesEndpoint(purchases),
                new OrdersEndpoint(bus, polls),
                new OrderEndpoint(bus, polls),
                new EventsEndpoint(desk, polls, metrics, epochMs, transactionMs()),
                new JoinWaitlistEndpoint(waitlist),
                new PlaceEndpoint(waitlist),
                new LeaveWaitlistEndpoint(waitlist),
                new CancelOrderEndpoint(bus),
                new StartPaymentEndpoint(bus)));
    if (config.payment().provider() != SeckillConfig.Provider.NONE) {
      CallbackSignature signature = new CallbackSignature(config.payment().secret().value());
      endpoints.add(new PaymentCallbackEndpoint(bus, signature, epochMs));
    }
    if (config.gateway().devSession()) {
      endpoints.add(new DevSessionEndpoint(signer));
    }
    endpoints.addAll(files);
    return endpoints;
  }

  /** The endpoints of the admin port, for one event loop. */
  List<Endpoint> adminEndpoints(EventBus bus) {
    List<Endpoint> endpoints =
        new ArrayList<>(
            List.of(
                new CreateItemEndpoint(bus),
                new ListItemsEndpoint(bus, board),
                new AuditEndpoint(bus),
                new SalesEndpoint(bus, region()),
                new SwitchSalesEndpoint(bus, region(), true),
                new SwitchSalesEndpoint(bus, region(), false),
                new AnyOrderEndpoint(bus),
                new ChangeOrderEndpoint(bus, ChangeOrderEndpoint.Action.CANCEL),
                new ChangeOrderEndpoint(bus, ChangeOrderEndpoint.Action.REFUND),
                new NotificationsEndpoint(bus),
                new RetryNotificationEndpoint(bus),
                new DeadLettersEndpoint(bus),
                new DeadLetterEndpoint(bus)));
    for (DeadLetterChange.Action action : DeadLetterChange.Action.values()) {
      endpoints.add(new ChangeDeadLetterEndpoint(bus, action));
    }
    for (ItemChange.Action action : ItemChange.Action.values()) {
      endpoints.add(new ChangeItemEndpoint(bus, action));
    }
    return endpoints;
  }

  private EventVerticle eventVerticle() {
    return new EventVerticle(
        desk,
        board,
        config.gateway(),
        metrics,
        new EventClocks(epochMs, nanoTime),
        transactionMs());
  }

  private long transactionMs() {
    return config.mysql().statementTimeoutMs();
  }

  private HttpVerticle publicVerticle(Guards guards) {
    SeckillConfig.Gateway gateway = config.gateway();
    int port = gateway.publicPort() == 0 ? SHARED_FREE_PORT : gateway.publicPort();
    return new HttpVerticle(
        new HttpVerticle.Listener(
            gateway.host(), port, "gateway.publicPort", publicPort::tryComplete),
        limits(gateway.maxConnections()),
        guards,
        this::publicEndpoints);
  }

  private HttpVerticle adminVerticle(Guards guards) {
    SeckillConfig.Gateway gateway = config.gateway();
    return new HttpVerticle(
        new HttpVerticle.Listener(
            gateway.adminHost(), gateway.adminPort(), "gateway.adminPort", adminPort::tryComplete),
        limits(MAX_ADMIN_CONNECTIONS),
        guards,
        this::adminEndpoints);
  }

  private Future<List<Endpoint>> publicEndpoints(Vertx vertx) {
    return PurchaseSender.start(vertx, ANSWER_GRACE_MS)
        .map(engine -> publicEndpoints(vertx.eventBus(), engine));
  }

  private Future<List<Endpoint>> adminEndpoints(Vertx vertx) {
    return Future.succeededFuture(adminEndpoints(vertx.eventBus()));
  }

  private Guards guards(List<String> corsOrigins) {
    // Each port has a rate table of its own: a crowd behind one address must not lock operators
    // out.
    return new Guards(
        proxies,
        new Guards.Rates(
            new AddressRate(config.admission(), nanoTime),
            AddressRate.ofSigners(config.admission(), nanoTime)),
        verifier,
        corsOrigins,
        metrics,
        nanoTime);
  }

  private HttpLimits limits(int maxConnections) {
    SeckillConfig.Gateway gateway = config.gateway();
    return new HttpLimits(
        maxConnections,
        gateway.maxBodyBytes(),
        gateway.requestTimeoutMs(),
        gateway.idleTimeoutMs(),
        gateway.purchaseBudgetMs() + SHUTDOWN_GRACE_MS);
  }

  private int region() {
    return config.node().region();
  }

  private int instances() {
    int configured = config.gateway().instances();
    return configured == 0 ? Runtime.getRuntime().availableProcessors() : configured;
  }

  /** Templates only; no endpoint is called, so none needs a bus. */
  private List<String> routes() {
    return Stream.concat(
            publicEndpoints(null, null).stream(), adminEndpoints((EventBus) null).stream())
        .map(Endpoint::path)
        .distinct()
        .toList();
  }

  private void checkPorts() {
    // Vert.x would let two servers share a port and deal connections out between them in turn:
    // half of the public ones would end at the admin API.
    int open = config.gateway().publicPort();
    int admin = config.gateway().adminPort();
    int management = config.management().port();
    if (open != 0 && open == admin) {
      throw new IllegalArgumentException(
          "gateway.publicPort and gateway.adminPort are both " + open + "; they must differ");
    }
    if (management != 0 && (management == open || management == admin)) {
      throw new IllegalArgumentException(
          "management.port is " + management + ", as a port of the gateway; they must differ");
    }
  }
}
