package io.seckill.gateway.events;

import io.seckill.gateway.GatewayMetrics;
import io.seckill.gateway.http.LiveBody;
import io.seckill.gateway.http.LiveContent;
import io.vertx.core.Context;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The door between the event loops that streams are written on and the one that knows them all.
 * Counts the open ones of the process. Safe for all threads.
 */
public final class EventDesk {

  private final int maxStreams;
  private final GatewayMetrics metrics;
  private final LongSupplier nanoTime;
  private final AtomicInteger open = new AtomicInteger();
  private volatile Room room;

  /**
   * Where streams are known.
   *
   * @param context its event loop
   * @param enter takes a stream in
   * @param leave forgets one
   */
  record Room(Context context, Consumer<EventStream> enter, Consumer<EventStream> leave) {}

  /**
   * A door that is not open yet.
   *
   * @param maxStreams streams of this process
   * @param metrics counts
   * @param nanoTime a monotonic clock in nanoseconds
   */
  public EventDesk(int maxStreams, GatewayMetrics metrics, LongSupplier nanoTime) {
    this.maxStreams = maxStreams;
    this.metrics = metrics;
    this.nanoTime = nanoTime;
    metrics.watchEventStreams(open::get);
  }

  void open(Room known) {
    room = known;
  }

  /**
   * Makes room for a stream.
   *
   * @return what is to be answered with it; null when there is no room
   */
  LiveContent admit(EventStream.Wish wish) {
    if (room == null) {
      return null;
    }
    if (open.incrementAndGet() > maxStreams) {
      open.decrementAndGet();
      return null;
    }
    return new Visit(wish);
  }

  private final class Visit implements LiveContent {

    private final EventStream.Wish wish;
    private EventStream stream;

    Visit(EventStream.Wish wish) {
      this.wish = wish;
    }

    @Override
    public void begin(LiveBody body) {
      stream = new EventStream(wish, body, nanoTime.getAsLong());
      room.context().runOnContext(unused -> room.enter().accept(stream));
    }

    @Override
    public void over(boolean tooSlow) {
      open.decrementAndGet();
      if (tooSlow) {
        metrics.droppedStream();
      }
      if (stream != null) {
        room.context().runOnContext(unused -> room.leave().accept(stream));
      }
    }
  }
}
