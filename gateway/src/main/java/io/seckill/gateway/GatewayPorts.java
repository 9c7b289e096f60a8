package io.seckill.gateway;

/**
 * Where the gateway listens.
 *
 * @param publicPort the storefront API
 * @param adminPort the admin API
 */
public record GatewayPorts(int publicPort, int adminPort) {}
