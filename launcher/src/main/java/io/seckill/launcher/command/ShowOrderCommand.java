package io.seckill.launcher.command;

import io.vertx.core.json.JsonObject;
import picocli.CommandLine.Command;

/** {@code seckill order show}. */
@Command(name = "show", description = "Show one order, whoever's it is.")
public final class ShowOrderCommand extends OneOrderCommand {

  @Override
  JsonObject ask(AdminClient admin, String path) throws InterruptedException {
    return admin.get(path);
  }
}
