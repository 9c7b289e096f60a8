package io.seckill.gateway.http;

import io.vertx.core.http.HttpMethod;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * All routes of one port. The raw path is matched as it came, segment by segment and byte for byte:
 * nothing is decoded, normalized or folded, so {@code //}, {@code %2f}, {@code /./}, {@code ;a=b}
 * and other spellings match nothing at all, and no guard can be walked around.
 *
 * <p>Immutable; safe for all threads.
 */
public final class RouteTable {

  private static final int MAX_SEGMENTS = 16;

  private final Node root = new Node();

  /** Builds the table; two endpoints on one method and path are a mistake of ours. */
  public RouteTable(List<Endpoint> endpoints) {
    for (Endpoint endpoint : endpoints) {
      add(endpoint);
    }
  }

  /** What a path and method lead to. */
  public sealed interface Match {}

  /**
   * An endpoint.
   *
   * @param endpoint which
   * @param parameters the segments that stood for names, in order
   */
  public record Found(Endpoint endpoint, List<String> parameters) implements Match {}

  /**
   * The path exists, but not for that method.
   *
   * @param allow the methods that it exists for, as in {@code Allow}
   */
  public record OtherMethod(String allow) implements Match {}

  /** No such path. */
  public record Unknown() implements Match {}

  private static final Unknown UNKNOWN = new Unknown();

  /** Looks a request up. */
  public Match find(HttpMethod method, String path) {
    List<String> parameters = new ArrayList<>(2);
    Node node = walk(path, parameters);
    if (node == null || node.byMethod.isEmpty()) {
      return UNKNOWN;
    }
    Endpoint endpoint = node.byMethod.get(method.name());
    return endpoint == null ? new OtherMethod(node.allow) : new Found(endpoint, parameters);
  }

  private Node walk(String path, List<String> parameters) {
    if (path.isEmpty() || path.charAt(0) != '/') {
      return null;
    }
    Node node = root;
    int start = 1;
    for (int i = 0; node != null && i < MAX_SEGMENTS; i++) {
      int slash = path.indexOf('/', start);
      String segment = slash < 0 ? path.substring(start) : path.substring(start, slash);
      node = node.next(segment, parameters);
      if (slash < 0) {
        return node;
      }
      start = slash + 1;
    }
    return null;
  }

  private void add(Endpoint endpoint) {
    Node node = root;
    for (String segment : endpoint.path().substring(1).split("/", -1)) {
      node =
          segment.startsWith("{")
              ? node.parameterNode()
              : node.literals.computeIfAbsent(segment, unused -> new Node());
    }
    node.put(endpoint.method(), endpoint);
    if (endpoint.method().equals(HttpMethod.GET)) {
      node.put(HttpMethod.HEAD, endpoint);
    }
  }

  private static final class Node {

    private final Map<String, Node> literals = new HashMap<>();
    private final Map<String, Endpoint> byMethod = new TreeMap<>();
    private Node parameter;
    private String allow = "";

    Node next(String segment, List<String> parameters) {
      Node literal = literals.get(segment);
      if (literal != null || parameter == null || segment.isEmpty()) {
        return literal;
      }
      parameters.add(segment);
      return parameter;
    }

    Node parameterNode() {
      if (parameter == null) {
        parameter = new Node();
      }
      return parameter;
    }

    void put(HttpMethod method, Endpoint endpoint) {
      if (byMethod.put(method.name(), endpoint) != null) {
        throw new IllegalStateException("two endpoints for " + method + " " + endpoint.path());
      }
      allow = String.join(", ", byMethod.keySet()) + ", OPTIONS";
    }
  }
}
