package io.seckill.launcher.bench;

import io.seckill.common.config.SeckillConfig.Durability;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.launcher.Waiting;
import io.seckill.launcher.local.TemporaryStage;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * {@code bench events}: how long it takes until a buyer with an open event stream hears that his
 * order is stored, and how many streams one gateway holds. Streams are opened over HTTP by a
 * process of their own; their owners buy once each, at a fixed pace.
 */
public final class EventsBench {

  private static final Duration STORED_BOUND = Duration.ofMinutes(5);
  private static final Duration HEARD_BOUND = Duration.ofSeconds(30);
  private static final int WARM_UP_STREAMS = 500;

  private final EventsBenchOptions options;
  private final TemporaryStage stage;
  private final Consumer<String> progress;
  private final SaleBook book = new SaleBook();
  private final List<String> reasons = new ArrayList<>();
  private BenchSite site;
  private EngineLoad load;
  private int names;

  /**
   * A bench that has not begun.
   *
   * @param stage where it takes place; the caller closes it
   * @param progress hears one line at a time
   */
  public EventsBench(EventsBenchOptions options, TemporaryStage stage, Consumer<String> progress) {
    this.options = options;
    this.stage = stage;
    this.progress = progress;
  }

  /** Runs it; waits for a minute. */
  public EventsReport run() {
    progress.accept("starting Redis, MariaDB and all roles");
    site = stage.start(() -> BenchSite.start(stage.folder().resolve("events"), Durability.NONE, 1));
    load = new EngineLoad(site.vertx(), 1);
    progress.accept("warm-up");
    measure(Math.min(WARM_UP_STREAMS, options.streams()));
    EventsReport.Part latency = measure(options.streams());
    EventsReport.Part many = measure(options.most());
    progress.accept("storing and auditing");
    BenchVerdict verdict =
        BenchVerdict.of(book, site.awaitStored(STORED_BOUND, progress)).with(reasons);
    return new EventsReport(
        options, latency, many, new BenchEnd(verdict, book.all(), site.redis().version()));
  }

  /** Opens streams, lets their owners buy, and listens until all have heard. */
  private EventsReport.Part measure(int streams) {
    ItemId item = site.open("For " + streams + " streams", streams);
    book.open(item, streams);
    String name = "e" + names++ + "-";
    progress.accept("opening %,d event streams".formatted(streams));
    try (EventReading reading = stage.start(() -> new EventReading(wish(item, name, streams)))) {
      JsonObject opened = reading.opened();
      progress.accept("their owners buy, %,d a second, one each".formatted(options.perSecond()));
      Bounds bounds =
          Bounds.of(Duration.ofSeconds(30 + streams / options.perSecond())).atMost(streams);
      Tally tally =
          Waiting.forResult(
              load.startPaced(Buyers.of(item, name), options.perSecond(), bounds),
              bounds.waiting(),
              "the purchases");
      book.add(List.of(item), tally);
      JsonObject heard = reading.heard(HEARD_BOUND);
      reasons.addAll(reasons(streams, opened, heard, tally));
      return new EventsReport.Part(
          streams,
          opened.getInteger("open"),
          heard.getInteger("heard"),
          heard.getJsonObject("latencyMs"));
    }
  }

  private JsonObject wish(ItemId item, String name, int streams) {
    JsonArray tokens = new JsonArray();
    IntStream.range(0, streams)
        .mapToObj(i -> site.buyerToken(new UserId(name + i)))
        .forEach(tokens::add);
    return new JsonObject()
        .put("host", site.storefront().host())
        .put("port", site.storefront().port())
        .put("items", item.toString())
        .put("tokens", tokens);
  }

  /** Why it is a FAIL however fast the machine is: each owner was to buy, and to hear of it. */
  static List<String> reasons(int streams, JsonObject opened, JsonObject heard, Tally tally) {
    List<String> reasons = new ArrayList<>();
    if (opened.getInteger("open") < streams) {
      reasons.add(
          "%d of %d streams were not opened: %s"
              .formatted(
                  streams - opened.getInteger("open"), streams, opened.getString("refusal")));
    }
    tally.missing(streams).ifPresent(reasons::add);
    long shouldHear = Math.min(tally.accepted(), opened.getInteger("open"));
    if (heard.getInteger("heard") < shouldHear) {
      reasons.add(
          "%d of %d buyers with an open stream did not hear of their orders %s"
              .formatted(
                  shouldHear - heard.getInteger("heard"), shouldHear, heard.getString("refusal")));
    }
    return reasons;
  }
}
