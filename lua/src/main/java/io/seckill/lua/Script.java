package io.seckill.lua;

import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.codec.digest.DigestUtils;

/**
 * A script file and its digest. Runs as EVALSHA; only when the server does not know the digest,
 * once as EVAL of the text. Nothing else is tried twice here. Immutable, fit for all threads.
 */
public final class Script {

  private static final Pattern INCLUDE = Pattern.compile("(?m)^-- @include ([a-z_]+\\.lua)$");

  private final String name;
  private final String text;
  private final String sha1;

  private Script(String name, String text) {
    this.name = name;
    this.text = text;
    this.sha1 = DigestUtils.sha1Hex(text);
  }

  /**
   * Loads {@code scripts/<name>.lua} from the class path and puts included files in.
   *
   * @throws UncheckedIOException when a file is missing: a defect of the build
   */
  public static Script load(String name) {
    Matcher include = INCLUDE.matcher(read(name + ".lua"));
    return new Script(
        name, include.replaceAll(found -> Matcher.quoteReplacement(read(found.group(1)))));
  }

  private static String read(String file) {
    try (InputStream in = Script.class.getResourceAsStream("scripts/" + file)) {
      if (in == null) {
        throw new IOException("no script " + file);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The file's name without ending. */
  public String name() {
    return name;
  }

  /** The whole text with its includes. */
  public String text() {
    return text;
  }

  /** The digest that EVALSHA takes. */
  public String sha1() {
    return sha1;
  }

  /**
   * Runs the script.
   *
   * @param link the connection; its event loop
   * @param fence the first three arguments
   * @param keys every key that the script touches
   * @param args the further arguments
   * @param timeoutMs bound on the at most two calls together
   */
  Future<Response> run(
      RedisLink link, Fence fence, List<String> keys, List<String> args, long timeoutMs) {
    return run(link, new Call(fence, keys, args), timeoutMs, link::send);
  }

  /** As {@link #run}, and waits until replicas have what it did; see {@link ReplicaWait}. */
  Future<RedisLink.Replicated> runAndWait(
      RedisLink link, Call call, ReplicaWait wait, long timeoutMs) {
    return run(
        link,
        call,
        timeoutMs,
        (request, leftMs) -> link.sendAndWait(request, wait.replicas(), wait.waitMs(), leftMs));
  }

  /** What a call carries. */
  record Call(Fence fence, List<String> keys, List<String> args) {}

  private <T> Future<T> run(
      RedisLink link, Call call, long timeoutMs, BiFunction<Request, Long, Future<T>> send) {
    long startedAt = System.nanoTime();
    String server = link.runId();
    return send.apply(request(Command.EVALSHA, sha1, call), timeoutMs)
        .recover(
            failure -> {
              if (!(failure instanceof RedisCallException e) || !e.code().equals("NOSCRIPT")) {
                return Future.failedFuture(failure);
              }
              if (!link.runId().equals(server)) {
                // The fence is of a server that the link has left: another one must not take it.
                return Future.failedFuture(
                    new RedisCallException(
                        RedisCallException.Kind.NOT_EXECUTED, "DOWN", "the link leads elsewhere"));
              }
              long leftMs = timeoutMs - (System.nanoTime() - startedAt) / 1_000_000;
              return send.apply(request(Command.EVAL, text, call), leftMs);
            });
  }

  private static Request request(Command command, String body, Call call) {
    Request request = Request.cmd(command).arg(body).arg(call.keys.size());
    for (String key : call.keys) {
      request.arg(key);
    }
    request.arg(call.fence.epoch()).arg(call.fence.runId()).arg(call.fence.notAfterMs());
    for (String arg : call.args) {
      request.arg(arg);
    }
    return request;
  }
}
