package io.seckill.launcher.command;

import io.seckill.common.id.ItemId;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code seckill item create}. */
@Command(name = "create", description = "Create an item with its stock; preheat opens its sale.")
public final class CreateItemCommand extends SystemCommand {

  @Option(
      names = "--id",
      paramLabel = "<item>",
      converter = ItemIdConverter.class,
      description = "Its id (default: the time in milliseconds).")
  private ItemId id;

  @Option(names = "--name", required = true, paramLabel = "<text>", description = "Its name.")
  private String name;

  @Option(
      names = "--price",
      required = true,
      paramLabel = "<n>",
      description = "Its price in minor units, such as cents.")
  private long priceMinor;

  @Option(
      names = "--currency",
      paramLabel = "<code>",
      defaultValue = "CNY",
      description = "Three letters of ISO 4217 (default: ${DEFAULT-VALUE}).")
  private String currency;

  @Option(
      names = "--picture",
      paramLabel = "<url>",
      defaultValue = "",
      description = "Path or https URL of a picture.")
  private String picture;

  @Option(names = "--stock", required = true, paramLabel = "<n>", description = "Units to sell.")
  private long stock;

  @Option(
      names = "--limit",
      paramLabel = "<n>",
      defaultValue = "1",
      description = "Units that one user may hold (default: ${DEFAULT-VALUE}).")
  private int limit;

  @ArgGroup(exclusive = false)
  private Group group;

  private static final class Group {

    @Option(
        names = "--group",
        required = true,
        paramLabel = "<group>",
        description = "Group of variants that share a limit, [A-Za-z0-9_.-]{1,64}.")
    private String id;

    @Option(
        names = "--group-limit",
        required = true,
        paramLabel = "<n>",
        description = "Units of all its items together that one user may hold.")
    private int limit;
  }

  @Option(
      names = "--starts",
      paramLabel = "<time>",
      description = "Opening, such as 2026-11-11T00:00:00+08:00 (default: now).")
  private OffsetDateTime starts;

  @Option(
      names = "--ends",
      paramLabel = "<time>",
      description = "End (default: 24 hours after the opening).")
  private OffsetDateTime ends;

  @Option(
      names = "--pay-within-ms",
      paramLabel = "<ms>",
      description = "Time to pay (default: 15 minutes).")
  private Long payWithinMs;

  @Option(names = "--preheat", description = "Also preheat it, so that its sale is open.")
  private boolean preheat;

  @Override
  protected int run(Output output) throws InterruptedException {
    AdminClient admin = admin();
    JsonObject created = admin.post("/api/v1/admin/items", body());
    JsonObject shown =
        preheat
            ? admin.post(
                "/api/v1/admin/items/" + created.getString("itemId") + "/preheat", new JsonObject())
            : created;
    output.text(Shown.fields(shown));
    output.result(shown);
    return PASS;
  }

  private JsonObject body() {
    Instant opens = starts == null ? Instant.now() : starts.toInstant();
    Instant closes = ends == null ? opens.plus(Duration.ofDays(1)) : ends.toInstant();
    JsonObject body =
        new JsonObject()
            .put("itemId", id == null ? Long.toString(System.currentTimeMillis()) : id.toString())
            .put("name", name)
            .put("priceMinor", priceMinor)
            .put("currency", currency)
            .put("limitPerUser", limit)
            .put("startsAt", opens.toString())
            .put("endsAt", closes.toString())
            .put("stock", stock)
            .put("payWithinMs", payWithinMs == null ? TimeUnit.MINUTES.toMillis(15) : payWithinMs);
    if (group != null) {
      body.put("group", new JsonObject().put("id", group.id).put("limitPerUser", group.limit));
    }
    return picture.isEmpty() ? body : body.put("picture", picture);
  }
}
