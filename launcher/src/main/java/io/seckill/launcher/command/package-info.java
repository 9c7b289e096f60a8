/** The command line: one class a command. */
package io.seckill.launcher.command;
