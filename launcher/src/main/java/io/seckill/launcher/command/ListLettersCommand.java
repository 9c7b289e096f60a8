package io.seckill.launcher.command;

import io.seckill.common.id.LetterId;
import io.seckill.common.order.LetterState;
import io.vertx.core.json.JsonObject;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code seckill dead-letters list}. */
@Command(name = "list", description = "List a page of dead letters, by name.")
public final class ListLettersCommand extends SystemCommand {

  private static final List<String> HEADINGS =
      List.of("LETTER", "STATE", "REASON", "OPENED", "USER", "ORDER", "UNITS");

  @Option(
      names = "--state",
      paramLabel = "<state>",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).",
      defaultValue = "OPEN")
  private LetterState state;

  @Option(names = "--all", description = "Those in any state.")
  private boolean all;

  @Option(
      names = "--after",
      paramLabel = "<letter>",
      converter = LetterIdConverter.class,
      description = "Those after this one.")
  private LetterId after;

  @Option(
      names = "--limit",
      paramLabel = "<n>",
      description = "How many at most, 1 to 100 (default: ${DEFAULT-VALUE}).",
      defaultValue = "20")
  private int limit;

  @Override
  protected int run(Output output) throws InterruptedException {
    String page = after == null ? "" : "&after=" + after;
    String wanted = all ? "ALL" : state.name();
    JsonObject answer =
        admin().get(DeadLettersCommand.PATH + "?state=" + wanted + "&limit=" + limit + page);
    String none = all ? "there are no dead letters" : "no dead letter is " + state;
    output.text(Shown.page(answer, "deadLetters", HEADINGS, ListLettersCommand::row, none));
    output.result(answer);
    return PASS;
  }

  private static List<String> row(JsonObject letter) {
    return List.of(
        Shown.text(letter, "id"),
        Shown.text(letter, "state"),
        Shown.text(letter, "reason"),
        Shown.text(letter, "openedAt"),
        Shown.text(letter, "user"),
        Shown.text(letter, "orderId"),
        OneLetterCommand.units(letter));
  }
}
