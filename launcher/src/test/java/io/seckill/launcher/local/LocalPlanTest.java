package io.seckill.launcher.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.config.ConfigLoader;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.role.Role;
import io.seckill.embedded.EmbeddedServer;
import io.seckill.launcher.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LocalPlanTest {

  private static final LocalSecrets SECRETS =
      new LocalSecrets("0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef", "p");

  @TempDir private Path folder;

  @Test
  void planShouldEmbedBothServersWhenNothingIsConfigured() {
    LocalPlan plan = LocalPlan.of(nothing());
    assertThat(plan.isLocalRun()).isTrue();
    assertThat(plan.embedsRedis()).isTrue();
    assertThat(plan.embedsMariaDb()).isTrue();
    SeckillConfig config =
        plan.complete(Optional.of(SECRETS), Map.of("redis.uri", "redis://127.0.0.1:1")).config();
    assertThat(config.redis().uri()).isEqualTo("redis://127.0.0.1:1");
    assertThat(config.jwt().secret().value()).isEqualTo(SECRETS.jwtSecret());
    assertThat(config.gateway().devSession()).isTrue();
    assertThat(config.gateway().host()).isEqualTo("127.0.0.1");
  }

  @Test
  void planShouldHostTheSandboxInALocalRunUnlessToldOtherwise() throws IOException {
    assertThat(LocalPlan.of(nothing()).hostsSandbox()).isTrue();
    assertThat(LocalPlan.of(nothing().with("payment.provider", "none")).hostsSandbox()).isFalse();
    LocalOptions ownSecret =
        nothing()
            .with("payment.provider", "sandbox")
            .with("payment.secret", "0123456789abcdef0123456789abcdef");
    assertThat(LocalPlan.of(ownSecret).hostsSandbox()).isTrue();
    LocalOptions elsewhere = ownSecret.with("payment.sandboxUrl", "http://pay.example:8082");
    assertThat(LocalPlan.of(elsewhere).hostsSandbox()).isFalse();
    LocalOptions configured = nothing().withConfigFile(file("engine:\n  maxBatch: 64\n"));
    assertThat(LocalPlan.of(configured).hostsSandbox()).isFalse();
  }

  @Test
  void planShouldReplaceAServerThatAnOptionNames() {
    LocalPlan plan =
        LocalPlan.of(
            nothing()
                .withServers(
                    Optional.of("redis://far:7000"),
                    Optional.of("mysql://bob:a%40b+c@far:3307/shop")));
    assertThat(plan.isLocalRun()).isTrue();
    assertThat(plan.embedsRedis()).isFalse();
    assertThat(plan.embedsMariaDb()).isFalse();
    SeckillConfig config = plan.complete(Optional.of(SECRETS), Map.of()).config();
    assertThat(config.redis().uri()).isEqualTo("redis://far:7000");
    assertThat(config.mysql().host()).isEqualTo("far");
    assertThat(config.mysql().port()).isEqualTo(3307);
    assertThat(config.mysql().database()).isEqualTo("shop");
    assertThat(config.mysql().user()).isEqualTo("bob");
    assertThat(config.mysql().password().value()).isEqualTo("a@b+c");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://far:7000",
        "redis-sentinel://one:26379,two:26379,three:26379/sale",
        "redis-cluster://one:7000,two:7000",
      })
  void planShouldTakeEveryFormOfARedisAddressAndShowIt(String uri) {
    LocalPlan plan =
        LocalPlan.of(
            nothing()
                .withServers(Optional.of(uri), Optional.of("mysql://bob:secret@far:3307/shop")));
    assertThat(plan.isLocalRun()).isTrue();
    assertThat(plan.embedsRedis()).isFalse();
    assertThat(plan.redisInWords()).isEqualTo(uri);
    assertThat(plan.complete(Optional.of(SECRETS), Map.of()).config().redis().uri()).isEqualTo(uri);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"far:7000", "redis-sentinel://one:26379", "redis-cluster://one:7000/sale"})
  void planShouldRefuseARedisAddressOfAnotherForm(String uri) {
    assertThatThrownBy(
            () -> LocalPlan.of(nothing().withServers(Optional.of(uri), Optional.empty())))
        .hasMessageContaining("redis.uri = \"" + uri);
  }

  @Test
  void planShouldDoAsToldWhenThereIsAFile() throws IOException {
    LocalPlan plan =
        LocalPlan.of(
            nothing().withConfigFile(file("redis:\n  uri: redis://r:1\nmysql:\n  host: db\n")));
    assertThat(plan.isLocalRun()).isFalse();
    assertThat(plan.embedsRedis()).isFalse();
    assertThat(plan.embedsMariaDb()).isFalse();
    assertThat(plan.makesSecrets()).isFalse();
    SeckillConfig config = plan.complete(Optional.empty(), Map.of()).config();
    assertThat(config.gateway().devSession()).isFalse();
    assertThat(config.jwt().secret().isEmpty()).isTrue();
  }

  @Test
  void planShouldRefuseHalfOfTheAddressesInAConfiguredRun() throws IOException {
    LocalOptions redisOnly = nothing().withConfigFile(file("redis:\n  uri: redis://r:1\n"));
    assertThatThrownBy(() -> LocalPlan.of(redisOnly)).hasMessageContaining("set mysql.host");
    LocalOptions mysqlOnly =
        nothing()
            .withLoader(
                ConfigLoader.ofNothing().withEnvironment(Map.of("SECKILL_MYSQL_HOST", "db")));
    assertThatThrownBy(() -> LocalPlan.of(mysqlOnly)).hasMessageContaining("set redis.uri");
  }

  @Test
  void planShouldEmbedInAConfiguredRunOnlyWhenNoAddressIsSet() throws IOException {
    LocalPlan plan = LocalPlan.of(nothing().withConfigFile(file("engine:\n  maxBatch: 64\n")));
    assertThat(plan.isLocalRun()).isFalse();
    assertThat(plan.embedsRedis()).isTrue();
    assertThat(plan.embedsMariaDb()).isTrue();
    assertThat(plan.complete(Optional.of(SECRETS), Map.of()).config().gateway().devSession())
        .isFalse();
  }

  @Test
  void planShouldNeedNoServerForAGateway() {
    LocalPlan plan =
        LocalPlan.of(nothing().withRoles(Set.of(Role.GATEWAY)).with("bus.clustered", true));
    assertThat(plan.isLocalRun()).isFalse();
    assertThat(plan.embedsRedis()).isFalse();
    assertThat(plan.embedsMariaDb()).isFalse();
  }

  @Test
  void planShouldRefuseSomeRolesWithoutAClusteredBus() {
    assertThatThrownBy(() -> LocalPlan.of(nothing().withRoles(Set.of(Role.GATEWAY))))
        .isInstanceOf(UsageException.class)
        .hasMessageContainingAll("bus.clustered", "bus.members", "bus.kubernetesService");
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, true",
    "localhost, true",
    "::1, true",
    "127.8.0.1, true",
    "0.0.0.0, false",
    "::, false",
    "192.0.2.7, false",
    "127.example, false",
  })
  void planShouldGiveDevelopmentSessionsOnlyToThisMachine(String host, boolean given) {
    LocalPlan plan = LocalPlan.of(nothing().with("gateway.host", host));
    assertThat(plan.isLocalRun()).isTrue();
    assertThat(plan.complete(Optional.of(SECRETS), Map.of()).config().gateway().devSession())
        .isEqualTo(given);
    LocalPlan told =
        LocalPlan.of(nothing().with("gateway.host", host).with("gateway.devSession", true));
    assertThat(told.complete(Optional.of(SECRETS), Map.of()).config().gateway().devSession())
        .isTrue();
  }

  @Test
  void planShouldBoundTheStopByAllOfItsParts() {
    LocalPlan plan = LocalPlan.of(nothing());
    assertThat(plan.stopBoundMs())
        .isGreaterThan(
            plan.base().node().shutdownMs() + EmbeddedServer.STOP_BOUND.toMillis() + 5_000);
  }

  @Test
  void planShouldNotShowAMySqlAddressOfAnotherForm() {
    assertThatThrownBy(
            () ->
                LocalPlan.of(
                    nothing().withServers(Optional.empty(), Optional.of("root:secret@far"))))
        .hasMessageContaining("mysql://user:password@host:port/database")
        .hasMessageNotContaining("secret@");
  }

  @Test
  void secretsShouldBeMadeOnceAndForTheirOwnerOnly() throws IOException {
    assertThat(LocalSecrets.read(folder)).isEmpty();
    LocalSecrets made = LocalSecrets.readOrMake(folder);
    assertThat(LocalSecrets.readOrMake(folder)).isEqualTo(made);
    assertThat(made.orderIdKey()).matches("[0-9a-f]{32}");
    assertThat(made.jwtSecret()).hasSize(64);
    assertThat(made.toString()).doesNotContain(made.jwtSecret());
    assertThat(Files.getPosixFilePermissions(folder.resolve("secrets.json")))
        .extracting(Enum::name)
        .containsExactlyInAnyOrder("OWNER_READ", "OWNER_WRITE");
  }

  @Test
  void secretsShouldNotBeMadeAnewWhenTheirFileIsBroken() throws IOException {
    Files.writeString(folder.resolve("secrets.json"), "{\"jwtSecret\":\"x\"}");
    assertThatThrownBy(() -> LocalSecrets.readOrMake(folder)).hasMessageContaining("orderIdKey");
    Files.writeString(folder.resolve("secrets.json"), "not json");
    assertThatThrownBy(() -> LocalSecrets.readOrMake(folder)).hasMessageContaining("is not JSON");
  }

  private LocalOptions nothing() {
    return LocalOptions.in(folder).withLoader(ConfigLoader.ofNothing());
  }

  private Optional<Path> file(String yaml) throws IOException {
    return Optional.of(Files.writeString(folder.resolve("seckill.yaml"), yaml));
  }
}
