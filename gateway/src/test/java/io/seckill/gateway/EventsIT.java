package io.seckill.gateway;

import static io.seckill.gateway.FakeLedger.order;
import static io.seckill.gateway.FakeLedger.orderId;
import static io.seckill.gateway.GatewayIT.problem;
import static io.seckill.gateway.RunningGateway.await;
import static io.seckill.gateway.RunningGateway.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.bus.Board;
import io.seckill.common.bus.ItemView;
import io.seckill.common.bus.OrderEvent;
import io.seckill.common.bus.OrdersChangedQuery;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.config.Secret;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.UserId;
import io.seckill.common.item.ItemState;
import io.seckill.common.order.OrderStatus;
import io.seckill.gateway.EventClient.Event;
import io.seckill.gateway.RawHttp.Response;
import io.seckill.gateway.board.Boards;
import io.seckill.gateway.token.TokenSigner;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Event streams over real sockets; ledger and engine behind the bus are ours. */
class EventsIT {

  private static final int MAX_STREAMS = 6;
  private static final int PER_USER = 2;
  private static final String EVENTS = "/api/v1/events";
  private static final long DAY_MS = 86_400_000;

  private RunningGateway gateway;
  private FakeLedger ledger;
  private long boardMs = 1_700_000_100_000L;

  @BeforeEach
  void start() throws Exception {
    gateway =
        RunningGateway.start(TestConfigs.events(MAX_STREAMS, PER_USER), TestConfigs.admission());
    ledger = new FakeLedger(gateway.vertx());
  }

  @AfterEach
  void stop() {
    gateway.close();
  }

  // ---- opening ----

  @Test
  void aStreamShouldSayWhatItIs() throws Exception {
    try (RawHttp http = RawHttp.connect(gateway.publicPort())) {
      String origin = "Origin: https://shop.example\r\n";
      Response head = http.send(get(EVENTS, bearer("ann") + origin)).read(false);
      assertThat(head.status()).isEqualTo(200);
      assertThat(head.header("content-type")).isEqualTo("text/event-stream");
      assertThat(head.header("cache-control")).isEqualTo("no-store");
      assertThat(head.header("x-accel-buffering")).isEqualTo("no");
      assertThat(head.header("transfer-encoding")).isEqualTo("chunked");
      assertThat(head.header("connection")).isEqualTo("close");
      assertThat(head.header("access-control-allow-origin")).isEqualTo("https://shop.example");
    }
    try (EventClient ann = open("ann", "")) {
      assertThat(ann.any().type()).isEqualTo("retry");
    }
    awaitStreams(0);
  }

  @Test
  void headShouldOpenNothing() throws Exception {
    try (RawHttp http = RawHttp.connect(gateway.publicPort())) {
      String head = get(EVENTS, bearer("ann")).replace("GET ", "HEAD ");
      assertThat(http.send(head).read(false).header("content-type")).isEqualTo("text/event-stream");
      assertThat(http.send(get("/api/v1/items", "")).read().status()).isEqualTo(200);
    }
    assertThat(gateway.gauge("seckill.gateway.event.streams")).isZero();
  }

  @Test
  void withoutATokenThereShouldBeNoStream() throws Exception {
    problem(RawHttp.once(gateway.publicPort(), get(EVENTS, "")), ErrorCode.UNAUTHENTICATED);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "?items=",
        "?items=1,",
        "?items=a",
        "?items=01",
        "?items=1&items=2",
        "?item=1",
        "?items=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21"
      })
  void badItemsShouldBeRefused(String query) throws Exception {
    problem(
        RawHttp.once(gateway.publicPort(), get(EVENTS + query, bearer("ann"))),
        ErrorCode.INVALID_REQUEST);
  }

  @Test
  void aStreamShouldOpenWithItemsPlacesAndRecentOrders() throws Exception {
    long now = System.currentTimeMillis();
    ledger.store(
        order("ann", 1, OrderStatus.PENDING_PAYMENT, now - 3_600_000),
        order("ann", 2, OrderStatus.PAID, now - 2 * DAY_MS),
        order("bob", 3, OrderStatus.PAID, now));
    ledger.line("bob", "ann");
    show(waitedFor(1, 2), Boards.item(2));
    try (EventClient ann = open("ann", "?items=1,2,77")) {
      List<Event> first = List.of(ann.next(), ann.next(), ann.next(), ann.next(), ann.next());
      assertThat(first)
          .extracting(Event::type)
          .containsExactlyInAnyOrder("item", "item", "order", "place", "place");
      for (Event event : first) {
        switch (event.type() + event.text("itemId")) {
          case "item1" -> {
            assertThat(event.text("state")).isEqualTo("OPEN");
            assertThat(event.data().path("onSale").asBoolean()).isTrue();
            assertThat(event.data().path("soldOut").asBoolean()).isTrue();
            assertThat(event.data().path("waiting").asInt()).isEqualTo(2);
          }
          case "item2" -> assertThat(event.data().path("remaining").asInt()).isEqualTo(100);
          case "place1" -> {
            assertThat(event.data().path("place").asInt()).isEqualTo(2);
            assertThat(event.data().path("waiting").asInt()).isEqualTo(2);
          }
          case "place2" -> {
            assertThat(event.data().path("place").isNull()).isTrue();
            assertThat(event.data().path("waiting").asInt()).isZero();
          }
          default -> {
            assertThat(event.text("orderId")).isEqualTo(orderId(1).value());
            assertThat(event.text("status")).isEqualTo("PENDING_PAYMENT");
            assertThat(event.data().path("promoted").isBoolean()).isTrue();
            assertThat(event.data().has("reason")).isFalse();
            assertThat(event.id()).isEqualTo(Long.toString(now - 3_600_000));
          }
        }
      }
    }
  }

  // ---- orders ----

  @Test
  void anOrderShouldBeToldToItsBuyerOnly() throws Exception {
    long now = System.currentTimeMillis();
    try (EventClient ann = open("ann", "");
        EventClient tab = open("ann", "");
        EventClient bob = open("bob", "")) {
      awaitWelcomed("ann", "bob");
      ledger.publish(
          order("bob", 1, OrderStatus.PAID, now),
          new OrderEvent(
              new UserId("ann"), orderId(2), OrderStatus.CANCELLED, "timeout", true, now));
      for (EventClient client : List.of(ann, tab)) {
        Event event = client.next();
        assertThat(event.type()).isEqualTo("order");
        assertThat(event.text("orderId")).isEqualTo(orderId(2).value());
        assertThat(event.text("status")).isEqualTo("CANCELLED");
        assertThat(event.text("reason")).isEqualTo("timeout");
        assertThat(event.data().path("promoted").asBoolean()).isTrue();
      }
      assertThat(bob.next().text("orderId")).isEqualTo(orderId(1).value());
      assertThat(gateway.count("seckill.gateway.events", "type", "order")).isEqualTo(3);
    }
  }

  @Test
  void aLostPublicationShouldBeHealed() throws Exception {
    try (EventClient ann = open("ann", "")) {
      awaitWelcomed("ann");
      ledger.store(order("ann", 1, OrderStatus.PAID, System.currentTimeMillis()));
      assertThat(ann.next().text("status")).isEqualTo("PAID");
    }
  }

  @Test
  void theWelcomeShouldComeWhenTheLedgerIsBack() throws Exception {
    ledger.silent(true);
    ledger.store(order("ann", 1, OrderStatus.PAID, System.currentTimeMillis() - 3_600_000));
    try (EventClient ann = open("ann", "")) {
      awaitWelcomed("ann");
      ledger.silent(false);
      assertThat(ann.next().text("status")).isEqualTo("PAID");
    }
  }

  @Test
  void aWelcomeThatAlwaysFailsShouldNotKeepOthersFromHearing() throws Exception {
    long now = System.currentTimeMillis();
    ledger.knownSince(now - DAY_MS / 2);
    try (EventClient ann = open("ann", "");
        EventClient bob = open("bob", "", "Last-Event-ID: " + now + "\r\n")) {
      awaitWelcomed("ann", "bob");
      ledger.store(order("ann", 1, OrderStatus.PAID, now), order("bob", 2, OrderStatus.PAID, now));
      assertThat(bob.next().text("orderId")).isEqualTo(orderId(2).value());
      assertThat(ann.next().text("orderId")).isEqualTo(orderId(1).value());
    }
  }

  @Test
  void OL_03_whatIsOldOrToldAlreadyShouldNotBeToldAgain() throws Exception {
    long now = System.currentTimeMillis();
    OrderEvent pending = order("ann", 1, OrderStatus.PENDING_PAYMENT, now);
    OrderEvent paid = order("ann", 1, OrderStatus.PAID, now);
    OrderEvent refunded = order("ann", 1, OrderStatus.REFUNDED, now);
    try (EventClient ann = open("ann", "")) {
      ledger.commit(pending);
      ledger.commit(paid, paid);
      ledger.publish(pending);
      awaitWelcomed("ann");
      ledger.questions().clear();
      await(() -> ledger.questions().size() > 1);
      ledger.commit(refunded);
      assertThat(ann.next().text("status")).isEqualTo("PENDING_PAYMENT");
      assertThat(ann.next().text("status")).isEqualTo("PAID");
      assertThat(ann.next().text("status")).isEqualTo("REFUNDED");
    }
  }

  @Test
  void whoComesAgainShouldHearOfLaterChangesOnly() throws Exception {
    long now = System.currentTimeMillis();
    ledger.store(
        order("ann", 1, OrderStatus.PAID, now - 600_000),
        order("ann", 2, OrderStatus.PAID, now - 100_000));
    try (EventClient ann = open("ann", "", "Last-Event-ID: " + (now - 110_000) + "\r\n")) {
      Event event = ann.next();
      assertThat(event.text("orderId")).isEqualTo(orderId(2).value());
      OrdersChangedQuery asked = ledger.questions().element();
      assertThat(asked.users()).containsExactly(new UserId("ann"));
      assertThat(asked.sinceMs()).isEqualTo(now - 130_000);
      ledger.publish(order("ann", 3, OrderStatus.PAID, now));
      assertThat(ann.next().text("orderId")).isEqualTo(orderId(3).value());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"Last-Event-ID: x\r\n", "Last-Event-ID: 999999999999999999\r\n", ""})
  void anIdThatIsNoneShouldHideNothing(String header) throws Exception {
    ledger.store(order("ann", 1, OrderStatus.PAID, System.currentTimeMillis() - 5_000));
    try (EventClient ann = open("ann", "", header)) {
      assertThat(ann.next().text("status")).isEqualTo("PAID");
    }
  }

  @Test
  void moreOrdersThanOneAnswerHoldsShouldAllBeTold() throws Exception {
    long now = System.currentTimeMillis();
    Set<String> expected = new HashSet<>();
    for (int i = 1; i <= 2_500; i++) {
      ledger.store(order("ann", i, OrderStatus.PAID, now - 10_000 + i / 100));
      expected.add(orderId(i).value());
    }
    try (EventClient ann = open("ann", "")) {
      while (!expected.isEmpty()) {
        expected.remove(ann.next().text("orderId"));
      }
    }
  }

  @Test
  void moreOrdersOfOneMillisecondThanAnAnswerHoldsShouldAllBeTold() throws Exception {
    long now = System.currentTimeMillis();
    List<String> users = List.of("ann", "bob", "cat");
    List<EventClient> clients = new ArrayList<>();
    for (String user : users) {
      clients.add(open(user, ""));
    }
    awaitWelcomed("ann", "bob", "cat");
    OrderEvent[] orders = new OrderEvent[1_500];
    for (int i = 0; i < orders.length; i++) {
      orders[i] = order(users.get(i % users.size()), i, OrderStatus.PAID, now);
    }
    ledger.store(orders);
    for (int i = 0; i < users.size(); i++) {
      Set<String> expected = new HashSet<>();
      for (int number = i; number < orders.length; number += users.size()) {
        expected.add(orderId(number).value());
      }
      while (!expected.isEmpty()) {
        expected.remove(clients.get(i).next().text("orderId"));
      }
      clients.get(i).close();
    }
  }

  // ---- items and places ----

  @Test
  void anItemShouldBeToldWhenItTurns() throws Exception {
    show(Boards.item(1));
    try (EventClient ann = open("ann", "?items=1")) {
      assertThat(ann.next("item").data().path("soldOut").asBoolean()).isFalse();
      show(Boards.item(1, 2, 0, 1));
      Event soldOut = ann.next("item");
      assertThat(soldOut.data().path("soldOut").asBoolean()).isTrue();
      assertThat(soldOut.data().path("remaining").asInt()).isZero();
      show(Boards.item(1, 2, 3, 2));
      Event reopened = ann.next("item");
      assertThat(reopened.data().path("soldOut").asBoolean()).isFalse();
      assertThat(reopened.data().path("remaining").asInt()).isEqualTo(3);
      show(Boards.item(1, 2, 1, 2));
      assertThat(ann.next("item").data().path("remaining").asInt()).as("numbers too").isEqualTo(1);
      publish(Boards.stopped(Boards.of(boardMs++, Boards.item(1, 2, 1, 2))));
      Event stopped = ann.next("item");
      assertThat(stopped.text("state")).isEqualTo("PAUSED");
      assertThat(stopped.data().path("onSale").asBoolean()).isFalse();
      show(ended(Boards.item(1, 3, 1, 2)));
      assertThat(ann.next("item").text("state")).isEqualTo("ENDED");
    }
  }

  @Test
  void aPlaceShouldBeToldWhenItChanges() throws Exception {
    ledger.line("bob", "ann");
    show(waitedFor(1, 2));
    try (EventClient ann = open("ann", "?items=1");
        EventClient eve = open("eve", "?items=1")) {
      assertThat(ann.next("place").data().path("place").asInt()).isEqualTo(2);
      ledger.line("ann");
      show(waitedFor(1, 1));
      Event next = ann.next("place");
      assertThat(next.text("itemId")).isEqualTo("1");
      assertThat(next.data().path("place").asInt()).isEqualTo(1);
      assertThat(next.data().path("waiting").asInt()).isEqualTo(1);
      ledger.line("dan");
      Event out = ann.next("place");
      assertThat(out.data().path("place").isNull()).isTrue();

      ledger.line("dan", "ann");
      assertThat(ann.next("place").data().path("place").asInt()).isEqualTo(2);
      ledger.line();
      show(Boards.item(1, 2, 1, 2));
      assertThat(ann.next("place").data().path("place").isNull()).as("nobody waits").isTrue();
      int asked = ledger.placeQuestions().size();
      ledger.publish(order("eve", 1, OrderStatus.PAID, System.currentTimeMillis()));
      assertThat(eve.next("order").text("status")).as("he had no place to be told").isNotEmpty();
      // Nobody asks any more; one round may have been on its way.
      assertThat(ledger.placeQuestions().size()).isLessThanOrEqualTo(asked + 1);
    }
  }

  @Test
  void whoComesAgainShouldHearThatHeIsInLineNoLonger() throws Exception {
    ledger.line("bob");
    show(waitedFor(1, 1));
    try (EventClient ann = open("ann", "?items=1")) {
      Event out = ann.next("place");
      assertThat(out.data().path("place").isNull()).as("others wait").isTrue();
      assertThat(out.data().path("waiting").asInt()).isEqualTo(1);
    }
    show(Boards.item(1, 2, 1, 2));
    try (EventClient ann = open("ann", "?items=1")) {
      Event out = ann.next("place");
      assertThat(out.data().path("place").isNull()).as("nobody waits").isTrue();
      assertThat(out.data().path("waiting").asInt()).isZero();
    }
  }

  /** He joined elsewhere than on the stream, which never told him a place. */
  @Test
  void whoIsPromotedBeforeAnybodyAskedForHisPlaceShouldHearOfIt() throws Exception {
    show(Boards.item(1, 2, 0, 1));
    try (EventClient ann = open("ann", "?items=1")) {
      assertThat(ann.next("place").data().path("place").isNull()).isTrue();
      show(waitedFor(1, 1));
      assertThat(ann.next("item").data().path("waiting").asInt()).isEqualTo(1);
      ledger.commit(
          new OrderEvent(
              new UserId("ann"),
              orderId(1),
              OrderStatus.PENDING_PAYMENT,
              "",
              true,
              System.currentTimeMillis()));
      assertThat(ann.next("order").data().path("promoted").asBoolean()).isTrue();
      show(Boards.item(1, 2, 0, 2));
      assertThat(ann.next("item").data().path("waiting").asInt()).isZero();
    }
  }

  @Test
  void aPlaceOfALineThatIsEmptyByNowShouldNotBeTold() throws Exception {
    ledger.holdPlaces();
    show(waitedFor(1, 1));
    try (EventClient ann = open("ann", "?items=1")) {
      await(() -> !ledger.placeQuestions().isEmpty());
      show(Boards.item(1, 2, 1, 2));
      assertThat(ann.next("place").data().path("place").isNull()).isTrue();
      ledger.releasePlaces();
      ledger.publish(order("ann", 1, OrderStatus.PAID, System.currentTimeMillis()));
      assertThat(ann.next().type()).isEqualTo("order");
    }
  }

  @Test
  void itemsThatNobodyKnowsShouldNotKeepPlacesFromBeingTold() throws Exception {
    gateway.close();
    gateway = RunningGateway.start(TestConfigs.events(251, 1), TestConfigs.admission());
    ledger = new FakeLedger(gateway.vertx());
    ledger.line("bob", "ann");
    show(waitedFor(1, 2));
    List<EventClient> others = new ArrayList<>();
    try (EventClient ann = open("ann", "?items=1")) {
      assertThat(ann.next("place").data().path("place").asInt()).isEqualTo(2);
      for (int i = 0; i < 250; i++) {
        String items =
            IntStream.range(1_000 + 20 * i, 1_020 + 20 * i)
                .mapToObj(Integer::toString)
                .collect(Collectors.joining(","));
        others.add(open("user" + i, "?items=" + items));
      }
      awaitStreams(251);
      awaitWelcomed("user249");
      ledger.placeQuestions().clear();
      await(() -> ledger.placeQuestions().size() > 2);
      ledger.line("ann");
      assertThat(ann.next("place").data().path("place").asInt()).isEqualTo(1);
    } finally {
      for (EventClient other : others) {
        other.close();
      }
    }
  }

  // ---- bounds ----

  @Test
  void oneStreamTooManyShouldEndTheUsersOldest() throws Exception {
    try (EventClient first = open("ann", "");
        EventClient second = open("ann", "");
        EventClient bob = open("bob", "")) {
      awaitStreams(3);
      try (EventClient third = open("ann", "")) {
        Event end = first.next();
        assertThat(end.type()).isEqualTo("end");
        assertThat(end.text("reason")).isEqualTo("REPLACED");
        assertThat(first.next()).isNull();
        assertThat(first.isEnded()).isTrue();
        awaitStreams(3);
        ledger.publish(
            order("ann", 1, OrderStatus.PAID, System.currentTimeMillis()),
            order("bob", 2, OrderStatus.PAID, System.currentTimeMillis()));
        assertThat(second.next().type()).isEqualTo("order");
        assertThat(third.next().type()).isEqualTo("order");
        assertThat(bob.next().type()).isEqualTo("order");
      }
    }
  }

  @Test
  void moreStreamsThanTheBoundShouldBeBusy() throws Exception {
    List<EventClient> open = new ArrayList<>();
    for (int i = 0; i < MAX_STREAMS; i++) {
      open.add(open("user" + i, ""));
    }
    Response refused = RawHttp.once(gateway.publicPort(), get(EVENTS, bearer("late")));
    problem(refused, ErrorCode.BUSY);
    assertThat(refused.header("retry-after")).isNotNull();
    assertThat(gateway.refused("event_streams", ErrorCode.BUSY)).isEqualTo(1);
    open.remove(0).close();
    awaitStreams(MAX_STREAMS - 1);
    open.add(open("late", ""));
    for (EventClient client : open) {
      client.close();
    }
    awaitStreams(0);
  }

  @Test
  void whoDoesNotReadShouldBeCutOff() throws Exception {
    long now = System.currentTimeMillis();
    try (EventClient slow = EventClient.open(gateway.publicPort(), "", bearer("ann"), 4_096);
        EventClient bob = open("bob", "")) {
      awaitWelcomed("ann", "bob");
      int number = 1;
      while (gateway.counter("seckill.gateway.event.streams.dropped") == 0) {
        // The operating system holds some megabytes; this is well beyond.
        assertThat(number).isLessThan(200_000);
        OrderEvent[] many = new OrderEvent[1_000];
        for (int i = 0; i < many.length; i++) {
          many[i] = order("ann", number++, OrderStatus.PAID, now);
        }
        ledger.publish(many);
        double sent = number - 1;
        await(
            () ->
                gateway.count("seckill.gateway.events", "type", "order") >= sent
                    || gateway.counter("seckill.gateway.event.streams.dropped") > 0);
      }
      awaitStreams(1);
      assertThat(slow.rest()).hasSizeLessThan(number);
      assertThat(slow.isEnded()).isFalse();
      ledger.publish(order("bob", number, OrderStatus.PAID, now));
      assertThat(bob.next().text("status")).isEqualTo("PAID");
    }
  }

  @Test
  void heartbeatsShouldKeepAStillStreamOpen() throws Exception {
    gateway.close();
    gateway = RunningGateway.start(TestConfigs.events(1, 1, 2_000), TestConfigs.admission());
    ledger = new FakeLedger(gateway.vertx());
    try (EventClient ann = open("ann", "")) {
      assertThat(ann.any().type()).isEqualTo("retry");
      long start = System.nanoTime();
      // Twice as long as an idle connection may be.
      while (System.nanoTime() - start < 4_000_000_000L) {
        assertThat(ann.any().type()).isEqualTo(":");
      }
      ledger.publish(order("ann", 1, OrderStatus.PAID, System.currentTimeMillis()));
      assertThat(ann.next().type()).isEqualTo("order");
    }
  }

  @Test
  void theEndOfTheTokenShouldEndTheStream() throws Exception {
    gateway.close();
    SeckillConfig.Jwt exact =
        new SeckillConfig.Jwt(
            new Secret(TestConfigs.SECRET), "seckill", "seckill", 86_400_000, 0, 100);
    gateway =
        new RunningGateway(
            TestConfigs.all(exact, TestConfigs.events(1, 1), TestConfigs.admission()), true);
    String token =
        new TokenSigner(exact, System::currentTimeMillis)
            .sign(new UserId("ann"), Set.of(), Duration.ofSeconds(3))
            .text();
    String bearer = "Authorization: Bearer " + token + "\r\n";
    try (EventClient ann = EventClient.open(gateway.publicPort(), "", bearer)) {
      Event end = ann.next();
      assertThat(end.type()).isEqualTo("end");
      assertThat(end.text("reason")).isEqualTo("TOKEN_EXPIRED");
      assertThat(ann.next()).isNull();
      assertThat(ann.isEnded()).isTrue();
    }
    problem(RawHttp.once(gateway.publicPort(), get(EVENTS, bearer)), ErrorCode.UNAUTHENTICATED);
  }

  @Test
  void aStopShouldEndStreamsCleanly() throws Exception {
    try (EventClient ann = open("ann", "")) {
      awaitWelcomed("ann");
      gateway.close();
      assertThat(ann.next()).isNull();
      assertThat(ann.isEnded()).isTrue();
    }
  }

  @Test
  void aStreamThatIsAskedForDuringAStopShouldBeBusy() throws Exception {
    gateway.close();
    gateway = RunningGateway.start(TestConfigs.hasty(), TestConfigs.admission());
    gateway.engine(request -> null);
    try (RawHttp http = RawHttp.connect(gateway.publicPort())) {
      http.send(gateway.purchase("ann", "", "{\"quantity\":1}") + get(EVENTS, bearer("ann")));
      await(() -> !gateway.purchases().isEmpty());
      CompletableFuture<Void> stop = CompletableFuture.runAsync(gateway::close);
      problem(http.read(), ErrorCode.OUTCOME_UNKNOWN);
      Response refused = http.read();
      problem(refused, ErrorCode.BUSY);
      assertThat(refused.header("connection")).isEqualTo("close");
      stop.join();
    }
  }

  @Test
  void halfARequestBehindAStreamShouldEndIt() throws Exception {
    gateway.close();
    gateway = RunningGateway.start(TestConfigs.hasty(), TestConfigs.admission());
    try (EventClient ann = open("ann", "")) {
      ann.send("GET /api/v1/it");
      assertThat(ann.next()).isNull();
      assertThat(ann.isEnded()).as("no other answer in between").isTrue();
    }
  }

  // ---- helpers ----

  private EventClient open(String user, String query) throws IOException {
    return open(user, query, "");
  }

  private EventClient open(String user, String query, String headers) throws IOException {
    return EventClient.open(gateway.publicPort(), query, bearer(user) + headers);
  }

  private String bearer(String user) {
    return "Authorization: Bearer " + gateway.token(user) + "\r\n";
  }

  private void awaitStreams(int open) throws InterruptedException {
    await(() -> gateway.gauge("seckill.gateway.event.streams") == open);
  }

  /** From then on these hear what is published. */
  private void awaitWelcomed(String... users) throws InterruptedException {
    for (String user : users) {
      await(
          () ->
              ledger.questions().stream()
                  .anyMatch(asked -> asked.users().contains(new UserId(user))));
    }
  }

  private void show(ItemView... items) {
    publish(Boards.of(boardMs++, items));
  }

  private void publish(Board board) {
    gateway.publish(board);
  }

  private static ItemView waitedFor(long item, long waiting) {
    ItemView view = Boards.item(item, 2, 0, 1);
    return new ItemView(
        view.definition(), view.state(), view.generation(), 0, true, waiting, view.shards());
  }

  private static ItemView ended(ItemView view) {
    return new ItemView(
        view.definition(),
        ItemState.ENDED,
        view.generation(),
        view.remaining(),
        view.soldOut(),
        0,
        view.shards());
  }
}
