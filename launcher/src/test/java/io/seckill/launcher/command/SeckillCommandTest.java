package io.seckill.launcher.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.config.ConfigLoader;
import io.seckill.common.config.Secret;
import io.seckill.gateway.token.Identity;
import io.seckill.gateway.token.TokenKeys;
import io.seckill.gateway.token.TokenVerifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class SeckillCommandTest {

  @TempDir private Path folder;

  @Test
  void executeShouldNameTheNearestCommandWhenItIsUnknown() {
    Invocation misspelled = Invocation.of("rum");
    assertThat(misspelled.exitCode()).isEqualTo(2);
    assertThat(misspelled.out()).isEmpty();
    assertThat(misspelled.err()).contains("'rum'").contains("did you mean 'run'?");
    assertThat(Invocation.of("item", "lst").err()).contains("did you mean 'list'?");
    assertThat(Invocation.of("audit", "--jsn").err()).contains("did you mean '--json'?");
  }

  @Test
  void executeShouldTellWhatThereIsWhenNoCommandIsGiven() {
    assertThat(Invocation.of().exitCode()).isEqualTo(2);
    assertThat(Invocation.of().err()).contains("run").contains("demo").contains("token");
    assertThat(Invocation.of("item").err()).contains("create").contains("restock");
    assertThat(Invocation.of("order").err()).contains("show").contains("cancel").contains("refund");
    assertThat(Invocation.of("notifications").err()).contains("list").contains("retry");
    assertThat(Invocation.of("dead-letters").err())
        .contains("list")
        .contains("show")
        .contains("retry")
        .contains("settle");
    assertThat(Invocation.of("sales").err()).contains("stop").contains("resume").contains("show");
  }

  @Test
  void everyCommandShouldHaveHelpAndJson() {
    List<CommandLine> all = new ArrayList<>();
    collect(SeckillCommand.commandLine(), all);
    assertThat(all).hasSizeGreaterThan(10);
    for (CommandLine line : all) {
      String name = line.getCommandSpec().qualifiedName();
      assertThat(line.getCommandSpec().optionsMap()).as(name).containsKey("--help");
      assertThat(line.getUsageMessage()).as(name).contains(line.getCommandName());
      if (line.getSubcommands().isEmpty()) {
        assertThat(line.getCommandSpec().optionsMap()).as(name).containsKey("--json");
      }
    }
  }

  private static void collect(CommandLine line, List<CommandLine> all) {
    all.add(line);
    line.getSubcommands().values().forEach(each -> collect(each, all));
  }

  @Test
  void executeShouldPrintOneObjectWhenJsonIsAskedForAndTheUsageIsWrong() {
    Invocation wrong = Invocation.of("preheat", "0", "--json");
    assertThat(wrong.exitCode()).isEqualTo(2);
    assertThat(wrong.json().getString("error")).contains("positive integer");
  }

  @Test
  void runShouldTellEveryProblemOfTheConfigurationWithoutAStackTrace() {
    Invocation wrong =
        Invocation.of("run", "--port", "99999", "--set", "redis.ur=x", "--data", folder.toString());
    assertThat(wrong.exitCode()).isEqualTo(2);
    assertThat(wrong.err())
        .contains("gateway.publicPort = 99999")
        .contains("did you mean redis.uri?")
        .doesNotContain("\tat ");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void executeShouldSayInPlainWordsWhatIsWrong() {
    wrong(
        "is no time with its offset",
        "item",
        "create",
        "--name",
        "n",
        "--price",
        "1",
        "--stock",
        "1",
        "--starts",
        "tomorrow");
    wrong(
        "--group-limit",
        "item",
        "create",
        "--name",
        "n",
        "--price",
        "1",
        "--stock",
        "1",
        "--group",
        "g");
    wrong("--units", "item", "withdraw", "7");
    wrong("--lift", "item", "cap", "7");
    wrong("mutually exclusive", "item", "cap", "7", "--units", "5", "--lift");
    wrong("--ends", "item", "window", "7", "--starts", "2026-11-11T00:00:00+08:00");
    wrong("'all' is no whole number", "item", "total", "7", "--units", "all");
    wrong("'many' is no whole number", "demo", "--stock", "many");
    wrong("pay-ratio must be 0 to 1", "demo", "--pay-ratio", "60");
    wrong("pay-timeout must be 1", "demo", "--pay-ratio", "0.6", "--pay-timeout", "0");
    wrong("an order that is held is not paid", "demo", "--pay-ratio", "1", "--hold-orders");
    wrong("an order id has 26", "order", "refund", "7");
    wrong("named <region>:<shard>:<epoch>:<seq>", "dead-letters", "settle", "3:0:1");
    wrong("named <region>:<shard>:<epoch>:<seq>", "dead-letters", "list", "--after", "x");
    wrong("name notifications, or say --all", "notifications", "retry");
    wrong("name notifications, or say --all", "notifications", "retry", "7", "--all");
    wrong("'9999999999' is out of range", "demo", "--stock", "9999999999");
    wrong(
        "'99999999999999999999' is out of range",
        "item",
        "total",
        "7",
        "--units=99999999999999999999");
    wrong("stock must be 1 to", "demo", "--stock", "0");
    wrong("--wait-ms must be 0 to 60000", "audit", "--wait-ms", "999999");
    wrong("there is no such file", "run", "--config", folder.resolve("none.yaml").toString());
    wrong("bus.clustered", "run", "--roles", "gateway", "--data", folder.toString());
    wrong("--user must match", "token", "--user", "a b");
    assertThat(wrong("'xyzzy'", "xyzzy").err()).doesNotContain("did you mean");
    assertThat(wrong("\"foo.bar\"", "run", "--set", "foo.bar=1").err())
        .doesNotContain("did you mean");
  }

  private static Invocation wrong(String text, String... arguments) {
    Invocation wrong = Invocation.of(arguments);
    assertThat(wrong.exitCode()).as(wrong.err()).isEqualTo(2);
    assertThat(wrong.err()).contains(text).doesNotContain("Exception").doesNotContain("java.");
    return wrong;
  }

  @Test
  void runShouldRefuseRolesThatDoNotExist() {
    assertThat(Invocation.of("run", "--roles", "gateway,foo").err())
        .contains("unknown role 'foo'")
        .contains("seckill");
  }

  @Test
  void tokenShouldSignWithTheConfiguredSecret() {
    String secret = "0123456789abcdef0123456789abcdef";
    Invocation signed =
        Invocation.of(
            "token",
            "--user",
            "alice",
            "--role",
            "admin",
            "--json",
            "--set",
            "jwt.secret=" + secret);
    assertThat(signed.exitCode()).isZero();
    TokenVerifier verifier =
        new TokenVerifier(
            ConfigLoader.ofNothing().load().config().jwt(),
            TokenKeys.hs256(new Secret(secret)),
            System::currentTimeMillis);
    Identity identity =
        verifier.verify(List.of("Bearer " + signed.json().getString("token"))).orElseThrow();
    assertThat(identity.user()).hasToString("alice");
    assertThat(identity.isAdmin()).isTrue();
  }

  @Test
  void tokenShouldSayWhatToDoWhenThereIsNoSecret() {
    Invocation refused = Invocation.of("token", "--user", "a", "--data", folder.toString());
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err()).contains("secrets.json").contains("./seckill run");
  }

  @Test
  void tokenShouldRefuseALifeThatNodesWouldRefuse() {
    String secret = "jwt.secret=0123456789abcdef0123456789abcdef";
    assertThat(Invocation.of("token", "--user", "a", "--ttl", "86401", "--set", secret).err())
        .contains("--ttl must be 1 to 86400");
    assertThat(Invocation.of("token", "--user", "a b", "--set", secret).err())
        .contains("--user must match");
  }

  @Test
  void commandsShouldSayHowToFindASystemWhenThereIsNone() {
    Invocation lost = Invocation.of("item", "list", "--data", folder.toString(), "--json");
    assertThat(lost.exitCode()).isEqualTo(1);
    assertThat(lost.json().getString("error")).contains("run.json").contains("SECKILL_ADMIN_URL");
  }

  @Test
  void migrateShouldAskForADatabase() {
    assertThat(Invocation.of("migrate").err()).contains("--mysql");
    assertThat(Invocation.of("migrate", "--mysql", "root:secret@host").err())
        .contains("mysql://user:password@host:port/database")
        .doesNotContain("secret@");
  }
}
