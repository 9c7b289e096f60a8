package io.seckill.gateway.http;

/**
 * Bounds of one port.
 *
 * @param maxConnections open connections of this process on that port
 * @param maxBodyBytes largest body
 * @param requestTimeoutMs from the first byte of a request to its last
 * @param idleTimeoutMs a connection without traffic is closed after this
 * @param shutdownMs how long requests in flight may take at shutdown
 */
public record HttpLimits(
    int maxConnections,
    int maxBodyBytes,
    long requestTimeoutMs,
    long idleTimeoutMs,
    long shutdownMs) {}
