package io.seckill.launcher.demo;

import io.seckill.common.audit.Finding;
import io.seckill.common.audit.ItemTotals;
import io.seckill.common.bus.AuditReport;
import io.seckill.common.id.ItemId;
import io.seckill.launcher.LaunchException;
import io.seckill.launcher.command.AdminClient;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;

/**
 * The operator of the shown sale: makes items, opens them, audits; all through the admin API. Its
 * methods wait and are not for an event loop.
 */
public final class SaleDesk {

  private static final DateTimeFormatter RFC_3339 = DateTimeFormatter.ISO_OFFSET_DATE_TIME;

  /** Longer than any sale here lasts. */
  public static final Duration USUAL_TIME_TO_PAY = Duration.ofMinutes(15);

  private final SaleSite site;
  private final AdminClient admin;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();

  /** At a site. */
  public SaleDesk(SaleSite site) {
    this.site = site;
    this.admin = new AdminClient(site.adminUrl(), site.adminToken());
  }

  /** Makes an item whose sale is open for a day, with the usual time to pay. */
  public void create(ItemId item, String name, long stock, int limitPerUser) {
    create(item, name, stock, limitPerUser, USUAL_TIME_TO_PAY);
  }

  /** Makes an item whose sale is open for a day. */
  public void create(ItemId item, String name, long stock, int limitPerUser, Duration payWithin) {
    // Opened a minute ago: Redis' clock decides, and it may be another machine's.
    Instant opening = Instant.now().minusSeconds(60);
    JsonObject body =
        new JsonObject()
            .put("itemId", item.toString())
            .put("name", name)
            .put("priceMinor", 99_900)
            .put("currency", "CNY")
            .put("limitPerUser", limitPerUser)
            .put("startsAt", rfc3339(opening))
            .put("endsAt", rfc3339(opening.plus(Duration.ofDays(1))))
            .put("payWithinMs", payWithin.toMillis())
            .put("stock", stock);
    post("/api/v1/admin/items", body);
  }

  /** Brings an item's units into Redis and opens it. */
  public void preheat(ItemId item) {
    post("/api/v1/admin/items/" + item + "/preheat", new JsonObject());
  }

  /** Ends its sale for good. */
  public void end(ItemId item) {
    post("/api/v1/admin/items/" + item + "/end", new JsonObject());
  }

  /** Whether the storefront shows the item as open, so that every gateway may sell it. */
  boolean isOnSale(ItemId item) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(site.storefrontUrl() + "/api/v1/items/" + item))
            .timeout(Duration.ofSeconds(5))
            .build();
    HttpResponse<String> answer = send(request);
    return answer.statusCode() == 200
        && "OPEN".equals(objectIn(request, answer).getString("state"));
  }

  /**
   * Audits all items.
   *
   * @param waitFor how long the audit may wait until all wins are stored, up to a minute
   */
  AuditReport audit(Duration waitFor) {
    JsonObject body = new JsonObject().put("waitMs", waitFor.toMillis());
    JsonObject report = post("/api/v1/admin/audit", body);
    try {
      return new AuditReport(
          report.getBoolean("clean"),
          OffsetDateTime.parse(report.getString("at")).toInstant().toEpochMilli(),
          report.getLong("tookMs"),
          totals(report.getJsonArray("items")),
          findings(report.getJsonArray("findings")));
    } catch (RuntimeException e) {
      throw new LaunchException("the audit answered with no report: " + report, e);
    }
  }

  private static List<ItemTotals> totals(JsonArray items) {
    List<ItemTotals> totals = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      JsonObject item = items.getJsonObject(i);
      totals.add(
          new ItemTotals(
              ItemId.parse(item.getString("itemId")),
              item.getLong("granted"),
              item.getLong("left"),
              item.getLong("held"),
              item.getLong("inFlight"),
              item.getLong("wins"),
              item.getLong("betweenShards")));
    }
    return totals;
  }

  private static List<Finding> findings(JsonArray array) {
    List<Finding> findings = new ArrayList<>();
    for (int i = 0; i < array.size(); i++) {
      JsonObject finding = array.getJsonObject(i);
      findings.add(
          new Finding(
              finding.getString("promise"),
              finding.getString("place"),
              finding.getLong("amount"),
              finding.getString("detail")));
    }
    return findings;
  }

  private JsonObject post(String path, JsonObject body) {
    try {
      return admin.post(path, body);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LaunchException("interrupted while waiting for " + path, e);
    }
  }

  private HttpResponse<String> send(HttpRequest request) {
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new LaunchException(request.uri() + " cannot be reached (" + e + ")", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LaunchException("interrupted while waiting for " + request.uri(), e);
    }
  }

  private static JsonObject objectIn(HttpRequest request, HttpResponse<String> answer) {
    try {
      return new JsonObject(answer.body());
    } catch (DecodeException e) {
      throw new LaunchException(request.uri() + " answered no JSON: " + answer.body(), e);
    }
  }

  private static String rfc3339(Instant time) {
    return RFC_3339.format(time.atOffset(ZoneOffset.UTC));
  }
}
