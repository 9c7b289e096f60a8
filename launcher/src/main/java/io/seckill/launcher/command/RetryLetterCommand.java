package io.seckill.launcher.command;

import io.vertx.core.json.JsonObject;
import picocli.CommandLine.Command;

/** {@code seckill dead-letters retry}. */
@Command(
    name = "retry",
    description = {
      "Store what an open dead letter says after all, past the same guards as the first time.",
      "A second time it does nothing more."
    })
public final class RetryLetterCommand extends OneLetterCommand {

  @Override
  JsonObject ask(AdminClient admin, String path) throws InterruptedException {
    return admin.post(path + "/retry", new JsonObject());
  }
}
