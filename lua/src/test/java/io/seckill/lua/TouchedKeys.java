package io.seckill.lua;

import io.seckill.embedded.RawRedis;
import io.seckill.testkit.RedisAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Watches a server with MONITOR, which also shows the commands that scripts run. */
final class TouchedKeys implements AutoCloseable {

  /** {@code 1700000000.123456 [0 lua] "HMGET" "key" "field"}. */
  private static final Pattern LINE = Pattern.compile("^\\+?[0-9.]+ \\[\\d+ ([^]]+)] (.*)$");

  private static final Pattern WORD = Pattern.compile("\"((?:[^\"\\\\]++|\\\\.)*+)\"");
  private static final int BOUND_MS = 5_000;

  private final Socket socket;
  private final BufferedReader lines;

  /**
   * A command that the server ran.
   *
   * @param byScript whether a script ran it
   * @param words the command and its arguments
   */
  record Seen(boolean byScript, List<String> words) {

    boolean isScriptCall() {
      String command = words.get(0);
      return !byScript && (command.equalsIgnoreCase("EVALSHA") || command.equalsIgnoreCase("EVAL"));
    }

    /** The keys that a script call declares. */
    List<String> declared() {
      return words.subList(3, 3 + Integer.parseInt(words.get(2)));
    }
  }

  TouchedKeys(RedisAddress address) throws IOException {
    socket = new Socket(address.host(), address.port());
    socket.setSoTimeout(BOUND_MS);
    lines =
        new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
    socket.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
    socket.getOutputStream().flush();
    if (!lines.readLine().equals("+OK")) {
      throw new IOException("no MONITOR");
    }
  }

  /** Everything up to a command with this word. */
  List<Seen> until(String mark) {
    List<Seen> all = new ArrayList<>();
    try {
      while (true) {
        String line = lines.readLine();
        Matcher parts = LINE.matcher(line);
        if (!parts.matches()) {
          throw new IllegalStateException("not a line of MONITOR: " + line);
        }
        List<String> words = new ArrayList<>();
        Matcher word = WORD.matcher(parts.group(2));
        while (word.find()) {
          words.add(word.group(1));
        }
        if (words.contains(mark)) {
          return all;
        }
        all.add(new Seen(parts.group(1).equals("lua"), words));
      }
    } catch (SocketTimeoutException e) {
      throw new AssertionError("MONITOR showed no " + mark, e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The keys of a command, as the server itself sees them. */
  static List<String> keysOf(TestShard shard, List<String> words) {
    if (words.size() == 1) {
      return List.of(); // TIME: without arguments there is no key.
    }
    List<String> ask = new ArrayList<>(List.of("COMMAND", "GETKEYS"));
    ask.addAll(words);
    try {
      List<String> keys = new ArrayList<>();
      shard.redis(ask.toArray(String[]::new)).forEach(key -> keys.add(key.toString()));
      return keys;
    } catch (RedisCallException e) {
      if (e.getMessage().contains("no key arguments")) {
        return List.of();
      }
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  /** A word that only this call writes. */
  static void mark(RedisAddress address, String mark) throws IOException {
    try (RawRedis redis = new RawRedis(address.host(), address.port(), TestLoop.BOUND)) {
      redis.call("ECHO", mark);
    }
  }
}
