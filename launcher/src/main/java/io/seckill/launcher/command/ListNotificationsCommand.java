package io.seckill.launcher.command;

import io.seckill.common.order.NotificationState;
import io.vertx.core.json.JsonObject;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code seckill notifications list}. */
@Command(name = "list", description = "List a page of notifications, the oldest first.")
public final class ListNotificationsCommand extends SystemCommand {

  private static final List<String> HEADINGS =
      List.of("ID", "AT", "USER", "ORDER", "STATUS", "TRIES", "FAILURE");

  @Option(
      names = "--state",
      paramLabel = "<state>",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).",
      defaultValue = "DEAD")
  private NotificationState state;

  @Option(
      names = "--after",
      paramLabel = "<id>",
      description = "Those after this one.",
      defaultValue = "0")
  private long after;

  @Option(
      names = "--limit",
      paramLabel = "<n>",
      description = "How many at most, 1 to 100 (default: ${DEFAULT-VALUE}).",
      defaultValue = "20")
  private int limit;

  @Override
  protected int run(Output output) throws InterruptedException {
    String page = after == 0 ? "" : "&after=" + after;
    JsonObject answer =
        admin().get(NotificationsCommand.PATH + "?state=" + state + "&limit=" + limit + page);
    String none = "no notification is " + state;
    output.text(Shown.page(answer, "notifications", HEADINGS, ListNotificationsCommand::row, none));
    output.result(answer);
    return PASS;
  }

  private static List<String> row(JsonObject notification) {
    return List.of(
        Shown.text(notification, "id"),
        Shown.text(notification, "at"),
        Shown.text(notification, "user"),
        Shown.text(notification, "orderId"),
        Shown.text(notification, "status"),
        Shown.text(notification, "tries"),
        Shown.text(notification, "failure"));
  }
}
