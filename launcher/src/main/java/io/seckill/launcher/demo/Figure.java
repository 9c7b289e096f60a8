package io.seckill.launcher.demo;

import io.vertx.core.json.JsonObject;

/**
 * A number that this project has set itself a goal for. It never enters the verdict.
 *
 * @param id its name, which stays
 * @param value what was measured
 * @param unit of value and goal
 * @param goal what it should be
 * @param met whether it is
 */
public record Figure(String id, double value, String unit, double goal, boolean met) {

  /** Met from the goal on. */
  public static Figure atLeast(String id, double value, String unit, double goal) {
    return new Figure(id, value, unit, goal, value >= goal);
  }

  /** Met below the goal. */
  public static Figure below(String id, double value, String unit, double goal) {
    return new Figure(id, value, unit, goal, value < goal);
  }

  /** Met up to the goal. */
  public static Figure atMost(String id, double value, String unit, double goal) {
    return new Figure(id, value, unit, goal, value <= goal);
  }

  /** As it is printed, with three digits after the point. */
  public JsonObject json() {
    return new JsonObject()
        .put("id", id)
        .put("value", Math.round(value * 1_000) / 1_000.0)
        .put("unit", unit)
        .put("goal", goal)
        .put("met", met);
  }
}
