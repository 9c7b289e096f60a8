package io.seckill.gateway.http;

import io.seckill.gateway.GatewayMetrics;
import io.seckill.gateway.admission.AddressRate;
import io.seckill.gateway.admission.TrustedProxies;
import io.seckill.gateway.token.TokenVerifier;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * What stands in front of all endpoints of one port; shared by its instances and safe for all
 * threads.
 */
public final class Guards {

  private final TrustedProxies proxies;
  private final Rates rates;
  private final TokenVerifier tokens;
  private final Cors cors;
  private final GatewayMetrics metrics;
  private final BoundedLog log;
  private final AtomicInteger connections = new AtomicInteger();

  /**
   * Rates of an address, counted apart.
   *
   * @param clients everybody's
   * @param signers on routes where the body is signed
   */
  public record Rates(AddressRate clients, AddressRate signers) {}

  /**
   * Puts them together.
   *
   * @param proxies whose X-Forwarded-For is believed
   * @param rates the rates of an address
   * @param tokens checks bearer tokens
   * @param corsOrigins origins whose pages may call
   * @param metrics counts
   * @param nanoTime a monotonic clock in nanoseconds
   * @throws IllegalArgumentException naming the key when an origin is none
   */
  public Guards(
      TrustedProxies proxies,
      Rates rates,
      TokenVerifier tokens,
      List<String> corsOrigins,
      GatewayMetrics metrics,
      LongSupplier nanoTime) {
    this.proxies = proxies;
    this.rates = rates;
    this.tokens = tokens;
    this.cors = new Cors(corsOrigins);
    this.metrics = metrics;
    this.log = new BoundedLog(nanoTime);
  }

  TrustedProxies proxies() {
    return proxies;
  }

  Rates rates() {
    return rates;
  }

  TokenVerifier tokens() {
    return tokens;
  }

  Cors cors() {
    return cors;
  }

  GatewayMetrics metrics() {
    return metrics;
  }

  BoundedLog log() {
    return log;
  }

  /** Open connections on this port, over all instances. */
  AtomicInteger connections() {
    return connections;
  }
}
