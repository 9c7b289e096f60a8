package io.seckill.lua;

import io.vertx.redis.client.impl.types.ErrorType;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sorts what the client library fails with. */
final class RedisErrors {

  /** Replies with which Redis says that it did not execute the command. */
  private static final Set<String> NOT_EXECUTED =
      Set.of(
          "READONLY",
          "LOADING",
          "MISCONF",
          "OOM",
          "TRYAGAIN",
          "MOVED",
          "ASK",
          "CLUSTERDOWN",
          "MASTERDOWN",
          "BUSY",
          "NOSCRIPT",
          "NOREPLICAS",
          "NOAUTH",
          "NOPERM",
          "CROSSSLOT",
          "NOGROUP",
          "BUSYGROUP",
          "WRONGTYPE");

  /**
   * Those that mean "nothing was written" also when a command inside a script raised them: refusals
   * by the state of the server. It cannot change within a script, and at its memory bound Redis
   * refuses only a script's first write.
   */
  private static final Set<String> NOTHING_WRITTEN =
      Set.of("READONLY", "MISCONF", "OOM", "NOREPLICAS");

  /**
   * Replies after which the connection leads to the wrong server, or to none that helps: ask the
   * topology again. ASK and TRYAGAIN are not among them: they pass when the move of the slot ends,
   * which MOVED tells.
   */
  private static final Set<String> WRONG_SERVER =
      Set.of("READONLY", "MOVED", "CLUSTERDOWN", "MASTERDOWN");

  /**
   * Redis 6 wraps an error that a command raised inside a script: "ERR Error running script (call
   * to f_…): @user_script:12: @user_script: 12: -OOM …".
   */
  private static final Pattern WRAPPED =
      Pattern.compile("^ERR Error running script .*?: -?([A-Z]{3,}) ");

  /** Redis 7 gives the error itself and ends it with "script: <sha1>, on @user_script:12.". */
  private static final String RAISED_IN_SCRIPT = "@user_script:";

  /** With this the client library fails calls whose connection ends: no server said it. */
  private static final String CONNECTION_CLOSED = "CONNECTION_CLOSED";

  private RedisErrors() {}

  static RedisCallException translate(Throwable failure) {
    if (failure instanceof RedisCallException e) {
      return e;
    }
    if (failure instanceof ErrorType error && !error.is(CONNECTION_CLOSED)) {
      String text = String.valueOf(error.getMessage());
      String code = codeOf(text);
      Set<String> harmless = text.contains(RAISED_IN_SCRIPT) ? NOTHING_WRITTEN : NOT_EXECUTED;
      return new RedisCallException(
          harmless.contains(code)
              ? RedisCallException.Kind.NOT_EXECUTED
              : RedisCallException.Kind.UNKNOWN,
          code,
          text);
    }
    return new RedisCallException(
        RedisCallException.Kind.UNKNOWN, "CLOSED", String.valueOf(failure.getMessage()));
  }

  private static String codeOf(String text) {
    Matcher wrapped = WRAPPED.matcher(text);
    if (wrapped.find()) {
      return wrapped.group(1);
    }
    int space = text.indexOf(' ');
    return space < 0 ? text : text.substring(0, space);
  }

  static boolean meansWrongServer(RedisCallException failure) {
    return WRONG_SERVER.contains(failure.code());
  }
}
