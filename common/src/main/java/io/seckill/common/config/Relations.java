package io.seckill.common.config;

import io.seckill.common.payment.CallbackSignature;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What a type and a range cannot say: the form of texts, and how limits stand to each other. A rule
 * is not asked when one of its keys could not be bound, so that one mistake gives one message.
 */
final class Relations {

  private static final Pattern NODE_ID = Pattern.compile("[A-Za-z0-9_.-]{1,64}");
  private static final Pattern ORDER_ID_KEY = Pattern.compile("[0-9A-Fa-f]{32}");
  private static final Pattern SCHEMA = Pattern.compile("[A-Za-z0-9_]{1,64}");
  private static final Pattern VISIBLE = Pattern.compile("[!-~]{1,255}");
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9_.-]{1,253}");
  private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:.]{2,45}");
  private static final Pattern IPV4 =
      Pattern.compile("((25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(\\.(?!$)|$)){4}");

  /** HS256 wants a key as long as its hash: RFC 7518, section 3.2. */
  private static final int MIN_JWT_SECRET_BYTES = 32;

  /**
   * One entry of a log holds up to 512 wins and is stored as a whole, by somebody who must not hold
   * it for long: others take over what has been held for {@code consumer.claimIdleMs}.
   */
  private static final int MIN_WRITES_PER_SECOND = 100;

  private static final String URL_RULE =
      "must be an http or https address without user, query or fragment";

  private final SeckillConfig config;
  private final Map<String, Setting> settings;
  private final Map<String, ConfigKey> keys;
  private final Set<String> unbound;
  private final List<String> problems = new ArrayList<>();

  private Relations(
      SeckillConfig config,
      Map<String, Setting> settings,
      Map<String, ConfigKey> keys,
      Set<String> unbound) {
    this.config = config;
    this.settings = settings;
    this.keys = keys;
    this.unbound = unbound;
  }

  /**
   * Asks every rule.
   *
   * @param config what was bound
   * @param settings what was written, by key
   * @param keys every key by its name
   * @param unbound keys that have a problem already
   * @return one line for each problem
   */
  static List<String> check(
      SeckillConfig config,
      Map<String, Setting> settings,
      Map<String, ConfigKey> keys,
      Set<String> unbound) {
    Relations relations = new Relations(config, settings, keys, unbound);
    relations.node();
    relations.stores();
    relations.tokens();
    relations.payment();
    relations.notification();
    relations.http();
    relations.times();
    relations.sizes();
    relations.ports();
    relations.bus();
    return relations.problems;
  }

  private void node() {
    form(
        "node.id",
        NODE_ID.matcher(config.node().id()).matches(),
        "must match [A-Za-z0-9_.-]{1,64}");
  }

  private void stores() {
    redisUri();
    host("mysql.host", config.mysql().host());
    form(
        "mysql.database",
        SCHEMA.matcher(config.mysql().database()).matches(),
        "must match [A-Za-z0-9_]{1,64}");
    form(
        "mysql.user",
        VISIBLE.matcher(config.mysql().user()).matches(),
        "must be 1 to 255 visible ASCII characters");
  }

  private void redisUri() {
    try {
      RedisUri.parse(config.redis().uri());
    } catch (IllegalArgumentException e) {
      form("redis.uri", false, e.getMessage());
    }
  }

  private void tokens() {
    String secret = config.jwt().secret().value();
    form(
        "jwt.secret",
        secret.isEmpty() || secret.getBytes(StandardCharsets.UTF_8).length >= MIN_JWT_SECRET_BYTES,
        "must have at least " + MIN_JWT_SECRET_BYTES + " bytes");
    String visible = "must be 1 to 255 visible ASCII characters";
    form("jwt.issuer", VISIBLE.matcher(config.jwt().issuer()).matches(), visible);
    form("jwt.audience", VISIBLE.matcher(config.jwt().audience()).matches(), visible);
    String orderKey = config.orderId().key().value();
    form(
        "orderId.key",
        orderKey.isEmpty() || ORDER_ID_KEY.matcher(orderKey).matches(),
        "must be 32 hexadecimal digits");
  }

  private void payment() {
    SeckillConfig.Payment payment = config.payment();
    secret("payment.secret", payment.secret());
    form("payment.sandboxUrl", isUrl(payment.sandboxUrl()), URL_RULE);
    require(
        List.of("payment.secret", "payment.provider"),
        payment.provider() == SeckillConfig.Provider.NONE || !payment.secret().value().isEmpty(),
        "must be set with",
        "what the provider reports is believed by its signature only");
  }

  private void notification() {
    SeckillConfig.Notification notification = config.notification();
    secret("notification.secret", notification.secret());
    form(
        "notification.webhookUrl",
        !notification.enabled() || isUrl(notification.webhookUrl()),
        URL_RULE);
    require(
        List.of("notification.secret", "notification.webhookUrl"),
        !notification.enabled() || !notification.secret().value().isEmpty(),
        "must be set with",
        "the receiver believes a notification by its signature only");
  }

  /** A key of {@link CallbackSignature}, when there is one. */
  private void secret(String key, Secret secret) {
    int bytes = secret.value().getBytes(StandardCharsets.UTF_8).length;
    form(
        key,
        bytes == 0 || bytes >= CallbackSignature.MIN_SECRET_BYTES,
        "must have at least " + CallbackSignature.MIN_SECRET_BYTES + " bytes");
  }

  private void http() {
    host("gateway.host", config.gateway().host());
    host("gateway.adminHost", config.gateway().adminHost());
    host("management.host", config.management().host());
    for (String block : config.gateway().trustedProxies()) {
      form(
          "gateway.trustedProxies",
          isAddressBlock(block),
          Texts.quoted(block) + " must be an IP address or a CIDR block");
    }
    for (String origin : config.gateway().corsOrigins()) {
      form(
          "gateway.corsOrigins",
          isOrigin(origin),
          Texts.quoted(origin) + " must be an origin such as https://shop.example, without a path");
    }
  }

  private void times() {
    long budget = config.gateway().purchaseBudgetMs();
    less(
        "redis.callTimeoutMs",
        config.redis().callTimeoutMs(),
        "gateway.purchaseBudgetMs",
        budget,
        "a purchase must outlive the call that decides it");
    if (config.redis().durability() == SeckillConfig.Durability.REPLICA) {
      less(
          "redis.waitMs",
          config.redis().waitMs(),
          "redis.callTimeoutMs",
          config.redis().callTimeoutMs(),
          "a call waits for replicas within its own bound");
    }
    less(
        "gateway.purchaseBudgetMs",
        budget,
        "gateway.idleTimeoutMs",
        config.gateway().idleTimeoutMs(),
        "a connection that waits for its answer is not idle");
    less(
        "gateway.requestTimeoutMs",
        config.gateway().requestTimeoutMs(),
        "gateway.idleTimeoutMs",
        config.gateway().idleTimeoutMs(),
        "a slow request is to be answered, not cut off");
    less(
        "gateway.purchaseBudgetMs",
        budget,
        "node.shutdownMs",
        config.node().shutdownMs(),
        "a stop waits for purchases that are in flight");
    less(
        "gateway.heartbeatMs",
        config.gateway().heartbeatMs(),
        "gateway.idleTimeoutMs",
        config.gateway().idleTimeoutMs(),
        "an event stream that is still is not idle");
    less(
        "payment.callTimeoutMs",
        config.payment().callTimeoutMs(),
        "node.shutdownMs",
        config.node().shutdownMs(),
        "a stop waits for calls to the provider");
    less(
        "notification.callTimeoutMs",
        config.notification().callTimeoutMs(),
        "node.shutdownMs",
        config.node().shutdownMs(),
        "a stop waits for calls to the receiver");
    less(
        "mysql.statementTimeoutMs",
        config.mysql().statementTimeoutMs(),
        "consumer.claimIdleMs",
        config.consumer().claimIdleMs(),
        "entries are not taken over while their transaction may still run");
    less(
        "consumer.blockMs",
        config.consumer().blockMs(),
        "consumer.claimIdleMs",
        config.consumer().claimIdleMs(),
        "a consumer that waits for news is not dead");
    less(
        "jwt.clockSkewMs",
        config.jwt().clockSkewMs(),
        "jwt.maxLifetimeMs",
        config.jwt().maxLifetimeMs(),
        "a token is not good for longer than its life");
  }

  private void sizes() {
    int writes = config.consumer().writesPerSecond();
    form(
        "consumer.writesPerSecond",
        writes == 0 || writes >= MIN_WRITES_PER_SECOND,
        "must be 0 or at least " + MIN_WRITES_PER_SECOND);
    require(
        List.of("engine.maxBatch", "engine.maxQueue"),
        config.engine().maxBatch() <= config.engine().maxQueue(),
        "must not be above",
        "a batch is taken from the queue");
  }

  private void ports() {
    Map<String, Integer> ports =
        Map.of(
            "gateway.publicPort", config.gateway().publicPort(),
            "gateway.adminPort", config.gateway().adminPort(),
            "management.port", config.management().port(),
            "bus.port", config.bus().port());
    List<String> names = ports.keySet().stream().sorted().toList();
    for (int i = 0; i < names.size(); i++) {
      for (int j = i + 1; j < names.size(); j++) {
        int port = ports.get(names.get(i));
        require(
            List.of(names.get(i), names.get(j)),
            port == 0 || port != ports.get(names.get(j)),
            "must differ from",
            "one port serves one purpose; 0 chooses a free one");
      }
    }
  }

  private void bus() {
    host("bus.host", config.bus().host());
    for (String member : config.bus().members()) {
      form(
          "bus.members",
          isHostAndPort(member),
          Texts.quoted(member) + " must be host:port, the port from 1 to 65535");
    }
    String service = config.bus().kubernetesService();
    form(
        "bus.kubernetesService",
        service.isEmpty() || HOST.matcher(service).matches(),
        "must be a DNS name");
    require(
        List.of("bus.members", "bus.kubernetesService"),
        config.bus().members().isEmpty() || service.isEmpty(),
        "must be empty or else",
        "members are listed or looked up, not both");
    boolean looksForOthers = !config.bus().members().isEmpty() || !service.isEmpty();
    require(
        List.of("bus.port", "bus.clustered"),
        !config.bus().clustered() || !looksForOthers || config.bus().port() > 0,
        "must be a fixed port",
        "members find each other by it");
  }

  private void host(String key, String host) {
    form(key, HOST.matcher(host).matches() || isIpv6(host), "must be a host name or an address");
  }

  private void form(String key, boolean holds, String rule) {
    if (!holds && !unbound.contains(key)) {
      problems.add(written(key) + ": " + rule);
    }
  }

  private void less(String low, long lowMs, String high, long highMs, String reason) {
    require(List.of(low, high), lowMs < highMs, "must be less than", reason);
  }

  private void require(List<String> pair, boolean holds, String relation, String reason) {
    if (!holds && pair.stream().noneMatch(unbound::contains)) {
      problems.add(
          written(pair.get(0)) + " " + relation + " " + written(pair.get(1)) + ": " + reason);
    }
  }

  private String written(String key) {
    return Binder.written(keys.get(key), settings.get(key));
  }

  private static boolean isOrigin(String text) {
    return isUrl(text) && URI.create(text).getRawPath().isEmpty();
  }

  private static boolean isUrl(String text) {
    try {
      URI uri = new URI(text);
      boolean web = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      return web
          && uri.getHost() != null
          && (uri.getPort() == -1 || isPort(uri.getPort()))
          && uri.getUserInfo() == null
          && uri.getRawQuery() == null
          && uri.getRawFragment() == null;
    } catch (URISyntaxException e) {
      return false;
    }
  }

  private static boolean isHostAndPort(String text) {
    try {
      URI uri = new URI("member://" + text);
      return uri.getHost() != null
          && isPort(uri.getPort())
          && uri.getUserInfo() == null
          && uri.getRawPath().isEmpty()
          && uri.getRawQuery() == null;
    } catch (URISyntaxException e) {
      return false;
    }
  }

  private static boolean isPort(int port) {
    return port >= 1 && port <= 65_535;
  }

  /** An address or {@code address/prefix}; never asks DNS. */
  private static boolean isAddressBlock(String text) {
    int slash = text.indexOf('/');
    String address = slash < 0 ? text : text.substring(0, slash);
    boolean v4 = IPV4.matcher(address).matches();
    if (!v4 && !isIpv6(address)) {
      return false;
    }
    String prefix = slash < 0 ? "0" : text.substring(slash + 1);
    return prefix.matches("0|[1-9]\\d{0,2}") && Integer.parseInt(prefix) <= (v4 ? 32 : 128);
  }

  private static boolean isIpv6(String text) {
    if (!IPV6.matcher(text).matches() || text.indexOf(':') < 0) {
      return false;
    }
    try {
      // The URI parser knows the grammar of an IPv6 literal and looks nothing up.
      return new URI("http://[" + text + "]").getHost() != null;
    } catch (URISyntaxException e) {
      return false;
    }
  }
}
