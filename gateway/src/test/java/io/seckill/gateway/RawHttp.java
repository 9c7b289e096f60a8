package io.seckill.gateway;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A socket that speaks HTTP byte by byte, also where a client library would refuse to. */
final class RawHttp implements AutoCloseable {

  private static final int READ_TIMEOUT_MS = 10_000;

  private final Socket socket;
  private final InputStream in;

  private RawHttp(Socket socket) throws IOException {
    this.socket = socket;
    socket.setSoTimeout(READ_TIMEOUT_MS);
    socket.setTcpNoDelay(true);
    in = socket.getInputStream();
  }

  /** One response; header names in lower case. */
  record Response(int status, Map<String, String> headers, String body) {
    String header(String name) {
      return headers.get(name);
    }
  }

  static RawHttp connect(int port) throws IOException {
    return new RawHttp(new Socket(InetAddress.getLoopbackAddress(), port));
  }

  /** Connects, sends, and reads one response. */
  static Response once(int port, String request) throws IOException {
    try (RawHttp http = connect(port)) {
      return http.send(request).read();
    }
  }

  RawHttp send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.UTF_8));
  }

  RawHttp send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
    return this;
  }

  /** The next response, null when the server has closed the connection. */
  Response read() throws IOException {
    return read(true);
  }

  Response read(boolean withBody) throws IOException {
    String statusLine = line();
    if (statusLine == null) {
      return null;
    }
    Map<String, String> headers = new LinkedHashMap<>();
    for (String line = line(); line != null && !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      headers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
    }
    int length = withBody ? Integer.parseInt(headers.getOrDefault("content-length", "0")) : 0;
    String body = new String(in.readNBytes(length), StandardCharsets.UTF_8);
    return new Response(Integer.parseInt(statusLine.substring(9, 12)), headers, body);
  }

  /** Whether the server closes the connection, cleanly or not, before the time-out. */
  boolean isClosedByServer() throws IOException {
    try {
      return in.read() < 0;
    } catch (SocketException e) {
      return true;
    }
  }

  private String line() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int c;
    try {
      c = in.read();
    } catch (SocketException e) {
      return null;
    }
    if (c < 0) {
      return null;
    }
    while (c >= 0 && c != '\n') {
      if (c != '\r') {
        out.write(c);
      }
      c = in.read();
    }
    return out.toString(StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
