package io.seckill.gateway.api;

import com.fasterxml.jackson.core.JsonGenerator;
import io.seckill.gateway.http.Json;
import io.seckill.gateway.http.Reply;
import io.vertx.core.MultiMap;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;

/** Lists that are read page by page. */
public final class Pages {

  private static final int DEFAULT_LIMIT = 20;
  private static final int MAX_LIMIT = 100;

  private Pages() {}

  /** Writes the fields of one element. */
  @FunctionalInterface
  public interface Fields<T> {

    /** Writes them into the object that is open. */
    void write(JsonGenerator json, T element) throws IOException;
  }

  /**
   * How many elements a page has: from {@code limit}, else {@value #DEFAULT_LIMIT}. Throws
   * INVALID_REQUEST for what is no integer from 1 to {@value #MAX_LIMIT}.
   */
  public static int limitIn(MultiMap query) {
    String text = query.get("limit");
    if (text == null) {
      return DEFAULT_LIMIT;
    }
    int limit = text.matches("[1-9][0-9]{0,2}") ? Integer.parseInt(text) : 0;
    if (limit < 1 || limit > MAX_LIMIT) {
      throw Json.invalid("'limit' must be an integer from 1 to " + MAX_LIMIT + ".");
    }
    return limit;
  }

  /**
   * A page as an answer.
   *
   * @param name of the list
   * @param page its elements
   * @param more whether there are others behind them: then {@code next} names the last one here
   * @param id how an element is named
   * @param fields writes an element
   */
  public static <T> Reply reply(
      String name, List<T> page, boolean more, Function<T, String> id, Fields<T> fields) {
    return Reply.json(
        200,
        Json.object(
            json -> {
              json.writeArrayFieldStart(name);
              for (T element : page) {
                json.writeStartObject();
                fields.write(json, element);
                json.writeEndObject();
              }
              json.writeEndArray();
              if (more && !page.isEmpty()) {
                json.writeStringField("next", id.apply(page.get(page.size() - 1)));
              }
            }));
  }
}
