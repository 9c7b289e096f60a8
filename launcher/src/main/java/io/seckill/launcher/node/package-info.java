/** Any set of roles in one Vert.x instance, with its bus, health and metrics. */
package io.seckill.launcher.node;
