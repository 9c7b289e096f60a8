package io.seckill.gateway.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import io.seckill.common.audit.Finding;
import io.seckill.common.audit.ItemTotals;
import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.AuditReport;
import io.seckill.common.bus.AuditRequest;
import io.seckill.common.id.ItemId;
import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.BodyRule;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Json;
import io.seckill.gateway.http.Reply;
import io.seckill.gateway.http.Times;
import io.vertx.core.Future;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;

/** Runs an audit of the promises and shows what it saw. */
public record AuditEndpoint(EventBus bus) implements Endpoint {

  private static final long MAX_WAIT_MS = 60_000;
  private static final long DEFAULT_WAIT_MS = 10_000;

  /** Beside the waiting: reading every order and receipt of a large sale. */
  private static final long WORK_MS = 60_000;

  private static final int MAX_ITEM_CHARS = 19;

  @Override
  public HttpMethod method() {
    return HttpMethod.POST;
  }

  @Override
  public String path() {
    return "/api/v1/admin/audit";
  }

  @Override
  public Access access() {
    return Access.ADMIN;
  }

  @Override
  public BodyRule body() {
    return BodyRule.OPTIONAL;
  }

  @Override
  public Future<Reply> handle(Exchange exchange) {
    AuditRequest request = request(exchange);
    return AdminRequests.<AuditReport>read(
            bus, Addresses.AUDIT, request, request.waitMs() + WORK_MS)
        .map(report -> Reply.json(200, Json.object(json -> write(json, report))));
  }

  private static AuditRequest request(Exchange exchange) {
    ItemId[] item = {null};
    long[] waitMs = {DEFAULT_WAIT_MS};
    if (exchange.hasBody()) {
      Json.read(
          exchange.body(),
          (name, value) -> {
            if (name.equals("itemId")) {
              item[0] = itemId(Json.text(value, name, MAX_ITEM_CHARS));
              return true;
            }
            if (name.equals("waitMs")) {
              waitMs[0] = Json.integer(value, name, 0, MAX_WAIT_MS);
              return true;
            }
            return false;
          });
    }
    return new AuditRequest(item[0], waitMs[0]);
  }

  private static ItemId itemId(String text) {
    try {
      return ItemId.parse(text);
    } catch (IllegalArgumentException e) {
      throw Json.invalid("'itemId' must be a positive integer as a string.");
    }
  }

  private static void write(JsonGenerator json, AuditReport report) throws IOException {
    json.writeBooleanField("clean", report.clean());
    json.writeStringField("at", Times.rfc3339(report.atMs()));
    json.writeNumberField("tookMs", report.tookMs());
    json.writeArrayFieldStart("items");
    for (ItemTotals item : report.items()) {
      json.writeStartObject();
      json.writeStringField("itemId", item.item().toString());
      json.writeNumberField("granted", item.granted());
      json.writeNumberField("left", item.left());
      json.writeNumberField("held", item.held());
      json.writeNumberField("inFlight", item.inFlight());
      json.writeNumberField("betweenShards", item.betweenShards());
      json.writeNumberField("wins", item.wins());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeArrayFieldStart("findings");
    for (Finding finding : report.findings()) {
      json.writeStartObject();
      json.writeStringField("promise", finding.promise());
      json.writeStringField("place", finding.place());
      json.writeNumberField("amount", finding.amount());
      json.writeStringField("detail", finding.detail());
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
