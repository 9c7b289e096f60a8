package io.seckill.launcher.local;

import io.seckill.common.config.LoadedConfig;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.id.UserId;
import io.seckill.common.payment.CallbackSignature;
import io.seckill.common.role.Role;
import io.seckill.consumer.db.Migrator;
import io.seckill.embedded.EmbeddedMariaDb;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.EmbeddedServer;
import io.seckill.embedded.FileTrees;
import io.seckill.embedded.FolderLock;
import io.seckill.embedded.MariaDbSpec;
import io.seckill.embedded.RedisSpec;
import io.seckill.gateway.token.Identity;
import io.seckill.gateway.token.TokenSigner;
import io.seckill.launcher.Failures;
import io.seckill.launcher.LaunchException;
import io.seckill.launcher.Waiting;
import io.seckill.launcher.node.Node;
import io.seckill.launcher.node.NodeOptions;
import io.seckill.launcher.node.VertxRuntime;
import io.seckill.launcher.sandbox.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A whole system in this process: embedded Redis and MariaDB where no address says otherwise, its
 * secrets, the schema, and a node with the roles. Methods may be called from any thread but an
 * event loop: start and close wait.
 */
public final class LocalStack implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(LocalStack.class);

  /** Loading a large append-only file, or the first unpacking, may take this long. */
  private static final Duration READY_BOUND = Duration.ofSeconds(90);

  private static final Duration SANDBOX_BOUND = Duration.ofSeconds(10);

  /** Beyond a node's own bound, for closing Vert.x. */
  static final Duration CLOSE_GRACE = Duration.ofSeconds(5);

  /** A thread for each task: they wait for processes, and the common pool has one on two cores. */
  private static final Executor IN_THREAD =
      task -> {
        Thread thread = new Thread(task, "local-stack");
        thread.setDaemon(true);
        thread.start();
      };

  private final LocalOptions options;
  private final LocalPlan plan;
  private final LoadedConfig config;
  private final Servers servers;
  private final Node node;
  private final AtomicBoolean closed = new AtomicBoolean();

  private LocalStack(
      LocalOptions options, LocalPlan plan, LoadedConfig config, Servers servers, Node node) {
    this.options = options;
    this.plan = plan;
    this.config = config;
    this.servers = servers;
    this.node = node;
  }

  /** The servers that this process owns, and the lock on the folder of their data. */
  private record Servers(
      Optional<EmbeddedRedis> redis, Optional<EmbeddedMariaDb> mariaDb, Optional<FolderLock> lock) {

    Map<String, String> settings() {
      Map<String, String> settings = new HashMap<>();
      redis.ifPresent(server -> settings.put("redis.uri", server.uri()));
      mariaDb.ifPresent(
          server -> {
            settings.put("mysql.host", server.host());
            settings.put("mysql.port", Integer.toString(server.port()));
            settings.put("mysql.database", server.database());
            settings.put("mysql.user", server.user());
            settings.put("mysql.password", server.password());
          });
      return settings;
    }

    /** Both at once: neither needs the other, and each takes a second. */
    void close() {
      List<EmbeddedServer> running =
          Stream.<Optional<? extends EmbeddedServer>>of(redis, mariaDb)
              .<EmbeddedServer>flatMap(Optional::stream)
              .toList();
      CompletableFuture<?>[] stops =
          running.stream()
              .map(server -> CompletableFuture.runAsync(server::close, IN_THREAD))
              .toArray(CompletableFuture<?>[]::new);
      CompletableFuture.allOf(stops).join();
      unlock(lock);
    }
  }

  /**
   * Starts everything. Waits until the node is ready when all that it needs was started here; roles
   * of a system that others have a part in may have to wait for those. What a failed start had
   * opened is closed.
   *
   * @throws LaunchException or another failure whose message {@link Failures#describe} shows: what
   *     is wrong and what to do
   */
  public static LocalStack start(LocalOptions options) {
    LocalPlan plan = LocalPlan.of(options);
    prepareFolder(options, plan);
    Optional<FolderLock> lock = plan.makesSecrets() ? lock(options) : Optional.empty();
    try {
      return start(options, plan, lock);
    } catch (RuntimeException e) {
      unlock(lock);
      removeFolder(options);
      throw e;
    }
  }

  private static LocalStack start(LocalOptions options, LocalPlan plan, Optional<FolderLock> lock) {
    Optional<LocalSecrets> secrets =
        plan.makesSecrets()
            ? Optional.of(LocalSecrets.readOrMake(options.dataFolder()))
            : Optional.empty();
    // Before servers take seconds to start, and to stop again.
    FreeListeners.require(plan.complete(secrets, Map.of()).config(), options.roles());

    // MariaDB is the slowest; whatever does not need it goes on beside it.
    CompletableFuture<Optional<EmbeddedMariaDb>> mariaDb =
        inThread(plan.embedsMariaDb(), () -> startMariaDb(options, secrets.orElseThrow()));
    CompletableFuture<Optional<EmbeddedRedis>> redis =
        inThread(plan.embedsRedis(), () -> startRedis(options));
    CompletableFuture<VertxRuntime> runtime =
        VertxRuntime.open(plan.base().bus()).toCompletionStage().toCompletableFuture();
    CompletableFuture<Void> all = CompletableFuture.allOf(mariaDb, redis, runtime);
    try {
      Waiting.forResult(all, READY_BOUND, "the servers");
      Servers servers = new Servers(redis.join(), mariaDb.join(), lock);
      Optional<Sandbox> sandbox = startSandbox(plan, runtime.join());
      Map<String, String> settings = new HashMap<>(servers.settings());
      sandbox.ifPresent(provider -> settings.putAll(provider.settings()));
      LoadedConfig config = plan.complete(secrets, settings);
      Node node = startNode(options, plan, config.config(), runtime.join());
      LocalStack stack = new LocalStack(options, plan, config, servers, node);
      sandbox.ifPresent(provider -> provider.serves(stack.runInfoWithoutToken().publicUrl()));
      return stack;
    } catch (RuntimeException e) {
      boolean interrupted = Thread.interrupted();
      // Only when all have come up or failed is it known what there is to close.
      all.exceptionally(failure -> null).join();
      runtime.thenAccept(up -> Waiting.forResult(up.close(), CLOSE_GRACE, "the end of Vert.x"));
      new Servers(ifStarted(redis), ifStarted(mariaDb), lock).close();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      throw e;
    }
  }

  private static Optional<FolderLock> lock(LocalOptions options) {
    try {
      return Optional.of(FolderLock.take(options.dataFolder()));
    } catch (IOException e) {
      throw new LaunchException(
          "cannot use the data folder " + options.dataFolder() + " (" + e + ")", e);
    }
  }

  private static void unlock(Optional<FolderLock> lock) {
    if (lock.isPresent()) {
      try {
        lock.get().close();
      } catch (IOException e) {
        LOG.debug("the lock of the data folder", e);
      }
    }
  }

  private static <T> CompletableFuture<Optional<T>> inThread(boolean wanted, Supplier<T> start) {
    return wanted
        ? CompletableFuture.supplyAsync(() -> Optional.of(start.get()), IN_THREAD)
        : CompletableFuture.completedFuture(Optional.empty());
  }

  private static <T> Optional<T> ifStarted(CompletableFuture<Optional<T>> start) {
    return start.isDone() && !start.isCompletedExceptionally() ? start.join() : Optional.empty();
  }

  private static EmbeddedRedis startRedis(LocalOptions options) {
    return EmbeddedRedis.start(RedisSpec.in(options.dataFolder().resolve("redis")));
  }

  private static EmbeddedMariaDb startMariaDb(LocalOptions options, LocalSecrets secrets) {
    return EmbeddedMariaDb.start(
        MariaDbSpec.in(options.dataFolder().resolve("mariadb"))
            .withAccount("seckill", secrets.mysqlPassword()));
  }

  /** In the same process as the system, so that its secret need not outlive them. */
  private static Optional<Sandbox> startSandbox(LocalPlan plan, VertxRuntime runtime) {
    if (!plan.hostsSandbox()) {
      return Optional.empty();
    }
    String configured = plan.base().payment().secret().value();
    String secret =
        configured.isEmpty() ? LocalSecrets.random(CallbackSignature.MIN_SECRET_BYTES) : configured;
    return Optional.of(
        Waiting.forResult(
            Sandbox.start(runtime.vertx(), secret), SANDBOX_BOUND, "the payment sandbox"));
  }

  private static Node startNode(
      LocalOptions options, LocalPlan plan, SeckillConfig config, VertxRuntime runtime) {
    if (options.roles().contains(Role.CONSUMER)) {
      migrate(runtime, config.mysql());
    }
    Node node =
        Waiting.forResult(
            Node.start(config, options.roles(), NodeOptions.on(runtime)),
            READY_BOUND,
            "the start of the roles");
    return plan.makesSecrets() ? whenReady(node) : node;
  }

  /** A system of which every part was started here must get ready; others may wait for others. */
  private static Node whenReady(Node node) {
    try {
      Waiting.forResult(node.whenReady(), READY_BOUND, "readiness");
      return node;
    } catch (LaunchException e) {
      String missing = node.health().toJson().getJsonObject("checks").encode();
      boolean interrupted = Thread.interrupted();
      Waiting.forResult(node.close(), closeBound(node.config()), "the end of the roles");
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      throw new LaunchException(
          "the system did not get ready, " + e.getMessage() + ": " + missing, e);
    }
  }

  /**
   * Brings the schema of a database up to date.
   *
   * @throws LaunchException when the database cannot be reached or the schema is newer
   */
  public static int migrate(VertxRuntime runtime, SeckillConfig.MySql mysql) {
    try {
      return Waiting.forResult(
          new Migrator(runtime.vertx(), mysql).migrate(), Duration.ofMinutes(3), "the migrations");
    } catch (LaunchException e) {
      throw new LaunchException(
          "cannot bring the database up to date at "
              + mysql.host()
              + ':'
              + mysql.port()
              + '/'
              + mysql.database()
              + " ("
              + e.getMessage()
              + "): check that it runs, that the database exists, and mysql.host, mysql.port, mysql.database, mysql.user, mysql.password",
          e);
    }
  }

  private static void prepareFolder(LocalOptions options, LocalPlan plan) {
    Path folder = options.dataFolder();
    try {
      if (!options.keep() && Files.isDirectory(folder) && !isEmpty(folder)) {
        throw new LaunchException(
            folder + " is to be deleted at the end, but is not empty: name another folder");
      }
      if (plan.makesSecrets()) {
        Files.createDirectories(folder);
      }
    } catch (IOException e) {
      throw new LaunchException("cannot use the data folder " + folder + " (" + e + ")", e);
    }
  }

  private static void removeFolder(LocalOptions options) {
    if (!options.keep()) {
      try {
        FileTrees.delete(options.dataFolder());
      } catch (IOException e) {
        LOG.warn("cannot delete {}: {}", options.dataFolder(), e.toString());
      }
    }
  }

  private static boolean isEmpty(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.findAny().isEmpty();
    }
  }

  /** Bound on the end of a node. */
  static Duration closeBound(SeckillConfig config) {
    return Duration.ofMillis(config.node().shutdownMs()).plus(CLOSE_GRACE);
  }

  /** The node. */
  public Node node() {
    return node;
  }

  /** What it runs with. */
  public SeckillConfig config() {
    return config.config();
  }

  /** The same with the source of each value, for the log. */
  public LoadedConfig loadedConfig() {
    return config;
  }

  /** What was decided before the start. */
  public LocalPlan plan() {
    return plan;
  }

  /** The data folder. */
  public Path dataFolder() {
    return options.dataFolder();
  }

  /** The embedded Redis, empty when another one is used. */
  public Optional<EmbeddedRedis> redis() {
    return servers.redis();
  }

  /** The embedded MariaDB, empty when another database is used. */
  public Optional<EmbeddedMariaDb> mariaDb() {
    return servers.mariaDb();
  }

  /** Signs tokens that this system takes. */
  public TokenSigner tokens() {
    return new TokenSigner(config().jwt(), System::currentTimeMillis);
  }

  /** Addresses and a fresh admin token that lives as long as the configuration lets it. */
  public RunInfo runInfo() {
    String token =
        tokens()
            .sign(
                new UserId("operator"),
                Set.of(Identity.ADMIN),
                Duration.ofMillis(config().jwt().maxLifetimeMs()))
            .text();
    return runInfo(token);
  }

  /** Addresses alone, also where nothing signs tokens. */
  public RunInfo runInfoWithoutToken() {
    return runInfo("");
  }

  private RunInfo runInfo(String token) {
    return new RunInfo(
        url(config().gateway().host(), node.ports().publicPort()),
        url(config().gateway().adminHost(), node.ports().adminPort()),
        url(config().management().host(), node.ports().managementPort()),
        token,
        ProcessHandle.current().pid());
  }

  /** Empty for a port that is not served here. */
  private static String url(String host, int port) {
    if (port == 0) {
      return "";
    }
    String reachable =
        switch (host) {
          case "0.0.0.0" -> "127.0.0.1";
          case "::" -> "[::1]";
          default -> host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        };
    return "http://" + reachable + ":" + port;
  }

  /**
   * Stops node, Redis and MariaDB in this order, each within its bound, and deletes the data when
   * it is not to be kept. Safe to call twice.
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try {
      Waiting.forResult(node.close(), closeBound(config()), "the end of the roles");
    } catch (LaunchException e) {
      LOG.warn("{}", e.getMessage());
    }
    servers.close();
    removeFolder(options);
  }
}
