package io.seckill.gateway.http;

/** Whether an endpoint takes a body. */
public enum BodyRule {
  /** None; one that comes is read within the bounds and dropped. */
  NONE,
  /** JSON, or nothing at all. */
  OPTIONAL,
  /** JSON. */
  REQUIRED
}
