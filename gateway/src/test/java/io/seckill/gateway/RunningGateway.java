package io.seckill.gateway;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.seckill.common.audit.Finding;
import io.seckill.common.audit.ItemTotals;
import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.AuditReport;
import io.seckill.common.bus.AuditRequest;
import io.seckill.common.bus.Board;
import io.seckill.common.bus.BoardRequest;
import io.seckill.common.bus.BusCodecs;
import io.seckill.common.bus.BusFailures;
import io.seckill.common.bus.DeadLetter;
import io.seckill.common.bus.DeadLetterChange;
import io.seckill.common.bus.DeadLetterQuery;
import io.seckill.common.bus.DeadLetters;
import io.seckill.common.bus.DeadLettersQuery;
import io.seckill.common.bus.Done;
import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.ItemChanged;
import io.seckill.common.bus.ItemCreate;
import io.seckill.common.bus.ItemQuery;
import io.seckill.common.bus.ItemRecords;
import io.seckill.common.bus.NotificationRetry;
import io.seckill.common.bus.Notifications;
import io.seckill.common.bus.NotificationsQuery;
import io.seckill.common.bus.OrderCancel;
import io.seckill.common.bus.OrderEvent;
import io.seckill.common.bus.OrderQuery;
import io.seckill.common.bus.OrderRefund;
import io.seckill.common.bus.OrderViews;
import io.seckill.common.bus.OrdersQuery;
import io.seckill.common.bus.PaymentNotice;
import io.seckill.common.bus.PaymentStart;
import io.seckill.common.bus.PaymentStarted;
import io.seckill.common.bus.PurchaseBatch;
import io.seckill.common.bus.PurchaseReplies;
import io.seckill.common.bus.PurchaseReply;
import io.seckill.common.bus.PurchaseRequest;
import io.seckill.common.bus.SalesChange;
import io.seckill.common.bus.SalesQuery;
import io.seckill.common.bus.SalesRecord;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.LetterId;
import io.seckill.common.id.OrderId;
import io.seckill.common.id.UserId;
import io.seckill.common.item.ItemRecord;
import io.seckill.common.item.ItemState;
import io.seckill.common.order.LetterState;
import io.seckill.common.order.NotificationState;
import io.seckill.common.order.OrderStatus;
import io.seckill.common.order.OrderView;
import io.seckill.common.role.RoleDeployment;
import io.seckill.gateway.board.Boards;
import io.seckill.gateway.token.Identity;
import io.seckill.gateway.token.TokenSigner;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A gateway on free ports and a real local bus, with small peers behind it that answer as the
 * contract says. What was sent to them can be looked at; how the engine answers can be set.
 */
final class RunningGateway implements AutoCloseable {

  static final OrderId ORDER = OrderId.of("01234567890123456789ABCDEF");

  private final SeckillConfig config;
  private final Vertx vertx = Vertx.vertx();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final GatewayRole role;
  private final GatewayPorts ports;
  private final Queue<PurchaseRequest> purchases = new ConcurrentLinkedQueue<>();

  /** The one dead letter. */
  static final LetterId LETTER = LetterId.parse("3:0:1:4");

  /** What it says. */
  static final String PAYLOAD = "{\"k\":\"win\"}";

  private final Queue<Object> changes = new ConcurrentLinkedQueue<>();

  /** Null from it means that no answer comes. */
  private volatile Function<PurchaseRequest, PurchaseReply> engine =
      request -> PurchaseReply.accepted(ORDER, 41);

  private volatile ErrorCode orderRefusal;

  private volatile Board board =
      Boards.of(1_700_000_000_000L, Boards.item(1), Boards.item(2), Boards.item(3, 2, 0, 1));

  RunningGateway(SeckillConfig config, boolean withEngine) throws Exception {
    this.config = config;
    BusCodecs.register(vertx.eventBus());
    if (withEngine) {
      answerAsEngine();
      answerAsConsumer();
    }
    try {
      role = new GatewayRole(config, registry);
      for (RoleDeployment deployment : role.deployments()) {
        await(vertx.deployVerticle(deployment.verticle(), deployment.options()));
      }
      ports = await(role.ports());
      if (withEngine) {
        await(role::isReady);
      }
    } catch (Exception e) {
      close();
      throw e;
    }
  }

  static RunningGateway start() throws Exception {
    return start(TestConfigs.gateway(), TestConfigs.admission());
  }

  static RunningGateway start(SeckillConfig.Gateway gateway, SeckillConfig.Admission admission)
      throws Exception {
    return new RunningGateway(TestConfigs.all(TestConfigs.jwt(), gateway, admission), true);
  }

  int publicPort() {
    return ports.publicPort();
  }

  int adminPort() {
    return ports.adminPort();
  }

  GatewayRole role() {
    return role;
  }

  Vertx vertx() {
    return vertx;
  }

  void engine(Function<PurchaseRequest, PurchaseReply> answer) {
    engine = answer;
  }

  /** What is said about the one order instead of what was asked for; null for nothing. */
  void refuseOrders(ErrorCode code) {
    orderRefusal = code;
  }

  /** The purchases that reached the engine. */
  Queue<PurchaseRequest> purchases() {
    return purchases;
  }

  /** The changes that reached engine or ledger. */
  Queue<Object> changes() {
    return changes;
  }

  double refused(String layer, ErrorCode code) {
    return registry
        .get("seckill.gateway.refused")
        .tag("layer", layer)
        .tag("code", code.name())
        .counter()
        .count();
  }

  double count(String name, String tag, String value) {
    return registry.get(name).tag(tag, value).counter().count();
  }

  double counter(String name) {
    return registry.get(name).counter().count();
  }

  double gauge(String name) {
    return registry.get(name).gauge().value();
  }

  String token(String user, String... roles) {
    return new TokenSigner(config.jwt(), System::currentTimeMillis)
        .sign(new UserId(user), Set.of(roles), Duration.ofHours(1))
        .text();
  }

  String adminToken() {
    return token("olga", Identity.ADMIN);
  }

  /** The text of a purchase of one unit, with more header lines, each ended by CR LF. */
  String purchase(String user, String headers, String body) {
    return post(
        "/api/v1/items/1/purchases",
        "Authorization: Bearer " + token(user) + "\r\nContent-Type: application/json\r\n" + headers,
        body);
  }

  static String post(String path, String headers, String body) {
    int length = body.getBytes(java.nio.charset.StandardCharsets.UTF_8).length;
    return "POST "
        + path
        + " HTTP/1.1\r\nHost: x\r\n"
        + headers
        + "Content-Length: "
        + length
        + "\r\n\r\n"
        + body;
  }

  static String get(String path, String headers) {
    return "GET " + path + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n";
  }

  static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
  }

  static void await(java.util.function.BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("the condition did not come true");
      }
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  private void answerAsEngine() {
    vertx.eventBus().consumer(Addresses.PURCHASE, this::decide);
    vertx.eventBus().<BoardRequest>consumer(Addresses.BOARD_NOW, message -> message.reply(board));
    vertx.eventBus().consumer(Addresses.CHANGE_ITEM, this::changeItem);
    vertx.eventBus().consumer(Addresses.CHANGE_SALES, this::changeSales);
  }

  private void decide(Message<PurchaseBatch> message) {
    PurchaseBatch batch = message.body();
    message.reply(new Done());
    for (int i = 0; i < batch.purchases().size(); i++) {
      purchases.add(batch.purchases().get(i));
      PurchaseReply reply = engine.apply(batch.purchases().get(i));
      if (reply != null) {
        PurchaseReplies.Answer answer = new PurchaseReplies.Answer(batch.id(), i, reply);
        vertx.eventBus().send(batch.replyTo(), new PurchaseReplies(List.of(answer)));
      }
    }
  }

  private void changeItem(Message<ItemChange> message) {
    changes.add(message.body());
    if (message.body().item().equals(new ItemId(404))) {
      BusFailures.reply(
          message, new SeckillException(ErrorCode.NOT_FOUND, ErrorCode.NOT_FOUND.title()));
    } else {
      message.reply(new ItemChanged(record(message.body().item().value(), 2, 60), 10, 7, false));
    }
  }

  private void changeSales(Message<SalesChange> message) {
    changes.add(message.body());
    message.reply(new SalesRecord(message.body().stopped(), 8));
  }

  private static ItemRecord record(long item, long generation, long cap) {
    return new ItemRecord(
        Boards.item(item).definition(), ItemState.OPEN, generation, 100, 100, 40, cap, List.of());
  }

  /** Publishes a board as an engine does. */
  void publish(Board latest) {
    board = latest;
    vertx.eventBus().publish(Addresses.BOARD, latest);
  }

  private void answerAsConsumer() {
    vertx.eventBus().consumer(Addresses.ORDER, this::order);
    vertx.eventBus().consumer(Addresses.ORDERS, this::orders);
    vertx.eventBus().consumer(Addresses.CANCEL_ORDER, this::cancel);
    vertx.eventBus().consumer(Addresses.REFUND_ORDER, this::refund);
    vertx.eventBus().consumer(Addresses.START_PAYMENT, this::startPayment);
    vertx.eventBus().consumer(Addresses.PAYMENT_NOTICE, this::notice);
    vertx.eventBus().consumer(Addresses.NOTIFICATIONS, this::notifications);
    vertx.eventBus().consumer(Addresses.RETRY_NOTIFICATION, this::retryNotification);
    vertx.eventBus().consumer(Addresses.DEAD_LETTERS, this::letters);
    vertx.eventBus().consumer(Addresses.DEAD_LETTER, this::letter);
    vertx.eventBus().consumer(Addresses.CHANGE_DEAD_LETTER, this::changeLetter);
    vertx
        .eventBus()
        .<ItemCreate>consumer(
            Addresses.LEDGER_CREATE_ITEM,
            message -> {
              changes.add(message.body());
              message.reply(
                  new ItemRecords(
                      List.of(
                          new ItemRecord(
                              message.body().definition(),
                              ItemState.CREATED,
                              0,
                              message.body().stock(),
                              0,
                              0,
                              ItemRecord.NO_CAP,
                              List.of()))));
            });
    vertx
        .eventBus()
        .<ItemQuery>consumer(
            Addresses.LEDGER_ITEMS,
            message -> message.reply(new ItemRecords(List.of(record(1, 2, ItemRecord.NO_CAP)))));
    vertx
        .eventBus()
        .<SalesQuery>consumer(
            Addresses.LEDGER_SALES, message -> message.reply(new SalesRecord(false, 7)));
    vertx
        .eventBus()
        .<AuditRequest>consumer(
            Addresses.AUDIT,
            message ->
                message.reply(
                    new AuditReport(
                        false,
                        1_700_000_000_000L,
                        message.body().waitMs(),
                        List.of(new ItemTotals(new ItemId(1), 100, 60, 40, 0, 40)),
                        List.of(new Finding("I1", "item 1", 1, "one unit too many")))));
  }

  private void order(Message<OrderQuery> message) {
    OrderQuery query = message.body();
    replyAbout(message, query.user(), query.orderId(), one(OrderStatus.ACCEPTED));
  }

  private void cancel(Message<OrderCancel> message) {
    OrderCancel cancel = message.body();
    changes.add(cancel);
    replyAbout(message, cancel.user(), cancel.orderId(), one(OrderStatus.CANCELLED));
  }

  private void refund(Message<OrderRefund> message) {
    changes.add(message.body());
    replyAbout(message, null, message.body().orderId(), one(OrderStatus.REFUND_PENDING));
  }

  private void startPayment(Message<PaymentStart> message) {
    PaymentStart start = message.body();
    boolean created = !changes.contains(start);
    changes.add(start);
    PaymentStarted started =
        new PaymentStarted(
            "pay-1", "http://127.0.0.1:8082/pay-1", 199_900, "CNY", 1_700_000_900_000L, created);
    replyAbout(message, start.user(), start.orderId(), started);
  }

  private void notice(Message<PaymentNotice> message) {
    changes.add(message.body());
    replyAbout(message, null, message.body().orderId(), new Done());
  }

  /** There is one, and more of them. */
  private void notifications(Message<NotificationsQuery> message) {
    changes.add(message.body());
    OrderEvent event =
        new OrderEvent(new UserId("ann"), ORDER, OrderStatus.PAID, "", true, 1_700_000_000_123L);
    message.reply(
        new Notifications(
            List.of(
                new Notifications.Notification(7, event, NotificationState.DEAD, 12, "HTTP 500")),
            true));
  }

  private void retryNotification(Message<NotificationRetry> message) {
    changes.add(message.body());
    if (message.body().id() == 7) {
      message.reply(new Done());
    } else {
      BusFailures.reply(
          message, new SeckillException(ErrorCode.NOT_FOUND, ErrorCode.NOT_FOUND.title()));
    }
  }

  private void letters(Message<DeadLettersQuery> message) {
    changes.add(message.body());
    message.reply(new DeadLetters(List.of(deadLetter(LetterState.OPEN, "")), true));
  }

  private void letter(Message<DeadLetterQuery> message) {
    replyAbout(message, message.body().id(), deadLetter(LetterState.OPEN, PAYLOAD));
  }

  private void changeLetter(Message<DeadLetterChange> message) {
    changes.add(message.body());
    replyAbout(message, message.body().id(), deadLetter(LetterState.SETTLING, PAYLOAD));
  }

  /** There is one letter, of ann's win. */
  private void replyAbout(Message<?> message, LetterId id, DeadLetter letter) {
    if (!id.equals(LETTER)) {
      BusFailures.reply(
          message, new SeckillException(ErrorCode.NOT_FOUND, ErrorCode.NOT_FOUND.title()));
    } else {
      message.reply(letter);
    }
  }

  private static DeadLetter deadLetter(LetterState state, String payload) {
    return new DeadLetter(
        LETTER,
        state,
        "LIMIT",
        "user ann would hold 2 units of item 1",
        payload,
        new UserId("ann"),
        ORDER,
        List.of(new DeadLetter.Units(new ItemId(1), 2)),
        1_700_000_000_000L,
        0);
  }

  /** The one order is ann's; an operator and the provider, who are null, may name it too. */
  private void replyAbout(Message<?> message, UserId user, OrderId order, Object answer) {
    boolean found = order.equals(ORDER) && (user == null || user.equals(new UserId("ann")));
    ErrorCode code = found ? orderRefusal : ErrorCode.NOT_FOUND;
    if (code == null) {
      message.reply(answer);
    } else {
      BusFailures.reply(message, new SeckillException(code, code.title()));
    }
  }

  private static OrderViews one(OrderStatus status) {
    return new OrderViews(List.of(view(status)), false);
  }

  private void orders(Message<OrdersQuery> message) {
    message.reply(
        new OrderViews(List.of(view(OrderStatus.PENDING_PAYMENT)), message.body().after() == null));
  }

  private static OrderView view(OrderStatus status) {
    return new OrderView(
        ORDER,
        status,
        status == OrderStatus.CANCELLED ? OrderCancel.BY_USER : "",
        List.of(new OrderView.Line(new ItemId(1), 1, 199_900)),
        199_900,
        "CNY",
        1_700_000_000_123L,
        0,
        false);
  }

  @Override
  public void close() {
    try {
      await(vertx.close());
    } catch (Exception e) {
      throw new IllegalStateException("the gateway did not stop", e);
    }
  }
}
