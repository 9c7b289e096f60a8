package io.seckill.launcher.command;

import io.seckill.launcher.Failures;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;

/**
 * Where a command speaks. Standard output has the result and nothing else: text for people, or with
 * {@code --json} one object as its one line. Progress and failures go to standard error.
 */
public final class Output {

  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean json;

  Output(PrintWriter out, PrintWriter err, boolean json) {
    this.out = out;
    this.err = err;
    this.json = json;
  }

  /** Whether the result is wanted as JSON. */
  public boolean isJson() {
    return json;
  }

  /** A line about what is going on. */
  public void progress(String line) {
    err.println(line);
    err.flush();
  }

  /** The result for people; with {@code --json} it goes to standard error. */
  public void text(String lines) {
    PrintWriter to = json ? err : out;
    to.println(lines);
    to.flush();
  }

  /** The result as one line of JSON; without {@code --json} nothing. */
  public void result(JsonObject result) {
    if (json) {
      out.println(result.encode());
      out.flush();
    }
  }

  /** What went wrong, in one message; with {@code --json} also as {@code {"error":…}}. */
  void failure(Throwable failure, boolean withStack) {
    String message = Failures.describe(failure);
    err.println("seckill: " + message);
    if (withStack) {
      failure.printStackTrace(err);
    }
    err.flush();
    result(new JsonObject().put("error", message));
  }
}
