package io.seckill.launcher.command;

import io.seckill.common.bus.ItemChange;
import io.seckill.common.id.ItemId;
import io.vertx.core.json.JsonObject;
import java.util.Locale;
import picocli.CommandLine.Parameters;

/** A command that changes one item. */
abstract class ItemChangeCommand extends SystemCommand {

  private final ItemChange.Action action;

  @Parameters(
      paramLabel = "<item>",
      description = "The item's id.",
      converter = ItemIdConverter.class)
  private ItemId item;

  ItemChangeCommand(ItemChange.Action action) {
    this.action = action;
  }

  /** What the request says beside the item. */
  JsonObject body() {
    return new JsonObject();
  }

  @Override
  protected final int run(Output output) throws InterruptedException {
    String path = "/api/v1/admin/items/" + item + "/" + action.name().toLowerCase(Locale.ROOT);
    JsonObject changed = admin().post(path, body());
    output.text(Shown.fields(changed));
    output.result(changed);
    return PASS;
  }
}
