/**
 * A crowd of buyers over real sockets, lean enough to share two cores with everything that it
 * loads. {@code demo}, {@code bench} and {@code drill} send it.
 *
 * <p>Bottom up: {@link io.seckill.launcher.load.LoadLane} keeps connections busy with {@link
 * io.seckill.launcher.load.LoadRequest}s, {@link io.seckill.launcher.load.Crowd} makes buyers of
 * them by a {@link io.seckill.launcher.load.CrowdPlan} and tells in a {@link
 * io.seckill.launcher.load.CrowdRecord} what they were answered.
 */
package io.seckill.launcher.load;
