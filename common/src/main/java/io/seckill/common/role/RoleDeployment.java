package io.seckill.common.role;

import io.vertx.core.Deployable;
import io.vertx.core.DeploymentOptions;
import java.util.function.Supplier;

/**
 * One verticle of a role, as a value: what the launcher deploys, in the order given, and undeploys
 * in the reverse.
 *
 * @param name for logs
 * @param verticle makes one instance; called on the deploying thread
 * @param options instances and the like
 */
public record RoleDeployment(
    String name, Supplier<? extends Deployable> verticle, DeploymentOptions options) {}
