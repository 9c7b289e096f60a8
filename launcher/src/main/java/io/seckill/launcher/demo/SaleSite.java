package io.seckill.launcher.demo;

import io.seckill.common.id.UserId;
import io.seckill.launcher.local.LocalStack;
import io.vertx.core.net.SocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.function.Function;

/**
 * Where a sale takes place, as people see it from outside: two ports and tokens.
 *
 * @param storefront the public port
 * @param adminUrl the admin API, without a slash at the end
 * @param adminToken an operator's token
 * @param buyerToken signs a buyer in
 */
public record SaleSite(
    SocketAddress storefront,
    String adminUrl,
    String adminToken,
    Function<UserId, String> buyerToken) {

  private static final Duration SIGNED_IN_FOR = Duration.ofHours(1);

  /** A system of this process, reached over loopback. */
  public static SaleSite of(LocalStack stack) {
    var signer = stack.tokens();
    var info = stack.runInfo();
    return new SaleSite(
        SocketAddress.inetSocketAddress(stack.node().ports().publicPort(), "127.0.0.1"),
        info.adminUrl(),
        info.adminToken(),
        user -> signer.sign(user, Set.of(), SIGNED_IN_FOR).text());
  }

  /** The storefront API, without a slash at the end. */
  public String storefrontUrl() {
    return "http://" + storefront.host() + ":" + storefront.port();
  }

  /** Leaves the token out. */
  @Override
  public String toString() {
    return "SaleSite[" + storefrontUrl() + ", " + adminUrl + "]";
  }
}
