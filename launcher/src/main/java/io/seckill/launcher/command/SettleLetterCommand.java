package io.seckill.launcher.command;

import io.vertx.core.json.JsonObject;
import picocli.CommandLine.Command;

/** {@code seckill dead-letters settle}. */
@Command(
    name = "settle",
    description = {
      "Give an open dead letter up: its order fails for good, and its units go back.",
      "A second time it does nothing more."
    })
public final class SettleLetterCommand extends OneLetterCommand {

  @Override
  JsonObject ask(AdminClient admin, String path) throws InterruptedException {
    return admin.post(path + "/settle", new JsonObject());
  }
}
