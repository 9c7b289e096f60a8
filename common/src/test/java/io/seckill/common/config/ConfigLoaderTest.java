package io.seckill.common.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigLoaderTest {

  private static final String SECRET = "0123456789abcdef0123456789abcdef";

  @TempDir Path folder;

  @Test
  void defaultsAloneShouldLoad() {
    SeckillConfig config = ConfigLoader.ofNothing().load().config();
    assertThat(config.node().id()).isEqualTo("node-1");
    assertThat(config.redis().callTimeoutMs()).isEqualTo(1_000);
    assertThat(config.gateway().trustedProxies()).isEmpty();
    assertThat(config.jwt().secret().isEmpty()).isTrue();
    assertThat(config.bus().clustered()).isFalse();
  }

  @Test
  void everyLayerShouldOverruleTheOneBelow() throws IOException {
    ConfigLoader loader = ConfigLoader.ofNothing();
    assertThat(callTimeout(loader)).isEqualTo(1_000);
    loader = loader.withFile(yaml("redis:\n  callTimeoutMs: 901\n"));
    assertThat(callTimeout(loader)).isEqualTo(901);
    loader = loader.withEnvironment(Map.of("SECKILL_REDIS_CALL_TIMEOUT_MS", "902"));
    assertThat(callTimeout(loader)).isEqualTo(902);
    loader = loader.withProperties(Map.of("seckill.redis.callTimeoutMs", "903"));
    assertThat(callTimeout(loader)).isEqualTo(903);
    loader = loader.withOverrides(Map.of("redis.callTimeoutMs", "904"));
    assertThat(callTimeout(loader)).isEqualTo(904);
  }

  private static long callTimeout(ConfigLoader loader) {
    return loader.load().config().redis().callTimeoutMs();
  }

  @Test
  void valuesThatAreOverruledShouldNotHaveToBeRight() {
    ConfigLoader loader =
        ConfigLoader.ofNothing()
            .withEnvironment(Map.of("SECKILL_REDIS_SHARDS", "many"))
            .withOverrides(Map.of("redis.shards", "16"));
    assertThat(loader.load().config().redis().shards()).isEqualTo(16);
  }

  @Test
  void everyKeyShouldBindFromEveryPlainLayer() {
    for (ConfigKey key : ConfigKey.all()) {
      String value =
          switch (key.kind()) {
            case INT, LONG -> "x";
            case BOOLEAN -> "yes";
            case WORD -> "sometimes";
            case TEXT, SECRET, LIST -> null;
          };
      if (value != null) {
        assertThat(
                problems(
                    ConfigLoader.ofNothing().withEnvironment(Map.of(key.environmentName(), value))))
            .singleElement()
            .asString()
            .startsWith(key.name() + " = " + value + " (environment variable ");
        assertThat(
                problems(
                    ConfigLoader.ofNothing().withProperties(Map.of(key.propertyName(), value))))
            .singleElement()
            .asString()
            .startsWith(key.name() + " = " + value + " (system property ");
      }
    }
  }

  @Test
  void environmentNamesShouldBeUniqueAndSpelledByHumps() {
    List<ConfigKey> keys = ConfigKey.all();
    assertThat(keys.stream().map(ConfigKey::environmentName))
        .doesNotHaveDuplicates()
        .contains(
            "SECKILL_REDIS_CALL_TIMEOUT_MS",
            "SECKILL_ORDER_ID_KEY",
            "SECKILL_MYSQL_HOST",
            "SECKILL_GATEWAY_DEV_SESSION");
  }

  @Test
  void listsShouldComeFromYamlOrWithCommas() throws IOException {
    String yaml =
        """
        gateway:
          trustedProxies:
            - 127.0.0.1
            - "2001:db8::/32"
          corsOrigins: [https://shop.example, "http://localhost:3000"]
        """;
    SeckillConfig.Gateway gateway =
        ConfigLoader.ofNothing().withFile(yaml(yaml)).load().config().gateway();
    assertThat(gateway.trustedProxies()).containsExactly("127.0.0.1", "2001:db8::/32");
    assertThat(gateway.corsOrigins())
        .containsExactly("https://shop.example", "http://localhost:3000");

    ConfigLoader plain =
        ConfigLoader.ofNothing()
            .withEnvironment(Map.of("SECKILL_GATEWAY_TRUSTED_PROXIES", "10.0.0.0/8, ::1"))
            .withProperties(Map.of("seckill.gateway.corsOrigins", ""));
    assertThat(plain.load().config().gateway().trustedProxies())
        .containsExactly("10.0.0.0/8", "::1");
    assertThat(plain.load().config().gateway().corsOrigins()).isEmpty();
  }

  @ParameterizedTest(name = "{index}")
  @ValueSource(
      strings = {
        "",
        " ",
        "1000.0",
        "1e3",
        "0x10",
        "1_000",
        "+500",
        "0500",
        " 500",
        "500ms",
        "٥٠٠",
        "-0",
        "4294967297000",
        "9223372036854775808",
        "49",
        "30001",
        "-1",
        "true",
        "null"
      })
  void IN_01_numbersShouldBeExactIntegersInTheirRange(String text) {
    assertThat(
            problems(ConfigLoader.ofNothing().withOverrides(Map.of("redis.callTimeoutMs", text))))
        .singleElement()
        .asString()
        .startsWith("redis.callTimeoutMs = ")
        .endsWith(" (command line): must be an integer from 50 to 30000, digits only");
  }

  @ParameterizedTest(name = "{index}")
  @ValueSource(strings = {"010", "0o10", "0x8", "8.0", "1_0", "1:30", "8e0", "yes", "[8]"})
  void IN_01_yamlShouldNotReadOneNumberAsAnother(String text) throws IOException {
    assertThat(problems("redis:\n  shards: " + text + "\n"))
        .singleElement()
        .asString()
        .endsWith("conf.yaml:2): must be an integer from 1 to 1023, digits only");
  }

  @ParameterizedTest(name = "{index}")
  @ValueSource(strings = {"yes", "True", "on", "1", "", "TRUE"})
  void booleansShouldBeTrueOrFalse(String text) {
    assertThat(problems(ConfigLoader.ofNothing().withOverrides(Map.of("bus.clustered", text))))
        .singleElement()
        .asString()
        .endsWith("must be true or false");
  }

  @Test
  void allProblemsShouldBeToldTogether() throws IOException {
    ConfigLoader loader =
        ConfigLoader.ofNothing()
            .withFile(
                yaml(
                    """
                    redis:
                      uri: http://localhost
                      shards: 0
                      shard: 3
                    mysql:
                      port: 99999
                    """))
            .withEnvironment(
                Map.of("SECKILL_JWT_SECRET", "short", "SECKILL_REDIS_URL", "redis://a:1"))
            .withProperties(Map.of("seckill.node.id", "a b", "seckill.nod.id", "x"))
            .withOverrides(Map.of("engine.maxBatch", "200", "engine.maxQueue", "100"));
    ConfigException failure = catchThrowableOfType(ConfigException.class, loader::load);
    String file = folder.resolve("conf.yaml").toString();
    assertThat(failure.problems())
        .containsExactlyInAnyOrder(
            "redis.shards = 0 (" + file + ":3): must be an integer from 1 to 1023, digits only",
            file + ":4: unknown key \"redis.shard\"; did you mean redis.shards?",
            "mysql.port = 99999 (" + file + ":6): must be an integer from 1 to 65535, digits only",
            "unknown environment variable \"SECKILL_REDIS_URL\"; did you mean SECKILL_REDIS_URI?",
            "unknown system property \"seckill.nod.id\"; did you mean seckill.node.id?",
            "redis.uri = \"http://localhost\" ("
                + file
                + ":2): must be redis://host:port, redis-sentinel://host:port,…/master or"
                + " redis-cluster://host:port,…; a password goes to redis.password",
            "jwt.secret = *** (environment variable SECKILL_JWT_SECRET): must have at least 32"
                + " bytes",
            "node.id = \"a b\" (system property seckill.node.id): must match [A-Za-z0-9_.-]{1,64}",
            "engine.maxBatch = 200 (command line) must not be above engine.maxQueue = 100 (command"
                + " line): a batch is taken from the queue");
    assertThat(failure.getMessage()).startsWith("the configuration has 9 problems:\n  ");
    assertThat(failure.getStackTrace()).isEmpty();
  }

  @ParameterizedTest(name = "{index}")
  @CsvSource(
      delimiter = '|',
      value = {
        "redis.callTimeoutMs=2000|redis.callTimeoutMs = 2000 (command line) must be less than"
            + " gateway.purchaseBudgetMs = 2000 (default)",
        "gateway.purchaseBudgetMs=20000|gateway.purchaseBudgetMs = 20000 (command line) must be"
            + " less than node.shutdownMs = 20000 (default)",
        "payment.callTimeoutMs=9001|must be an integer from 100 to 9000, digits only",
        "gateway.requestTimeoutMs=60000|must be less than gateway.idleTimeoutMs = 60000 (default)",
        "gateway.heartbeatMs=60000|must be less than gateway.idleTimeoutMs = 60000 (default)",
        "consumer.claimIdleMs=15000|must be less than consumer.claimIdleMs = 15000 (command line)",
        "payment.provider=sandbox|must be set with payment.provider = ",
        "notification.callTimeoutMs=20000|must be less than node.shutdownMs = 20000 (default)",
        "notification.webhookUrl=https://shop.example/hook|must be set with"
            + " notification.webhookUrl",
        "engine.maxQueue=100|must not be above engine.maxQueue = 100 (command line)",
        "gateway.adminPort=8080|gateway.adminPort = 8080 (command line) must differ from"
            + " gateway.publicPort = 8080 (default)",
        "management.port=8081|must differ from management.port = 8081 (command line)",
        "bus.port=9090|must differ from management.port = 9090 (default)"
      })
  void limitsShouldFitEachOther(String setting, String message) {
    String[] pair = setting.split("=", 2);
    assertThat(problems(ConfigLoader.ofNothing().withOverrides(Map.of(pair[0], pair[1]))))
        .singleElement()
        .asString()
        .contains(message);
  }

  @Test
  void portsShouldAllBeFreeToChoose() {
    SeckillConfig config =
        ConfigLoader.ofNothing()
            .withOverrides(
                Map.of(
                    "gateway.publicPort", "0",
                    "gateway.adminPort", "0",
                    "management.port", "0",
                    "bus.port", "0"))
            .load()
            .config();
    assertThat(config.gateway().publicPort()).isZero();
  }

  @ParameterizedTest(name = "{index}")
  @CsvSource(
      delimiter = '|',
      value = {
        "redis.uri|redis://127.0.0.1:6379",
        "redis.uri|redis://[::1]:6379",
        "redis.uri|redis://redis-0.redis:6380",
        "redis.uri|redis-sentinel://a:26379,b:26379,[::1]:26379/seckill",
        "redis.uri|redis-cluster://a:6379,b:6380",
        "redis.durability|replica",
        "node.id|pod_1.a-b",
        "jwt.secret|" + SECRET,
        "orderId.key|00112233445566778899aAbBcCdDeEfF",
        "gateway.host|::",
        "gateway.trustedProxies|10.0.0.1,10.0.0.0/8,::1,2001:db8::/32,::ffff:10.0.0.1/128",
        "gateway.corsOrigins|https://shop.example:8443",
        "bus.members|10.0.0.1:5701,node-2:5701,[::1]:5701",
        "bus.kubernetesService|seckill-bus.sale.svc.cluster.local",
        "payment.secret|" + SECRET,
        "payment.sandboxUrl|https://pay.example:8443/sandbox",
        "notification.secret|" + SECRET
      })
  void goodFormsShouldPass(String key, String value) {
    assertThat(ConfigLoader.ofNothing().withOverrides(Map.of(key, value)).load()).isNotNull();
  }

  @ParameterizedTest(name = "{index}")
  @CsvSource(
      delimiter = '|',
      value = {
        "redis.uri|''",
        "redis.uri|127.0.0.1:6379",
        "redis.uri|rediss://127.0.0.1:6379",
        "redis.uri|redis://127.0.0.1",
        "redis.uri|redis://127.0.0.1:0",
        "redis.uri|redis://127.0.0.1:65536",
        "redis.uri|redis://127.0.0.1:6379/1",
        "redis.uri|redis://127.0.0.1:6379?db=1",
        "redis.uri|redis://127.0.0.1:6379,127.0.0.1:6380",
        "redis.uri|redis-sentinel://a:26379",
        "redis.uri|redis-sentinel://a:26379,/seckill",
        "redis.uri|redis-sentinel://a/seckill",
        "redis.uri|redis-cluster://a:6379/0",
        "redis.durability|REPLICA",
        "redis.durability|all",
        "node.id|''",
        "node.id|a/b",
        "node.id|кот",
        "jwt.issuer|''",
        "jwt.audience|a b",
        "jwt.secret|0123456789abcdef0123456789abcde",
        "orderId.key|00112233445566778899aabbccddeef",
        "orderId.key|00112233445566778899aabbccddeegg",
        "mysql.host|''",
        "mysql.host|db:3306",
        "mysql.database|a-b",
        "mysql.user|''",
        "gateway.host|localhost:8080",
        "gateway.adminHost|http://localhost",
        "management.host|''",
        "payment.secret|0123456789abcdef0123456789abcde",
        "payment.sandboxUrl|ftp://pay.example",
        "notification.secret|0123456789abcdef0123456789abcde",
        "consumer.writesPerSecond|99",
        "payment.sandboxUrl|pay.example",
        "payment.sandboxUrl|https://pay.example/?shop=1",
        "gateway.trustedProxies|10.0.0.0/33",
        "gateway.trustedProxies|10.0.0.256",
        "gateway.trustedProxies|010.0.0.1",
        "gateway.trustedProxies|10.0.0",
        "gateway.trustedProxies|10.0.0.1,",
        "gateway.trustedProxies|proxy.example",
        "gateway.trustedProxies|::/129",
        "gateway.trustedProxies|:::1",
        "gateway.corsOrigins|*",
        "gateway.corsOrigins|https://shop.example/",
        "gateway.corsOrigins|shop.example",
        "gateway.corsOrigins|ftp://shop.example",
        "bus.host|''",
        "bus.members|10.0.0.1",
        "bus.members|10.0.0.1:0",
        "bus.kubernetesService|a b"
      })
  void badFormsShouldBeToldWithTheirKey(String key, String value) {
    assertThat(problems(ConfigLoader.ofNothing().withOverrides(Map.of(key, value))))
        .singleElement()
        .asString()
        .startsWith(key + " = ")
        .contains("(command line): ", "must ");
  }

  @Test
  void membersShouldBeListedOrLookedUp() {
    Map<String, String> both =
        Map.of("bus.members", "10.0.0.1:5701", "bus.kubernetesService", "bus");
    assertThat(problems(ConfigLoader.ofNothing().withOverrides(both)))
        .singleElement()
        .asString()
        .contains("not both");
  }

  @Test
  void secretsShouldNeverBeShown() {
    Map<String, String> wrong =
        Map.of(
            "orderId.key", "hunter2", "jwt.secret", "hunter2", "redis.uri", "redis://:hunter2@a:1");
    ConfigException failure =
        catchThrowableOfType(
            ConfigException.class, () -> ConfigLoader.ofNothing().withOverrides(wrong).load());
    assertThat(failure.problems()).hasSize(3);
    assertThat(failure.getMessage()).contains("***").doesNotContain("hunter2");

    assertThat(
            problems(
                ConfigLoader.ofNothing().withEnvironment(Map.of("SECKILL_JWT_SECRT", "hunter2"))))
        .singleElement()
        .asString()
        .doesNotContain("hunter2");

    LoadedConfig loaded =
        ConfigLoader.ofNothing()
            .withOverrides(Map.of("jwt.secret", SECRET, "redis.password", "hunter2"))
            .load();
    assertThat(loaded.describe()).doesNotContain("hunter2").doesNotContain(SECRET);
    assertThat(loaded.config().toString()).doesNotContain("hunter2").doesNotContain(SECRET);
    assertThat(loaded.config().redis().password().value()).isEqualTo("hunter2");
  }

  @Test
  void describeShouldTellEveryValueAndItsSource() throws IOException {
    String text =
        ConfigLoader.ofNothing()
            .withFile(yaml("node:\n  id: a\n"))
            .withOverrides(Map.of("jwt.secret", SECRET))
            .load()
            .describe();
    assertThat(text.lines()).hasSameSizeAs(ConfigKey.all());
    assertThat(text)
        .contains("node.id = \"a\" (" + folder.resolve("conf.yaml") + ":2)\n")
        .contains("redis.callTimeoutMs = 1000 (default)\n")
        .contains("redis.password = \"\" (default)\n")
        .contains("gateway.trustedProxies = [] (default)\n")
        .contains("jwt.secret = *** (command line)\n");
  }

  @Test
  void isDefaultShouldTellWhetherSomebodySetTheKey() {
    LoadedConfig loaded =
        ConfigLoader.ofNothing().withOverrides(Map.of("redis.shards", "1")).load();
    assertThat(loaded.isDefault("redis.uri")).isTrue();
    assertThat(loaded.isDefault("redis.shards")).isFalse();
    assertThatThrownBy(() -> loaded.isDefault("redis.url"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void foreignTextShouldNotForgeLines() {
    assertThat(
            problems(
                ConfigLoader.ofNothing()
                    .withOverrides(Map.of("node.id", "a\nnode.id = ok\u001b[0m\u202e"))))
        .singleElement()
        .asString()
        .doesNotContain("\n")
        .contains("a\\u000anode.id = ok\\u001b[0m\\u202e");
  }

  @Test
  void namesOfOthersShouldBeLeftAlone() {
    ConfigLoader loader =
        ConfigLoader.ofNothing()
            .withEnvironment(
                Map.of(
                    "SECKILL_ADMIN_URL", "http://a",
                    "SECKILL_ADMIN_TOKEN", "t",
                    "SECKILL_JAVA_OPTS", "-Xmx1g",
                    "PATH", "/bin"))
            .withProperties(
                Map.of(
                    "seckill.test.redis", "x", "seckill.embedded.cache", "y", "user.dir", "/tmp"));
    assertThat(loader.load()).isNotNull();
  }

  @Test
  void unknownKeysShouldNameTheNearest() throws IOException {
    assertThat(problems("gateway:\n  publicport: 1\n"))
        .singleElement()
        .asString()
        .endsWith("unknown key \"gateway.publicport\"; did you mean gateway.publicPort?");
    assertThat(problems("redsi:\n"))
        .singleElement()
        .asString()
        .contains("conf.yaml:1: unknown key \"redsi\"");
    assertThat(problems(ConfigLoader.ofNothing().withOverrides(Map.of("mysql.pooSize", "4"))))
        .containsExactly(
            "command line: unknown key \"mysql.pooSize\"; did you mean mysql.poolSize?");
  }

  @ParameterizedTest(name = "{index}")
  @CsvSource(
      delimiter = '|',
      value = {
        "redis:\\n  shards: 2\\n  shards: 3\\n|:3: \"redis.shards\" stands already in line 2",
        "redis:\\n  shards: 2\\nnode:\\n  id: a\\nredis:\\n  shards: 2\\n|:5: \"redis\" stands"
            + " already in line 1",
        "redis: 5\\n|:1: redis is a section; indent its keys below",
        "redis:\\n  uri:\\n|:2: redis.uri has no value",
        "- a\\n|:1: a configuration is a mapping",
        "just text\\n|:1: a configuration is a mapping",
        "node:\\n  id: a\\n---\\nnode:\\n  id: b\\n|a configuration is one document",
        "node: {id: a\\n|not valid YAML",
        "node:\\n  id: &x a\\nmysql:\\n  user: *x\\n|:4: \"mysql.user\" uses an alias",
        "gateway:\\n  trustedProxies: [[a]]\\n|:2: \"gateway.trustedProxies\" is a list of texts",
        "gateway:\\n  trustedProxies: [~]\\n|:2: \"gateway.trustedProxies\" is a list of texts",
        "node:\\n  id: {a: b}\\n|unknown key \"node.id.a\"",
        "node:\\n  id: [a]\\n|must be one text"
      })
  void yamlShouldBeReadStrictly(String yaml, String message) throws IOException {
    assertThat(problems(yaml.replace("\\n", "\n")))
        .singleElement()
        .asString()
        .contains("conf.yaml")
        .contains(message);
  }

  @ParameterizedTest(name = "{index}")
  @ValueSource(strings = {"", "# nothing\n", "---\n", "redis:\n", "redis: {}\n"})
  void emptyFilesAndSectionsShouldChangeNothing(String yaml) throws IOException {
    assertThat(ConfigLoader.ofNothing().withFile(yaml(yaml)).load().config())
        .isEqualTo(ConfigLoader.ofNothing().load().config());
  }

  @Test
  void yamlTextsShouldKeepTheirSpelling() throws IOException {
    SeckillConfig config =
        ConfigLoader.ofNothing()
            .withFile(yaml("node:\n  id: 007\nredis:\n  password: 1e3\nmysql:\n  password: yes\n"))
            .load()
            .config();
    assertThat(config.node().id()).isEqualTo("007");
    assertThat(config.redis().password().value()).isEqualTo("1e3");
    assertThat(config.mysql().password().value()).isEqualTo("yes");
  }

  @Test
  void missingFileShouldBeAProblem() {
    assertThat(problems(ConfigLoader.ofNothing().withFile(folder.resolve("none.yaml"))))
        .singleElement()
        .asString()
        .contains("none.yaml: cannot be read");
  }

  @Test
  void hugeFileShouldBeAProblem() throws IOException {
    assertThat(problems("#" + "x".repeat(1 << 20)))
        .singleElement()
        .asString()
        .contains("is larger than 1048576 bytes");
  }

  private Path yaml(String text) throws IOException {
    return Files.writeString(folder.resolve("conf.yaml"), text);
  }

  private List<String> problems(String yaml) throws IOException {
    return problems(ConfigLoader.ofNothing().withFile(yaml(yaml)));
  }

  private static List<String> problems(ConfigLoader loader) {
    ConfigException failure = catchThrowableOfType(ConfigException.class, loader::load);
    assertThat(failure).as("the configuration was to be refused").isNotNull();
    return failure.problems();
  }
}
