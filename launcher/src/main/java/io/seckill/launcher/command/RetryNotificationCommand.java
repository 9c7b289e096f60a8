package io.seckill.launcher.command;

import io.seckill.launcher.UsageException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code seckill notifications retry}. */
@Command(
    name = "retry",
    description = {
      "Have dead notifications told again, under their ids.",
      "They come after what the receiver was told meanwhile."
    })
public final class RetryNotificationCommand extends SystemCommand {

  @Parameters(arity = "0..*", paramLabel = "<id>", description = "Ids of notifications.")
  private List<Long> ids = new ArrayList<>();

  @Option(names = "--all", description = "All that are dead now.")
  private boolean all;

  @Override
  protected int run(Output output) throws InterruptedException {
    if (all == !ids.isEmpty()) {
      throw new UsageException("name notifications, or say --all");
    }
    AdminClient admin = admin();
    List<Long> retried = all ? dead(admin) : ids;
    for (long id : retried) {
      admin.post(NotificationsCommand.PATH + "/" + id + "/retry", new JsonObject());
    }
    output.text("told again: " + retried.size());
    output.result(
        new JsonObject()
            .put("retried", new JsonArray(retried.stream().map(String::valueOf).toList())));
    return PASS;
  }

  private static List<Long> dead(AdminClient admin) throws InterruptedException {
    List<Long> dead = new ArrayList<>();
    String after = "";
    while (true) {
      JsonObject page = admin.get(NotificationsCommand.PATH + "?state=DEAD&limit=100" + after);
      page.getJsonArray("notifications")
          .forEach(each -> dead.add(Long.parseLong(((JsonObject) each).getString("id"))));
      if (page.getString("next") == null) {
        return dead;
      }
      after = "&after=" + page.getString("next");
    }
  }
}
