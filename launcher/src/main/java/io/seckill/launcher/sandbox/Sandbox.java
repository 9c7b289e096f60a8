package io.seckill.launcher.sandbox;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.Map;

/**
 * A running sandbox provider. It ends with the Vert.x that it runs in. Safe for all threads.
 *
 * @param url where it is, without a slash at the end
 * @param secret signs requests and callbacks
 * @param shop is told where the shop is
 */
public record Sandbox(String url, String secret, Promise<String> shop) {

  /**
   * Starts a sandbox on a free port of loopback.
   *
   * @param secret at least 32 bytes
   */
  public static Future<Sandbox> start(Vertx vertx, String secret) {
    Promise<String> url = Promise.promise();
    Promise<String> shop = Promise.promise();
    return vertx
        .deployVerticle(
            () -> new SandboxVerticle(secret, url, shop.future()), new DeploymentOptions())
        .compose(deployed -> url.future())
        .map(found -> new Sandbox(found, secret, shop));
  }

  /** The configuration of a system that takes its money here, by key. */
  public Map<String, String> settings() {
    return Map.of(
        "payment.provider", "sandbox", "payment.sandboxUrl", url, "payment.secret", secret);
  }

  /**
   * Says where the shop is; callbacks wait for it.
   *
   * @param shopUrl the storefront API, without a slash at the end
   */
  public void serves(String shopUrl) {
    shop.complete(shopUrl);
  }

  /** Leaves the secret out. */
  @Override
  public String toString() {
    return "Sandbox[" + url + "]";
  }
}
