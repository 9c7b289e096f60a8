/** The program: command line, roles in one process, cluster, embedded servers, management port. */
package io.seckill.launcher;
