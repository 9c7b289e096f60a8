package io.seckill.launcher.command;

import io.seckill.common.id.OrderId;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.stream.Collectors;
import picocli.CommandLine.Parameters;

/** A command about one order: asks the admin API and shows the order as it then is. */
abstract class OneOrderCommand extends SystemCommand {

  @Parameters(
      paramLabel = "<order>",
      description = "The order's id.",
      converter = OrderIdConverter.class)
  private OrderId order;

  /**
   * Asks.
   *
   * @param admin the system
   * @param path of the order in the admin API
   * @return the order
   */
  abstract JsonObject ask(AdminClient admin, String path) throws InterruptedException;

  @Override
  protected final int run(Output output) throws InterruptedException {
    JsonObject found = ask(admin(), "/api/v1/admin/orders/" + order);
    output.text(Shown.fields(withLinesInWords(found)));
    output.result(found);
    return PASS;
  }

  private static JsonObject withLinesInWords(JsonObject order) {
    JsonArray lines = order.getJsonArray("lines");
    return lines == null
        ? order
        : order
            .copy()
            .put(
                "lines",
                lines.stream()
                    .map(JsonObject.class::cast)
                    .map(line -> line.getValue("quantity") + " of item " + line.getValue("itemId"))
                    .collect(Collectors.joining(", ")));
  }
}
