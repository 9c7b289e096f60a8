/**
 * The {@code demo} command: a whole sale over real HTTP, from an empty folder to a verdict.
 *
 * <p>{@link io.seckill.launcher.demo.SaleRun} has the steps, {@link
 * io.seckill.launcher.demo.Verdict} judges what they recorded and knows no server.
 */
package io.seckill.launcher.demo;
