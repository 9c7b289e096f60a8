package io.seckill.launcher.command;

import io.vertx.core.json.JsonObject;
import picocli.CommandLine.Command;

/** {@code seckill order refund}. */
@Command(
    name = "refund",
    description = {
      "Give the money of a paid order back; its units go back on sale.",
      "It is REFUND_PENDING until the provider has paid, then REFUNDED. A second time it does"
          + " nothing more."
    })
public final class RefundOrderCommand extends OneOrderCommand {

  @Override
  JsonObject ask(AdminClient admin, String path) throws InterruptedException {
    return admin.post(path + "/refund", new JsonObject());
  }
}
