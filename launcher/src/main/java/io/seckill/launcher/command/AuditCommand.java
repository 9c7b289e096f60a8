package io.seckill.launcher.command;

import io.seckill.common.id.ItemId;
import io.seckill.launcher.UsageException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code seckill audit}. */
@Command(
    name = "audit",
    description = "Check that a running system sold exactly what it had. Exit code 0 when clean.")
public final class AuditCommand extends SystemCommand {

  private static final long MAX_WAIT_MS = 60_000;

  @Option(
      names = "--item",
      paramLabel = "<item>",
      converter = ItemIdConverter.class,
      description = "One item (default: all).")
  private ItemId item;

  @Option(
      names = "--wait-ms",
      paramLabel = "<ms>",
      defaultValue = "10000",
      description =
          "How long to wait until all wins are stored, at most 60000 (default:"
              + " ${DEFAULT-VALUE}).")
  private long waitMs;

  @Override
  protected int run(Output output) throws InterruptedException {
    if (waitMs < 0 || waitMs > MAX_WAIT_MS) {
      throw new UsageException("--wait-ms must be 0 to " + MAX_WAIT_MS + ", not " + waitMs);
    }
    JsonObject body = new JsonObject().put("waitMs", waitMs);
    if (item != null) {
      body.put("itemId", item.toString());
    }
    JsonObject report = admin().post("/api/v1/admin/audit", body);
    boolean clean = Boolean.TRUE.equals(report.getBoolean("clean"));
    output.text(text(report, clean));
    output.result(new JsonObject().put("verdict", clean ? "PASS" : "FAIL").mergeIn(report));
    return clean ? PASS : FAIL;
  }

  private static String text(JsonObject report, boolean clean) {
    String items =
        report.getJsonArray("items", new JsonArray()).stream()
            .map(JsonObject.class::cast)
            .map(
                totals ->
                    "item %s: granted %s = left %s + held %s + in flight %s + between shards %s; wins %s%n"
                        .formatted(
                            totals.getValue("itemId"),
                            totals.getValue("granted"),
                            totals.getValue("left"),
                            totals.getValue("held"),
                            totals.getValue("inFlight"),
                            totals.getValue("betweenShards"),
                            totals.getValue("wins")))
            .collect(Collectors.joining());
    String findings =
        report.getJsonArray("findings", new JsonArray()).stream()
            .map(JsonObject.class::cast)
            .map(
                finding ->
                    "%s broken at %s by %s: %s%n"
                        .formatted(
                            finding.getValue("promise"),
                            finding.getValue("place"),
                            finding.getValue("amount"),
                            finding.getValue("detail")))
            .collect(Collectors.joining());
    return items + findings + (clean ? "PASS" : "FAIL");
  }
}
