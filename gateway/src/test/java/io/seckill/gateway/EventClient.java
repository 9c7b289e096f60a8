package io.seckill.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads an event stream as a page would, chunk by chunk. */
final class EventClient implements AutoCloseable {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int READ_TIMEOUT_MS = 10_000;

  private final Socket socket;
  private final InputStream in;
  private final StringBuilder text = new StringBuilder();
  private boolean ended;

  private EventClient(Socket socket) throws IOException {
    this.socket = socket;
    socket.setSoTimeout(READ_TIMEOUT_MS);
    in = socket.getInputStream();
  }

  /** One block of the stream: an event, a heartbeat (":"), or "retry". */
  record Event(String type, String id, JsonNode data) {

    String text(String field) {
      return data.path(field).asText();
    }
  }

  /** Opens a stream of some items; the headers are lines, each ended by CR LF. */
  static EventClient open(int port, String query, String headers) throws IOException {
    return open(port, query, headers, 0);
  }

  /**
   * The same.
   *
   * @param receiveBytes what the operating system may hold for the client; 0 for its own choice
   */
  static EventClient open(int port, String query, String headers, int receiveBytes)
      throws IOException {
    Socket socket = new Socket();
    if (receiveBytes > 0) {
      socket.setReceiveBufferSize(receiveBytes);
    }
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    EventClient client = new EventClient(socket);
    String request = RunningGateway.get("/api/v1/events" + query, headers);
    socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
    String status = client.line();
    if (!status.startsWith("HTTP/1.1 200 ")) {
      throw new IOException(status);
    }
    String header = client.line();
    while (!header.isEmpty()) {
      header = client.line();
    }
    return client;
  }

  /** Sends more on the same connection. */
  void send(String bytes) throws IOException {
    socket.getOutputStream().write(bytes.getBytes(StandardCharsets.UTF_8));
  }

  /** The next block; null at the stream's clean end. */
  Event any() throws IOException {
    int end = text.indexOf("\n\n");
    while (end < 0) {
      if (!readChunk()) {
        return null;
      }
      end = text.indexOf("\n\n");
    }
    String block = text.substring(0, end);
    text.delete(0, end + 2);
    return parse(block);
  }

  /** The next event that is no heartbeat and no word about retrying. */
  Event next() throws IOException {
    Event event = any();
    while (event != null && event.data() == null) {
      event = any();
    }
    return event;
  }

  /** The next event of a type; others are passed over. */
  Event next(String type) throws IOException {
    Event event = next();
    while (event != null && !event.type().equals(type)) {
      event = next();
    }
    return event;
  }

  /** All that comes until the server ends or cuts the stream. */
  List<Event> rest() throws IOException {
    List<Event> events = new ArrayList<>();
    try {
      for (Event event = next(); event != null; event = next()) {
        events.add(event);
      }
    } catch (java.net.SocketException e) {
      // Cut off.
    }
    return events;
  }

  /** Whether the stream came to its clean end, with the last chunk of HTTP. */
  boolean isEnded() {
    return ended;
  }

  private static Event parse(String block) throws IOException {
    String type = "";
    String id = "";
    JsonNode data = null;
    for (String line : block.split("\n", -1)) {
      if (line.startsWith("event: ")) {
        type = line.substring("event: ".length());
      } else if (line.startsWith("id: ")) {
        id = line.substring("id: ".length());
      } else if (line.startsWith("data: ")) {
        data = JSON.readTree(line.substring("data: ".length()));
      } else {
        type = line.startsWith("retry: ") ? "retry" : line;
      }
    }
    return new Event(type, id, data);
  }

  private boolean readChunk() throws IOException {
    String line = line();
    if (line == null) {
      return false;
    }
    int size = Integer.parseInt(line, 16);
    text.append(new String(in.readNBytes(size), StandardCharsets.UTF_8));
    line();
    ended = size == 0;
    return size > 0;
  }

  private String line() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int c = in.read();
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
