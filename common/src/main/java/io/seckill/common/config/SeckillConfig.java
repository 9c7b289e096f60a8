package io.seckill.common.config;

import java.util.List;

/**
 * The whole configuration, bound and checked. Keys are the component names joined by dots ({@code
 * redis.callTimeoutMs}); every key with its default stands in {@code seckill-defaults.yaml}, and
 * its meaning in {@code docs/configuration.md}.
 */
public record SeckillConfig(
    Node node,
    Redis redis,
    MySql mysql,
    Jwt jwt,
    OrderIdKey orderId,
    Gateway gateway,
    Admission admission,
    Engine engine,
    Consumer consumer,
    Orders orders,
    Payment payment,
    Notification notification,
    Management management,
    Bus bus) {

  /**
   * This process.
   *
   * @param id name of the node, also of its consumer in the group; stable over restarts, so that
   *     names stay bounded
   * @param region the region's number
   * @param shutdownMs bound on an orderly stop
   */
  public record Node(
      String id,
      @Range(min = 0, max = 255) int region,
      @Range(min = 1_000, max = 120_000) long shutdownMs) {}

  /**
   * The region's Redis.
   *
   * @param uri {@code redis://host:port} of a standalone server, {@code
   *     redis-sentinel://host:port,…/master} or {@code redis-cluster://host:port,…}
   * @param password empty for none
   * @param sentinelPassword of the sentinels, empty for none
   * @param shards S: fixed for the life of the data
   * @param connections connections for calls, for each engine instance
   * @param connectTimeoutMs bound on connecting
   * @param callTimeoutMs bound on one call; also how far {@code notAfter} lies ahead
   * @param durability what must have a win before the buyer hears of it
   * @param durabilityForced allows fsync where a failover can lose what was synced
   * @param waitReplicas replicas that must have a win, for durability REPLICA
   * @param waitMs how long they are waited for
   * @param maxClockSkewMs most that a server's clock may differ from this node's at the start
   */
  public record Redis(
      String uri,
      Secret password,
      Secret sentinelPassword,
      @Range(min = 1, max = 1_023) int shards,
      @Range(min = 1, max = 16) int connections,
      @Range(min = 50, max = 30_000) long connectTimeoutMs,
      @Range(min = 50, max = 30_000) long callTimeoutMs,
      Durability durability,
      boolean durabilityForced,
      @Range(min = 1, max = 16) int waitReplicas,
      @Range(min = 1, max = 10_000) long waitMs,
      @Range(min = 50, max = 60_000) long maxClockSkewMs) {}

  /** What must have a win before the buyer hears of it. */
  public enum Durability {
    /** The server's memory. */
    NONE,
    /** The server's disk: {@code appendfsync always}. */
    FSYNC,
    /** The memory of replicas. */
    REPLICA
  }

  /**
   * The ledger's MySQL or MariaDB.
   *
   * @param host host name or address
   * @param port TCP port
   * @param database schema
   * @param user user
   * @param password empty for none
   * @param poolSize connections of this process
   * @param maxWaitQueue statements that may wait for a connection; beyond it they fail at once
   * @param connectTimeoutMs bound on connecting and on waiting for a connection
   * @param statementTimeoutMs bound on one transaction; gateways look back as much further for
   *     missed changes, so it is the same on all nodes
   */
  public record MySql(
      String host,
      @Range(min = 1, max = 65_535) int port,
      String database,
      String user,
      Secret password,
      @Range(min = 3, max = 64) int poolSize,
      @Range(min = 1, max = 10_000) int maxWaitQueue,
      @Range(min = 100, max = 60_000) long connectTimeoutMs,
      @Range(min = 500, max = 120_000) long statementTimeoutMs) {}

  /**
   * How tokens are checked.
   *
   * @param secret HS256 key, at least 32 bytes; the node refuses to start without it
   * @param issuer the exact {@code iss}
   * @param audience the exact {@code aud}
   * @param maxLifetimeMs a token whose {@code exp} lies further ahead is refused
   * @param clockSkewMs tolerance for {@code exp} and {@code nbf}
   * @param cacheSize verified tokens that are remembered; 0 switches the cache off
   */
  public record Jwt(
      Secret secret,
      String issuer,
      String audience,
      @Range(min = 60_000, max = 31_536_000_000L) long maxLifetimeMs,
      @Range(min = 0, max = 300_000) long clockSkewMs,
      @Range(min = 0, max = 10_000_000) int cacheSize) {}

  /**
   * The key that seals order ids.
   *
   * @param key 32 hexadecimal digits, the same on every node for as long as orders live
   */
  public record OrderIdKey(Secret key) {}

  /**
   * The HTTP servers.
   *
   * @param host address to listen on
   * @param publicPort storefront API; 0 chooses a free one
   * @param adminHost address of the admin port
   * @param adminPort admin API; 0 chooses a free one
   * @param instances verticles, each with an event loop of its own; 0 means one for each core
   * @param maxConnections open connections of this process; further ones are closed at once
   * @param maxBodyBytes largest body
   * @param requestTimeoutMs bound on receiving one request, from its first byte
   * @param idleTimeoutMs a connection without traffic is closed after this
   * @param purchaseBudgetMs how long a purchase may take before it is answered BUSY or
   *     OUTCOME_UNKNOWN
   * @param trustedProxies addresses or CIDR blocks whose X-Forwarded-For is believed
   * @param corsOrigins origins that pages may call from, none by default
   * @param devSession whether {@code POST /api/v1/dev/session} gives tokens to anybody; only for
   *     run and demo
   * @param maxEventStreams open event streams of this process; further ones are BUSY
   * @param eventStreamsPerUser open event streams of one user in this process; the oldest gives way
   * @param heartbeatMs how often an event stream says that it is alive
   * @param placeIntervalMs how often the places of those who wait are asked for
   * @param resyncMs how often the orders of those who listen are asked for, whatever was published
   */
  public record Gateway(
      String host,
      @Range(min = 0, max = 65_535) int publicPort,
      String adminHost,
      @Range(min = 0, max = 65_535) int adminPort,
      @Range(min = 0, max = 64) int instances,
      @Range(min = 1, max = 1_000_000) int maxConnections,
      @Range(min = 256, max = 1_048_576) int maxBodyBytes,
      @Range(min = 100, max = 60_000) long requestTimeoutMs,
      @Range(min = 1_000, max = 600_000) long idleTimeoutMs,
      @Range(min = 100, max = 30_000) long purchaseBudgetMs,
      List<String> trustedProxies,
      List<String> corsOrigins,
      boolean devSession,
      @Range(min = 0, max = 1_000_000) int maxEventStreams,
      @Range(min = 1, max = 100) int eventStreamsPerUser,
      @Range(min = 100, max = 60_000) long heartbeatMs,
      @Range(min = 100, max = 60_000) long placeIntervalMs,
      @Range(min = 100, max = 60_000) long resyncMs) {}

  /**
   * Limits in front of the engine, for each gateway process.
   *
   * @param ipPerSecond requests of one address (IPv6: one /64) a second
   * @param ipBurst requests that one address may send at once
   * @param ipTableSize addresses that are remembered
   * @param globalPerSecond purchases a second in all
   * @param globalBurst purchases at once in all
   * @param itemPerSecond purchases a second for one item
   * @param itemBurst purchases at once for one item
   * @param userPerWindow purchases of one user in a window that reach the engine, and wins that the
   *     script allows him in one
   * @param userWindowMs length of the user's window
   * @param userTableSize users that are remembered by the local window
   * @param pollPerSecond how often a second one user may ask for his orders, and for his place
   *     among those who wait
   * @param pollBurst how often he may ask at once
   * @param maxDrainMs when the logs need longer than this to be stored, purchases are let in at the
   *     rate at which orders are being stored, and fewer still when they need twice as long
   */
  public record Admission(
      @Range(min = 1, max = 1_000_000) int ipPerSecond,
      @Range(min = 1, max = 1_000_000) int ipBurst,
      @Range(min = 1_000, max = 10_000_000) int ipTableSize,
      @Range(min = 1, max = 10_000_000) int globalPerSecond,
      @Range(min = 1, max = 10_000_000) int globalBurst,
      @Range(min = 1, max = 10_000_000) int itemPerSecond,
      @Range(min = 1, max = 10_000_000) int itemBurst,
      @Range(min = 1, max = 32) int userPerWindow,
      @Range(min = 100, max = 60_000) long userWindowMs,
      @Range(min = 1_000, max = 10_000_000) int userTableSize,
      @Range(min = 1, max = 10_000) int pollPerSecond,
      @Range(min = 1, max = 10_000) int pollBurst,
      @Range(min = 1_000, max = 86_400_000) long maxDrainMs) {}

  /**
   * The decision engine.
   *
   * @param instances verticles, each with batchers and connections of its own
   * @param maxQueue purchases that wait in one batcher; further ones are BUSY
   * @param maxBatch purchases in one script call
   * @param callsInFlight script calls of one batcher at a time
   * @param boardIntervalMs how often the shards are read for the board
   * @param ledgerIntervalMs how often the ledger is asked for items and unfinished changes
   * @param releaseIntervalMs how often the ledger is asked for wins to be released, when it does
   *     not say so itself
   * @param maxLogEntries changes in a shard's log beyond which nothing is sold: the memory bound
   * @param maxWaiters buyers that wait in line for one item in one shard; further ones are
   *     WAITLIST_FULL
   */
  public record Engine(
      @Range(min = 1, max = 64) int instances,
      @Range(min = 16, max = 1_000_000) int maxQueue,
      @Range(min = 1, max = 512) int maxBatch,
      @Range(min = 1, max = 64) int callsInFlight,
      @Range(min = 50, max = 10_000) long boardIntervalMs,
      @Range(min = 100, max = 60_000) long ledgerIntervalMs,
      @Range(min = 50, max = 60_000) long releaseIntervalMs,
      @Range(min = 1_000, max = 100_000_000) long maxLogEntries,
      @Range(min = 1, max = 10_000_000) int maxWaiters) {}

  /**
   * The order consumer.
   *
   * @param batchSize changes of one transaction at most, and about as many of one read
   * @param blockMs how long a read waits for new entries
   * @param claimIdleMs entries that another consumer has held this long are taken over
   * @param maxDeliveries an entry that fails alone, and nobody knows why, becomes a dead letter
   *     when Redis has given it out this often
   * @param retryMaxMs longest pause between tries while MySQL is away
   * @param archiveAfterMs Redis forgets an item this long after its end
   * @param writesPerSecond changes that this process stores in a second at most, to spare MySQL;
   *     what waits stays in Redis. 0 for no limit, else at least 100
   */
  public record Consumer(
      @Range(min = 1, max = 5_000) int batchSize,
      @Range(min = 50, max = 10_000) long blockMs,
      @Range(min = 1_000, max = 600_000) long claimIdleMs,
      @Range(min = 1, max = 100) int maxDeliveries,
      @Range(min = 100, max = 60_000) long retryMaxMs,
      @Range(min = 1_000, max = 31_536_000_000L) long archiveAfterMs,
      @Range(min = 0, max = 1_000_000) int writesPerSecond) {}

  /**
   * The life of an order.
   *
   * @param timeoutIntervalMs how often unpaid orders whose time is over are looked for
   * @param timeoutBatch orders that one transaction times out at most
   */
  public record Orders(
      @Range(min = 50, max = 60_000) long timeoutIntervalMs,
      @Range(min = 1, max = 5_000) int timeoutBatch) {}

  /**
   * How buyers pay.
   *
   * @param provider who takes the money
   * @param secret signs what goes between the provider and the system, at least 32 bytes; needed
   *     with a provider
   * @param sandboxUrl where the consumer reaches the sandbox provider; buyers go to the page that
   *     it names
   * @param callTimeoutMs bound on one call to the provider; the gateway waits 10 s for a payment to
   *     be started, and MySQL's part is in that
   * @param reconcileAfterMs the provider is asked about a payment that has been open this long
   * @param refundIntervalMs how often refunds that are due are looked for
   */
  public record Payment(
      Provider provider,
      Secret secret,
      String sandboxUrl,
      @Range(min = 100, max = 9_000) long callTimeoutMs,
      @Range(min = 100, max = 86_400_000) long reconcileAfterMs,
      @Range(min = 50, max = 60_000) long refundIntervalMs) {}

  /** Who takes the money. */
  public enum Provider {
    /** Nobody: orders cannot be paid. */
    NONE,
    /** The sandbox of {@code run} and {@code demo}: no money moves. */
    SANDBOX
  }

  /**
   * How the shop's systems are told what becomes of orders.
   *
   * @param webhookUrl where each change of an order is posted; empty for nowhere
   * @param secret signs what is posted, at least 32 bytes; needed with an address
   * @param intervalMs how often notifications that are due are looked for
   * @param maxTries a notification that failed this often is dead
   * @param callTimeoutMs bound on one call to the receiver
   */
  public record Notification(
      String webhookUrl,
      Secret secret,
      @Range(min = 50, max = 60_000) long intervalMs,
      @Range(min = 1, max = 100) int maxTries,
      @Range(min = 100, max = 30_000) long callTimeoutMs) {

    /** Whether anybody is to be told. */
    public boolean enabled() {
      return !webhookUrl.isEmpty();
    }
  }

  /**
   * Health and metrics.
   *
   * @param host address to listen on
   * @param port port; 0 chooses a free one
   */
  public record Management(String host, @Range(min = 0, max = 65_535) int port) {}

  /**
   * The event bus.
   *
   * @param clustered whether roles run in several processes
   * @param host address that other nodes reach this node by
   * @param port port of the cluster manager; 0 chooses a free one
   * @param members addresses {@code host:port} of other nodes
   * @param kubernetesService DNS name of the headless service; empty outside Kubernetes
   */
  public record Bus(
      boolean clustered,
      String host,
      @Range(min = 0, max = 65_535) int port,
      List<String> members,
      String kubernetesService) {}
}
