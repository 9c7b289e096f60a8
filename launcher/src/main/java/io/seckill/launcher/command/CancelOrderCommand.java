package io.seckill.launcher.command;

import io.vertx.core.json.JsonObject;
import picocli.CommandLine.Command;

/** {@code seckill order cancel}. */
@Command(
    name = "cancel",
    description = {
      "End an order that is not paid; its units go back on sale.",
      "A second time it does nothing more."
    })
public final class CancelOrderCommand extends OneOrderCommand {

  @Override
  JsonObject ask(AdminClient admin, String path) throws InterruptedException {
    return admin.post(path + "/cancel", new JsonObject());
  }
}
