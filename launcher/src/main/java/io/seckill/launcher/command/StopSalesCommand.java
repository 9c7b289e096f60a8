package io.seckill.launcher.command;

import io.vertx.core.json.JsonObject;
import picocli.CommandLine.Command;

/** {@code seckill sales stop}. */
@Command(
    name = "stop",
    description = "Stop all sales; nobody wins anything until they are resumed.")
public final class StopSalesCommand extends SystemCommand {

  @Override
  protected int run(Output output) throws InterruptedException {
    JsonObject sales = admin().post("/api/v1/admin/sales/stop", new JsonObject());
    output.text(Shown.fields(sales));
    output.result(sales);
    return PASS;
  }
}
