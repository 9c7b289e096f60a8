package io.seckill.common.bus;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.MessageCodec;
import java.io.IOException;
import java.util.List;

/**
 * Every message that crosses the event bus, in one list. All roles register all of them before
 * their first consumer: a codec that is missing on one node shows only as time-outs.
 *
 * <p>Messages are immutable records, so the local bus passes them by reference. Between nodes they
 * travel as JSON behind a length; the version is part of the codec's name, so two versions never
 * misread each other.
 */
public final class BusCodecs {

  private static final String VERSION = "v2";

  private static final List<Class<? extends Record>> MESSAGES =
      List.of(
          PurchaseBatch.class,
          PurchaseReplies.class,
          WaitlistJoin.class,
          WaitlistLeave.class,
          WaitlistPlace.class,
          PlacesQuery.class,
          Places.class,
          Board.class,
          BoardRequest.class,
          ItemView.class,
          ItemCreate.class,
          ItemChange.class,
          ItemChanged.class,
          SalesChange.class,
          SalesQuery.class,
          SalesRecord.class,
          TransferStore.class,
          TransferStored.class,
          ItemQuery.class,
          ItemRecords.class,
          RegionJoin.class,
          RegionJoined.class,
          ShardClaim.class,
          ShardClaimed.class,
          EpochClose.class,
          EpochClosed.class,
          ShardOpen.class,
          ShardSnapshotQuery.class,
          ShardSnapshot.class,
          ShardReceiptsQuery.class,
          ShardReceipts.class,
          ShardHoldingsQuery.class,
          ShardHoldings.class,
          ShardWaitersQuery.class,
          ShardWaiters.class,
          OrderQuery.class,
          OrdersQuery.class,
          OrderViews.class,
          OrdersChangedQuery.class,
          OrderEvents.class,
          OrderCancel.class,
          OrderRefund.class,
          PaymentStart.class,
          PaymentStarted.class,
          PaymentNotice.class,
          ReleasesQuery.class,
          Releases.class,
          ReleasesWaiting.class,
          DeadLettersQuery.class,
          DeadLetters.class,
          DeadLetterQuery.class,
          DeadLetter.class,
          DeadLetterChange.class,
          NotificationsQuery.class,
          Notifications.class,
          NotificationRetry.class,
          AuditRequest.class,
          AuditReport.class,
          Done.class);

  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          // A node that is one release older must be able to read what a newer one added.
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  private BusCodecs() {}

  /** Registers every codec. Call once for each Vert.x instance, before any consumer. */
  public static void register(EventBus bus) {
    for (Class<? extends Record> message : MESSAGES) {
      registerOne(bus, message);
    }
  }

  /** The message types, for tests that hold them all to a round trip. */
  public static List<Class<? extends Record>> messages() {
    return MESSAGES;
  }

  /** The codec of one message type. */
  public static <T extends Record> MessageCodec<T, T> codecOf(Class<T> type) {
    return new RecordCodec<>(type);
  }

  private static <T extends Record> void registerOne(EventBus bus, Class<T> type) {
    bus.registerDefaultCodec(type, codecOf(type));
  }

  private record RecordCodec<T extends Record>(Class<T> type) implements MessageCodec<T, T> {

    @Override
    public void encodeToWire(Buffer buffer, T message) {
      try {
        byte[] json = MAPPER.writeValueAsBytes(message);
        buffer.appendInt(json.length).appendBytes(json);
      } catch (JsonProcessingException e) {
        throw new IllegalStateException("cannot write " + name(), e);
      }
    }

    @Override
    public T decodeFromWire(int position, Buffer buffer) {
      int length = buffer.getInt(position);
      try {
        return MAPPER.readValue(buffer.getBytes(position + 4, position + 4 + length), type);
      } catch (IOException e) {
        throw new IllegalStateException("cannot read " + name(), e);
      }
    }

    @Override
    public T transform(T message) {
      return message;
    }

    @Override
    public String name() {
      return "seckill." + type.getSimpleName() + "." + VERSION;
    }

    @Override
    public byte systemCodecID() {
      return -1;
    }
  }
}
