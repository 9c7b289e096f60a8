package io.seckill.launcher.command;

import io.vertx.core.json.JsonObject;
import picocli.CommandLine.Command;

/** {@code seckill sales show}. */
@Command(name = "show", description = "Show whether all sales are stopped.")
public final class ShowSalesCommand extends SystemCommand {

  @Override
  protected int run(Output output) throws InterruptedException {
    JsonObject sales = admin().get("/api/v1/admin/sales");
    output.text(Shown.fields(sales));
    output.result(sales);
    return PASS;
  }
}
