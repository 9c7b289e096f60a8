package io.seckill.launcher.command;

import io.seckill.common.id.LetterId;
import io.vertx.core.json.JsonObject;
import java.util.stream.Collectors;
import picocli.CommandLine.Parameters;

/** A command about one dead letter: asks the admin API and shows the letter as it then is. */
abstract class OneLetterCommand extends SystemCommand {

  @Parameters(
      paramLabel = "<letter>",
      description = "The letter's name: <region>:<shard>:<epoch>:<seq>.",
      converter = LetterIdConverter.class)
  private LetterId letter;

  /**
   * Asks.
   *
   * @param admin the system
   * @param path of the letter in the admin API
   * @return the letter
   */
  abstract JsonObject ask(AdminClient admin, String path) throws InterruptedException;

  @Override
  protected final int run(Output output) throws InterruptedException {
    JsonObject found = ask(admin(), DeadLettersCommand.PATH + "/" + letter);
    output.text(Shown.fields(found.copy().put("units", units(found))));
    output.result(found);
    return PASS;
  }

  /** What its win took, in words. */
  static String units(JsonObject letter) {
    String units =
        letter.getJsonArray("units").stream()
            .map(JsonObject.class::cast)
            .map(taken -> taken.getValue("units") + " of item " + taken.getValue("itemId"))
            .collect(Collectors.joining(", "));
    return units.isEmpty() ? "-" : units;
  }
}
