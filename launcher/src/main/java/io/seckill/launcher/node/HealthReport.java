package io.seckill.launcher.node;

import io.vertx.core.json.JsonObject;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a node says of itself.
 *
 * @param ready whether it should get traffic
 * @param checks check → {@code up}, or what is missing
 */
public record HealthReport(boolean ready, Map<String, String> checks) {

  /** Copies the map, sorted. */
  public HealthReport {
    checks = Collections.unmodifiableMap(new TreeMap<>(checks));
  }

  /** As {@code {"ready":…,"checks":{…}}}. */
  public JsonObject toJson() {
    JsonObject each = new JsonObject();
    checks.forEach(each::put);
    return new JsonObject().put("ready", ready).put("checks", each);
  }
}
