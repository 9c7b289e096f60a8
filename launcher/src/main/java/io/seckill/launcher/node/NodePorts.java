package io.seckill.launcher.node;

/**
 * Where a node listens.
 *
 * @param publicPort storefront API, 0 without the gateway role
 * @param adminPort admin API, 0 without the gateway role
 * @param managementPort health and metrics
 */
public record NodePorts(int publicPort, int adminPort, int managementPort) {}
