package io.seckill.launcher.command;

import io.seckill.common.id.ItemId;
import io.seckill.launcher.LaunchException;
import io.vertx.core.json.JsonObject;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code seckill item show}. */
@Command(name = "show", description = "Show one item.")
public final class ShowItemCommand extends SystemCommand {

  @Parameters(
      paramLabel = "<item>",
      description = "The item's id.",
      converter = ItemIdConverter.class)
  private ItemId item;

  @Override
  protected int run(Output output) throws InterruptedException {
    JsonObject found =
        ListItemsCommand.itemsOf(admin().get("/api/v1/admin/items")).stream()
            .filter(each -> item.toString().equals(each.getString("itemId")))
            .findFirst()
            .orElseThrow(
                () ->
                    new LaunchException(
                        "NOT_FOUND: there is no item "
                            + item
                            + ", or it ended long ago; see 'seckill item list'"));
    output.text(Shown.fields(found));
    output.result(found);
    return PASS;
  }
}
