package io.seckill.embedded;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One blocking connection to Redis for the few commands that starting and preparing a server needs.
 * Not for the program's own work. One thread at a time.
 */
public final class RawRedis implements AutoCloseable {

  private final Socket socket = new Socket();
  private final InputStream in;
  private final OutputStream out;

  /** Connects; connecting and each reply may take {@code bound}. */
  public RawRedis(String host, int port, Duration bound) throws IOException {
    int boundMs = Math.toIntExact(bound.toMillis());
    try {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(boundMs);
      socket.connect(new InetSocketAddress(host, port), boundMs);
      in = new BufferedInputStream(socket.getInputStream());
      out = new BufferedOutputStream(socket.getOutputStream());
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /**
   * Sends one command and returns its reply as text: a simple string, an integer or a bulk string.
   *
   * @throws IOException when the connection fails, the reply is an error (the message is Redis'
   *     own), nil or an array
   */
  public String call(String... command) throws IOException {
    send(command);
    return text(line());
  }

  /**
   * Sends one command and returns its reply as a list of texts; a nil list is empty.
   *
   * @throws IOException when the connection fails, or the reply is an error or holds lists itself
   */
  public List<String> list(String... command) throws IOException {
    send(command);
    String line = line();
    if (line.isEmpty() || line.charAt(0) != '*') {
      throw new IOException("no list: " + text(line));
    }
    List<String> list = new ArrayList<>();
    int length = Integer.parseInt(line.substring(1));
    for (int i = 0; i < length; i++) {
      list.add(text(line()));
    }
    return list;
  }

  private void send(String... command) throws IOException {
    out.write(("*" + command.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
    for (String word : command) {
      byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
      out.write(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
      out.write(bytes);
      out.write("\r\n".getBytes(StandardCharsets.US_ASCII));
    }
    out.flush();
  }

  private String text(String line) throws IOException {
    return switch (line.isEmpty() ? ' ' : line.charAt(0)) {
      case '+', ':' -> line.substring(1);
      case '$' -> bulk(Integer.parseInt(line.substring(1)));
      case '-' -> throw new IOException(line.substring(1));
      default -> throw new IOException("no simple reply: " + line);
    };
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    while (true) {
      int next = in.read();
      if (next < 0) {
        throw new EOFException("Redis closed the connection");
      }
      if (next == '\n') {
        line.setLength(Math.max(0, line.length() - 1));
        return line.toString();
      }
      line.append((char) next);
    }
  }

  private String bulk(int length) throws IOException {
    if (length < 0) {
      throw new IOException("nil");
    }
    byte[] bytes = in.readNBytes(length + 2);
    if (bytes.length < length + 2) {
      throw new EOFException("Redis closed the connection");
    }
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }

  /** Returns one field of an INFO reply, such as {@code redis_version}, or {@code ""}. */
  public String info(String section, String field) throws IOException {
    return call("INFO", section)
        .lines()
        .filter(line -> line.startsWith(field + ":"))
        .map(line -> line.substring(field.length() + 1).strip())
        .findFirst()
        .orElse("");
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
