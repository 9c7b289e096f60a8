package io.seckill.gateway;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.seckill.common.error.ErrorCode;
import io.seckill.gateway.admission.Layer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleSupplier;

/**
 * What the gateway counts. All meters are made once; tags come from enums and route templates only,
 * so strangers cannot grow them.
 *
 * <ul>
 *   <li>{@code seckill.gateway.requests{route}}: requests with a well-formed head
 *   <li>{@code seckill.gateway.refused{layer,code}}: the funnel
 *   <li>{@code seckill.gateway.purchases{outcome}}: accepted and replayed
 *   <li>{@code seckill.gateway.purchase.latency}: from the body's end to the answer, all purchases
 *       that reached the engine
 *   <li>{@code seckill.gateway.events{type}}: events sent, for each stream they went to
 *   <li>{@code seckill.gateway.event.streams.dropped}: streams whose client did not read
 *   <li>{@code seckill.gateway.event.streams}, {@code seckill.gateway.purchases.in.flight}, {@code
 *       seckill.gateway.connections}, {@code seckill.gateway.board.age}: gauges
 * </ul>
 */
public final class GatewayMetrics {

  private static final String UNMATCHED = "unmatched";

  private final MeterRegistry registry;
  private final Map<Layer, Map<ErrorCode, Counter>> refused = new EnumMap<>(Layer.class);
  private final Map<String, Counter> byRoute = new HashMap<>();
  private final Counter unmatched;
  private final Counter accepted;
  private final Counter replayed;
  private final Timer purchaseLatency;
  private final Map<EventType, Counter> events = new EnumMap<>(EventType.class);
  private final Counter droppedStreams;
  private final AtomicInteger connections = new AtomicInteger();

  /**
   * Makes the meters.
   *
   * @param registry where they live
   * @param routes templates of all routes of this process
   */
  public GatewayMetrics(MeterRegistry registry, List<String> routes) {
    this.registry = registry;
    for (Layer layer : Layer.values()) {
      Map<ErrorCode, Counter> byCode = new EnumMap<>(ErrorCode.class);
      for (ErrorCode code : layer.codes()) {
        byCode.put(
            code,
            Counter.builder("seckill.gateway.refused")
                .description("Requests that a layer refused")
                .tag("layer", layer.tag())
                .tag("code", code.name())
                .register(registry));
      }
      refused.put(layer, byCode);
    }
    for (String route : routes) {
      byRoute.computeIfAbsent(route, this::requests);
    }
    unmatched = requests(UNMATCHED);
    accepted = purchases("accepted");
    replayed = purchases("replayed");
    purchaseLatency = latency();
    for (EventType type : EventType.values()) {
      events.put(
          type,
          Counter.builder("seckill.gateway.events")
              .description("Events sent, for each stream they went to")
              .tag("type", type.tag())
              .register(registry));
    }
    droppedStreams =
        Counter.builder("seckill.gateway.event.streams.dropped")
            .description("Event streams cut off because their client did not read")
            .register(registry);
    Gauge.builder("seckill.gateway.connections", connections, AtomicInteger::get)
        .description("Open connections")
        .register(registry);
  }

  /** What an event tells of. */
  public enum EventType {
    /** An order. */
    ORDER,
    /** A place in line. */
    PLACE,
    /** An item. */
    ITEM;

    private final String tag = name().toLowerCase(Locale.ROOT);

    /** Its name, in metrics and on the stream. */
    public String tag() {
      return tag;
    }
  }

  /** Watches the open event streams. */
  public void watchEventStreams(DoubleSupplier open) {
    Gauge.builder("seckill.gateway.event.streams", open::getAsDouble)
        .description("Open event streams")
        .register(registry);
  }

  /** An event went to so many streams. */
  public void sent(EventType type, int streams) {
    events.get(type).increment(streams);
  }

  /** A stream was cut off because its client did not read. */
  public void droppedStream() {
    droppedStreams.increment();
  }

  /** Watches the purchases that wait for an answer. */
  public void watchInFlight(DoubleSupplier inFlight) {
    Gauge.builder("seckill.gateway.purchases.in.flight", inFlight::getAsDouble)
        .description("Purchases that wait for the engine")
        .register(registry);
  }

  /** Watches how old the board is, in seconds. */
  public void watchBoardAge(DoubleSupplier ageSeconds) {
    Gauge.builder("seckill.gateway.board.age", ageSeconds::getAsDouble)
        .description("Age of the item board; NaN before the first")
        .baseUnit("seconds")
        .register(registry);
  }

  /** A request whose route is known, or null when it matched none. */
  public void request(String route) {
    byRoute.getOrDefault(route, unmatched).increment();
  }

  /** A layer said no. */
  public void refused(Layer layer, ErrorCode code) {
    Counter counter = refused.get(layer).get(code);
    (counter == null ? refused.get(Layer.HANDLER).get(code) : counter).increment();
  }

  /** A purchase got or kept its order. */
  public void won(boolean asReplay) {
    (asReplay ? replayed : accepted).increment();
  }

  /** The engine answered, or failed to, after so long. */
  public void purchaseTook(long nanos) {
    purchaseLatency.record(nanos, TimeUnit.NANOSECONDS);
  }

  /** The number of open connections, to be counted up and down. */
  public AtomicInteger connections() {
    return connections;
  }

  private Counter requests(String route) {
    return Counter.builder("seckill.gateway.requests")
        .description("Requests")
        .tag("route", route)
        .register(registry);
  }

  private Counter purchases(String outcome) {
    return Counter.builder("seckill.gateway.purchases")
        .description("Purchases that have an order")
        .tag("outcome", outcome)
        .register(registry);
  }

  private Timer latency() {
    Duration[] bounds =
        List.of(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000).stream()
            .map(Duration::ofMillis)
            .toArray(Duration[]::new);
    return Timer.builder("seckill.gateway.purchase.latency")
        .description("From the end of a purchase's body to its answer")
        .serviceLevelObjectives(bounds)
        .register(registry);
  }
}
