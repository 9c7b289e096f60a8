package io.seckill.common.bus;

/**
 * The stop switch of a region.
 *
 * @param stopped whether all sales are stopped
 * @param generation rises with each change; 0 before the first
 */
public record SalesRecord(boolean stopped, long generation) {

  /** Nobody has touched it. */
  public static final SalesRecord UNTOUCHED = new SalesRecord(false, 0);
}
