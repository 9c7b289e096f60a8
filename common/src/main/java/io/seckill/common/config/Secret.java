package io.seckill.common.config;

/**
 * A configuration value that must not be shown. Prints as stars wherever it is logged.
 *
 * @param value the secret, possibly empty
 */
public record Secret(String value) {

  /** Whether nothing was configured. */
  public boolean isEmpty() {
    return value.isEmpty();
  }

  @Override
  public String toString() {
    return value.isEmpty() ? "" : "***";
  }
}
