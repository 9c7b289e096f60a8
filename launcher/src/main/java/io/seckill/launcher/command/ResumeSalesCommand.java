package io.seckill.launcher.command;

import io.vertx.core.json.JsonObject;
import picocli.CommandLine.Command;

/** {@code seckill sales resume}. */
@Command(name = "resume", description = "Let all sales go on; items keep their own states.")
public final class ResumeSalesCommand extends SystemCommand {

  @Override
  protected int run(Output output) throws InterruptedException {
    JsonObject sales = admin().post("/api/v1/admin/sales/resume", new JsonObject());
    output.text(Shown.fields(sales));
    output.result(sales);
    return PASS;
  }
}
