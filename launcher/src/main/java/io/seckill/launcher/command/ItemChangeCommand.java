package io.seckill.launcher.command;

import io.seckill.common.id.ItemId;
import io.vertx.core.json.JsonObject;
import picocli.CommandLine.Parameters;

/** A command that changes one item. */
abstract class ItemChangeCommand extends SystemCommand {

  private final String action;

  @Parameters(
      paramLabel = "<item>",
      description = "The item's id.",
      converter = ItemIdConverter.class)
  private ItemId item;

  /**
   * A command for one route of the admin API.
   *
   * @param action the last segment of its path
   */
  ItemChangeCommand(String action) {
    this.action = action;
  }

  /** What the request says beside the item. */
  JsonObject body() {
    return new JsonObject();
  }

  @Override
  protected final int run(Output output) throws InterruptedException {
    JsonObject changed = admin().post("/api/v1/admin/items/" + item + "/" + action, body());
    output.text(Shown.fields(changed));
    output.result(changed);
    tellWhatDidNotMove(output, changed);
    return PASS;
  }

  private static void tellWhatDidNotMove(Output output, JsonObject changed) {
    long asked = changed.getLong("asked", 0L);
    long done = changed.getLong("done", 0L);
    if (done < asked) {
      output.progress(
          "%,d of %,d units moved%s"
              .formatted(
                  done,
                  asked,
                  changed.getBoolean("settled", true)
                      ? "; no more were free"
                      : " so far; a shard has not answered yet"));
    }
  }
}
