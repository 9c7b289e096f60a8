package io.seckill.launcher.command;

import io.vertx.core.json.JsonObject;
import picocli.CommandLine.Command;

/** {@code seckill dead-letters show}. */
@Command(name = "show", description = "Show one dead letter and what it says.")
public final class ShowLetterCommand extends OneLetterCommand {

  @Override
  JsonObject ask(AdminClient admin, String path) throws InterruptedException {
    return admin.get(path);
  }
}
