package io.seckill.launcher.command;

import io.vertx.core.json.JsonObject;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code seckill item list}. */
@Command(name = "list", description = "List the items.")
public final class ListItemsCommand extends SystemCommand {

  @Override
  protected int run(Output output) throws InterruptedException {
    JsonObject answer = admin().get("/api/v1/admin/items");
    List<JsonObject> items = itemsOf(answer);
    output.text(items.isEmpty() ? "there are no items yet" : Shown.table(items));
    output.result(answer);
    return PASS;
  }

  static List<JsonObject> itemsOf(JsonObject answer) {
    return answer.getJsonArray("items").stream().map(JsonObject.class::cast).toList();
  }
}
