package io.seckill.gateway;

import io.seckill.common.config.SeckillConfig;
import io.seckill.common.config.Secret;
import java.util.List;

/** Configurations for tests: free ports, a good secret, limits that do not get in the way. */
public final class TestConfigs {

  /** A secret that is long enough. */
  public static final String SECRET = "0123456789abcdef0123456789abcdef";

  /** What the payment provider signs with. */
  public static final String PAYMENT_SECRET = "a-secret-of-the-sandbox-provider";

  private TestConfigs() {}

  /** The gateway's tokens. */
  public static SeckillConfig.Jwt jwt() {
    return new SeckillConfig.Jwt(
        new Secret(SECRET), "seckill", "seckill", 86_400_000, 5_000, 10_000);
  }

  /** Wide limits. */
  public static SeckillConfig.Admission admission() {
    return admission(1_000_000, 10);
  }

  /** A rate of an address with a burst of the same size, and a window of the user. */
  public static SeckillConfig.Admission admission(int ipPerSecond, int userPerWindow) {
    return new SeckillConfig.Admission(
        ipPerSecond,
        ipPerSecond,
        10_000,
        10_000_000,
        10_000_000,
        10_000_000,
        10_000_000,
        userPerWindow,
        1_000,
        10_000,
        10_000,
        10_000,
        30_000);
  }

  /** Wide limits, but for how often a user may ask. */
  public static SeckillConfig.Admission polls(int perSecond, int burst) {
    SeckillConfig.Admission wide = admission();
    return new SeckillConfig.Admission(
        wide.ipPerSecond(),
        wide.ipBurst(),
        wide.ipTableSize(),
        wide.globalPerSecond(),
        wide.globalBurst(),
        wide.itemPerSecond(),
        wide.itemBurst(),
        wide.userPerWindow(),
        wide.userWindowMs(),
        wide.userTableSize(),
        perSecond,
        burst,
        wide.maxDrainMs());
  }

  /** Free ports on loopback, and more time for everything than a machine stands still. */
  public static SeckillConfig.Gateway gateway() {
    return gateway(10_000, 10_000);
  }

  /** The same with little time, for those who let it pass. */
  public static SeckillConfig.Gateway hasty() {
    return gateway(600, 500);
  }

  /** Event streams with short intervals. */
  public static SeckillConfig.Gateway events(int maxStreams, int perUser) {
    return events(maxStreams, perUser, 60_000);
  }

  /** The same, where connections may be still for so long. */
  public static SeckillConfig.Gateway events(int maxStreams, int perUser, long idleTimeoutMs) {
    return gateway(10_000, 10_000, idleTimeoutMs, new Streams(maxStreams, perUser, 250, 100, 200));
  }

  private static SeckillConfig.Gateway gateway(long requestTimeoutMs, long purchaseBudgetMs) {
    return gateway(
        requestTimeoutMs, purchaseBudgetMs, 60_000, new Streams(32, 3, 15_000, 2_000, 5_000));
  }

  private record Streams(int most, int perUser, long heartbeatMs, long placeMs, long resyncMs) {}

  private static SeckillConfig.Gateway gateway(
      long requestTimeoutMs, long purchaseBudgetMs, long idleTimeoutMs, Streams streams) {
    return new SeckillConfig.Gateway(
        "127.0.0.1",
        0,
        "127.0.0.1",
        0,
        2,
        Math.max(64, streams.most() + 8),
        4_096,
        requestTimeoutMs,
        idleTimeoutMs,
        purchaseBudgetMs,
        List.of(),
        List.of("https://shop.example"),
        true,
        streams.most(),
        streams.perUser(),
        streams.heartbeatMs(),
        streams.placeMs(),
        streams.resyncMs());
  }

  /** All together. */
  public static SeckillConfig all(
      SeckillConfig.Jwt jwt, SeckillConfig.Gateway gateway, SeckillConfig.Admission admission) {
    return new SeckillConfig(
        new SeckillConfig.Node("test", 0, 20_000),
        new SeckillConfig.Redis(
            "redis://127.0.0.1:6379",
            new Secret(""),
            new Secret(""),
            1,
            2,
            2_000,
            1_000,
            SeckillConfig.Durability.NONE,
            false,
            1,
            100,
            2_000),
        new SeckillConfig.MySql(
            "127.0.0.1", 3306, "seckill", "seckill", new Secret(""), 8, 256, 3_000, 15_000),
        jwt,
        new SeckillConfig.OrderIdKey(new Secret("00112233445566778899aabbccddeeff")),
        gateway,
        admission,
        new SeckillConfig.Engine(1, 20_000, 128, 2, 250, 1_000, 500, 2_000_000, 100_000),
        new SeckillConfig.Consumer(1_000, 500, 30_000, 5, 5_000, 86_400_000, 0),
        new SeckillConfig.Orders(500, 500),
        new SeckillConfig.Payment(
            SeckillConfig.Provider.SANDBOX,
            new Secret(PAYMENT_SECRET),
            "http://127.0.0.1:8082",
            2_000,
            60_000,
            1_000),
        new SeckillConfig.Notification("", new Secret(""), 500, 12, 5_000),
        new SeckillConfig.Management("127.0.0.1", 0),
        new SeckillConfig.Bus(false, "127.0.0.1", 0, List.of(), ""));
  }
}
