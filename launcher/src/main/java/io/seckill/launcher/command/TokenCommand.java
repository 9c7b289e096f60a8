package io.seckill.launcher.command;

import io.seckill.common.config.LoadedConfig;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.config.Secret;
import io.seckill.common.id.UserId;
import io.seckill.gateway.token.TokenSigner;
import io.seckill.launcher.LaunchException;
import io.seckill.launcher.UsageException;
import io.seckill.launcher.local.LocalSecrets;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code seckill token}. */
@Command(
    name = "token",
    description = {
      "Sign a development token.",
      "The secret is jwt.secret of the configuration, else the one that a local run made."
    })
public final class TokenCommand extends ProgramCommand {

  @Option(
      names = "--user",
      required = true,
      paramLabel = "<user>",
      description = "Whom it speaks for, [A-Za-z0-9_.@-]{1,64}.")
  private String user;

  @Option(
      names = "--role",
      paramLabel = "<role>",
      description = "A role, such as admin; may be repeated. Buyers have none.")
  private Set<String> roles = Set.of();

  @Option(
      names = "--ttl",
      paramLabel = "<seconds>",
      defaultValue = "3600",
      description = "How long it is good, in seconds (default: ${DEFAULT-VALUE}).")
  private long ttlSeconds;

  @Option(
      names = "--data",
      paramLabel = "<folder>",
      defaultValue = "data",
      description = "Data folder of a local run (default: ${DEFAULT-VALUE}).")
  private Path data;

  @Mixin private ConfigOptions config;

  @Override
  protected int run(Output output) {
    if (!UserId.isValid(user)) {
      throw new UsageException("--user must match [A-Za-z0-9_.@-]{1,64}");
    }
    SeckillConfig.Jwt jwt = jwt();
    if (ttlSeconds < 1 || ttlSeconds > jwt.maxLifetimeMs() / 1_000) {
      throw new UsageException(
          "--ttl must be 1 to "
              + jwt.maxLifetimeMs() / 1_000
              + " seconds: jwt.maxLifetimeMs allows no more");
    }
    TokenSigner.SignedToken token =
        new TokenSigner(jwt, System::currentTimeMillis)
            .sign(UserId.of(user), roles, Duration.ofSeconds(ttlSeconds));
    output.text(token.text());
    output.result(
        new JsonObject()
            .put("token", token.text())
            .put("user", user)
            .put("expiresAt", token.expiresAt().toString()));
    return PASS;
  }

  private SeckillConfig.Jwt jwt() {
    LoadedConfig loaded = config.loader().load();
    SeckillConfig.Jwt jwt = loaded.config().jwt();
    if (!jwt.secret().isEmpty()) {
      return jwt;
    }
    LocalSecrets secrets =
        LocalSecrets.read(data)
            .orElseThrow(
                () ->
                    new LaunchException(
                        "no secret to sign with: "
                            + data
                            + " has no secrets.json (start './seckill run' once, or name its"
                            + " folder with --data), and jwt.secret is not set"));
    return new SeckillConfig.Jwt(
        new Secret(secrets.jwtSecret()),
        jwt.issuer(),
        jwt.audience(),
        jwt.maxLifetimeMs(),
        jwt.clockSkewMs(),
        jwt.cacheSize());
  }
}
