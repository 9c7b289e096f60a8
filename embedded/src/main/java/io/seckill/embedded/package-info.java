/**
 * Real Redis and MariaDB servers out of jars, for {@code run}, {@code demo} and tests.
 *
 * <p>Everything here blocks and belongs on start-up threads, never on an event loop. Each server is
 * a child process with a watchdog beside it, so no server outlives this JVM, however the JVM ends.
 */
package io.seckill.embedded;
