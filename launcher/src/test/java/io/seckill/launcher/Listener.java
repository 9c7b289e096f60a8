package io.seckill.launcher;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** A page that listens to an event stream. Keeps everything that it hears. */
public final class Listener implements AutoCloseable {

  private final List<Event> heard = new CopyOnWriteArrayList<>();
  private final Stream<String> lines;

  private Listener(Stream<String> lines) {
    this.lines = lines;
    Thread reader = new Thread(this::read, "listener");
    reader.setDaemon(true);
    reader.start();
  }

  /** One event. */
  public record Event(String type, String id, JsonObject data) {}

  /**
   * Opens a stream.
   *
   * @param lastId what was heard last before, empty for nothing
   */
  public static Listener open(String publicUrl, String token, String items, String lastId)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(publicUrl + "/api/v1/events?items=" + items))
            .header("Authorization", "Bearer " + token);
    if (!lastId.isEmpty()) {
      request.header("Last-Event-ID", lastId);
    }
    HttpResponse<Stream<String>> response =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .build()
            .send(request.build(), BodyHandlers.ofLines());
    if (response.statusCode() != 200) {
      throw new IOException("status " + response.statusCode());
    }
    return new Listener(response.body());
  }

  /** All events so far. */
  public List<Event> heard() {
    return heard;
  }

  /** Whether an event of a type was heard in which a field had a value; null for JSON's null. */
  public boolean heard(String type, String field, Object value) {
    return heard.stream()
        .anyMatch(
            event ->
                event.type().equals(type)
                    && event.data().containsKey(field)
                    && Objects.equals(event.data().getValue(field), value));
  }

  /** A field of the latest event of a type, null before the first. */
  public Object latest(String type, String field) {
    return heard.stream()
        .filter(event -> event.type().equals(type))
        .map(event -> event.data().getValue(field))
        .reduce(null, (before, value) -> value);
  }

  private void read() {
    String type = "";
    String id = "";
    try {
      for (Iterator<String> all = lines.iterator(); all.hasNext(); ) {
        String line = all.next();
        if (line.isEmpty()) {
          type = "";
          id = "";
        } else if (line.startsWith("event: ")) {
          type = line.substring("event: ".length());
        } else if (line.startsWith("id: ")) {
          id = line.substring("id: ".length());
        } else if (line.startsWith("data: ")) {
          heard.add(new Event(type, id, new JsonObject(line.substring("data: ".length()))));
        }
      }
    } catch (UncheckedIOException e) {
      // Closed, by either side.
    }
  }

  @Override
  public void close() {
    lines.close();
  }
}
