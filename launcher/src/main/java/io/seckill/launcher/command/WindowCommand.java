package io.seckill.launcher.command;

import io.vertx.core.json.JsonObject;
import java.time.OffsetDateTime;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code seckill item window}. */
@Command(name = "window", description = "Change the opening and the end of a sale.")
public final class WindowCommand extends ItemChangeCommand {

  @Option(
      names = "--starts",
      required = true,
      paramLabel = "<time>",
      description = "Opening, such as 2026-11-11T00:00:00+08:00.")
  private OffsetDateTime starts;

  @Option(names = "--ends", required = true, paramLabel = "<time>", description = "End.")
  private OffsetDateTime ends;

  /** For the command line. */
  public WindowCommand() {
    super("window");
  }

  @Override
  JsonObject body() {
    return new JsonObject()
        .put("startsAt", starts.toInstant().toString())
        .put("endsAt", ends.toInstant().toString());
  }
}
