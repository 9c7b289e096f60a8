package io.seckill.common.bus;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.IdempotencyKey;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.OrderId;
import io.seckill.common.id.Quantity;
import io.seckill.common.id.UserId;
import io.seckill.common.order.PurchaseLine;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.MessageCodec;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BusCodecsTest {

  private static final ItemId ITEM = ItemId.parse("9007199254740993");
  private static final OrderId ORDER = new OrderId("2ZFXYCVEWHPNPJSAC2DAXTFXK6");

  static Stream<Record> messages() {
    return BusCodecs.messages().stream().flatMap(type -> Samples.of(type).stream());
  }

  /** What the sampler cannot think of. */
  static Stream<Record> special() {
    return Stream.of(
        PurchaseReply.accepted(ORDER, 999),
        PurchaseReply.replayed(ORDER),
        PurchaseReply.refused(ErrorCode.SOLD_OUT),
        PurchaseReply.refused(ErrorCode.BUSY, 300),
        PurchaseReply.limitReached(ORDER),
        new PurchaseRequest(
            new UserId("9223372036854775807"),
            IdempotencyKey.NONE,
            List.of(new PurchaseLine(ITEM, new Quantity(1))),
            1),
        new Board(0, 0, false, Backlog.NONE, List.of()),
        new OrderViews(List.of(), false),
        new ShardClaimed(4_294_967_295L, Long.MIN_VALUE));
  }

  @ParameterizedTest(name = "{index}")
  @MethodSource({"messages", "special"})
  void LU_02_everyMessageShouldSurviveTheWire(Record message) {
    assertThat(roundTrip(message)).isEqualTo(message);
  }

  @SuppressWarnings("unchecked") // The codec of a message's own class takes that message.
  private static Record roundTrip(Record message) {
    MessageCodec<Record, Record> codec =
        (MessageCodec<Record, Record>) BusCodecs.codecOf(message.getClass());
    // Other parts of a frame stand before and after the message.
    Buffer wire = Buffer.buffer("head");
    codec.encodeToWire(wire, message);
    wire.appendString("tail");
    return codec.decodeFromWire(4, wire);
  }

  @Test
  void namesShouldBeUniqueAndCarryTheVersion() {
    assertThat(BusCodecs.messages().stream().map(type -> BusCodecs.codecOf(type).name()))
        .doesNotHaveDuplicates()
        .allMatch(name -> name.matches("seckill\\.[A-Za-z]+\\.v2"));
  }

  @Test
  void LU_02_idsShouldTravelAsStrings() {
    Buffer wire = Buffer.buffer();
    BusCodecs.codecOf(ItemQuery.class).encodeToWire(wire, new ItemQuery(ITEM));
    assertThat(wire.getString(4, wire.length())).isEqualTo("{\"item\":\"9007199254740993\"}");
  }

  @Test
  void decodeShouldIgnoreWhatANewerReleaseAdded() {
    String json = "{\"region\":3,\"added\":[1,{\"x\":2}]}";
    Buffer wire = Buffer.buffer().appendInt(json.length()).appendString(json);
    assertThat(BusCodecs.codecOf(BoardRequest.class).decodeFromWire(0, wire))
        .isEqualTo(new BoardRequest(3));
  }

  @Test
  void registeredMessagesShouldPassTheLocalBusByReference() throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      BusCodecs.register(vertx.eventBus());
      BoardRequest sent = new BoardRequest(3);
      vertx.eventBus().<BoardRequest>consumer("echo", m -> m.reply(m.body()));
      Object back =
          vertx
              .eventBus()
              .request("echo", sent)
              .toCompletionStage()
              .toCompletableFuture()
              .get(10, TimeUnit.SECONDS)
              .body();
      assertThat(back).isSameAs(sent);
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }
  }
}
