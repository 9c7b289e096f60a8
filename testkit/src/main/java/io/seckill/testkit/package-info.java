/**
 * What tests share: real servers, faults to inject, bounded waits.
 *
 * <p>A server comes from the first of these that applies: an address given by a system property
 * ({@code seckill.test.redis}, {@code seckill.test.mysql}); a container, when a Docker engine
 * answers and has the image; an embedded one. What was taken is printed once. Everything here
 * blocks and is for test threads.
 */
package io.seckill.testkit;
