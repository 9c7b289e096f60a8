package io.seckill.launcher.command;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code seckill notifications}: its subcommands do the work. */
@Command(
    name = "notifications",
    description = "Show what a receiver outside was told of orders, and have it told again.",
    subcommands = {ListNotificationsCommand.class, RetryNotificationCommand.class})
public final class NotificationsCommand implements Runnable {

  /** Of all notifications in the admin API. */
  static final String PATH = "/api/v1/admin/notifications";

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "what to do with notifications? One of " + String.join(", ", spec.subcommands().keySet()));
  }
}
