package io.seckill.gateway.events;

import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.ItemId;
import io.seckill.gateway.GatewayMetrics;
import io.seckill.gateway.admission.Layer;
import io.seckill.gateway.api.Polls;
import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Fields;
import io.seckill.gateway.http.Json;
import io.seckill.gateway.http.LiveContent;
import io.seckill.gateway.http.Problems;
import io.seckill.gateway.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Streams what happens to a user's orders, to his places in line, and to items. Opens with where
 * they stand; a user who comes again says with {@code Last-Event-ID} what he has heard of his
 * orders.
 *
 * @param desk where streams come in
 * @param polls how often a user may come
 * @param metrics counts
 * @param epochMs the wall clock
 * @param transactionMs how long a transaction of the ledger may take
 */
public record EventsEndpoint(
    EventDesk desk, Polls polls, GatewayMetrics metrics, LongSupplier epochMs, long transactionMs)
    implements Endpoint {

  private static final int MAX_ITEMS = 20;
  private static final Set<String> PARAMETERS = Set.of("items");
  private static final CharSequence LAST_EVENT_ID = HttpHeaders.createOptimized("last-event-id");

  /** Orders that have not changed for longer are no news for somebody who opens a page. */
  private static final long RECENT_MS = TimeUnit.DAYS.toMillis(1);

  /** What the clocks of the ledger and of those who publish may differ by. */
  private static final long CLOCKS_MS = 5_000;

  /** Whoever lost his stream comes again after a second or three: a crowd must not come at once. */
  private static final long MIN_RETRY_MS = 1_000;

  private static final long MAX_RETRY_MS = 3_000;

  private static final Map<CharSequence, CharSequence> HEADERS =
      Map.of(
          HttpHeaders.CACHE_CONTROL,
          Fields.NO_STORE,
          // Proxies would collect what is to be heard at once.
          HttpHeaders.createOptimized("x-accel-buffering"),
          HttpHeaders.createOptimized("no"));

  private static final CharSequence EVENT_STREAM = HttpHeaders.createOptimized("text/event-stream");

  @Override
  public HttpMethod method() {
    return HttpMethod.GET;
  }

  @Override
  public String path() {
    return "/api/v1/events";
  }

  @Override
  public Access access() {
    return Access.USER;
  }

  @Override
  public Future<Reply> handle(Exchange exchange) {
    Set<ItemId> items = items(exchange.query(PARAMETERS).get("items"));
    return polls.ask(exchange.user(), () -> open(exchange, items));
  }

  private Future<Reply> open(Exchange exchange, Set<ItemId> items) {
    LiveContent content =
        desk.admit(
            new EventStream.Wish(
                exchange.user(), items, sinceMs(exchange), exchange.userUntilMs()));
    if (content == null) {
      metrics.refused(Layer.EVENT_STREAMS, ErrorCode.BUSY);
      return Future.succeededFuture(Problems.of(ErrorCode.BUSY));
    }
    long retryMs = ThreadLocalRandom.current().nextLong(MIN_RETRY_MS, MAX_RETRY_MS);
    return Future.succeededFuture(
        new Reply(200, EVENT_STREAM, EventTexts.retry(retryMs), HEADERS, content));
  }

  /**
   * An id that is none of ours says nothing: then all recent orders are told. An event is dated
   * before its transaction ends, so older ones may come after it, by as much as that may take.
   */
  private long sinceMs(Exchange exchange) {
    long now = epochMs.getAsLong();
    long overlapMs = transactionMs + CLOCKS_MS;
    String last = exchange.onlyHeader(LAST_EVENT_ID);
    return last == null || !last.matches("[0-9]{1,18}")
        ? now - RECENT_MS
        : Math.max(Math.min(Long.parseLong(last), now) - overlapMs, now - RECENT_MS);
  }

  private static Set<ItemId> items(String text) {
    Set<ItemId> items = new LinkedHashSet<>();
    if (text == null) {
      return items;
    }
    String[] ids = text.split(",", MAX_ITEMS + 1);
    if (ids.length > MAX_ITEMS) {
      throw Json.invalid("'items' names more than " + MAX_ITEMS + " items.");
    }
    for (String id : ids) {
      items.add(item(id));
    }
    return items;
  }

  private static ItemId item(String text) {
    try {
      return ItemId.parse(text);
    } catch (IllegalArgumentException e) {
      throw Json.invalid("'items' must be item ids, separated by commas.");
    }
  }
}
