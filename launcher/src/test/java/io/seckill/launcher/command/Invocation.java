package io.seckill.launcher.command;

import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/**
 * One call of the command line in this JVM.
 *
 * @param exitCode what the program would end with
 * @param out standard output
 * @param err standard error
 */
record Invocation(int exitCode, String out, String err) {

  static Invocation of(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = SeckillCommand.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    return new Invocation(line.execute(arguments), out.toString(), err.toString());
  }

  /** Standard output, which has to be one JSON object on one line. */
  JsonObject json() {
    if (out.lines().count() != 1) {
      throw new AssertionError("not one line: " + out + err);
    }
    return new JsonObject(out);
  }
}
